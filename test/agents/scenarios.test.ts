import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { scenarios } from "./scenarios.ts";

it("docs/agents.md lists exactly the 20 scenarios, in their order", () => {
  const page = readFileSync("docs/agents.md", "utf8");
  const [, table = ""] = page.split("| Scenario | What the agent does |\n| --- | --- |\n");
  const rows = scenarios.map(({ name, does }) => `| ${name} | ${does} |`);
  expect(table.trimEnd().split("\n")).toEqual(rows);
  expect(rows).toHaveLength(20);
});
