import { readFileSync } from "node:fs";
import { portsOf } from "trading-terminal-devnet/local-chains";
import { beforeAll, describe, expect, it } from "vitest";
import type { OperationSchemas } from "../../../lib/api/operation-schema.ts";
import { schemas } from "../../../lib/api/operation-schemas.ts";
import { evmChains, tradingChains } from "../../../lib/core/chain-facts.ts";
import { main } from "../../../lib/tools/documents/documents.ts";
import { openApiDocument } from "../../../lib/tools/documents/openapi.ts";
import { dashboardOf } from "./dashboard-of.ts";

function files(first: Iterable<readonly [string, string]>) {
  const texts = new Map(first);
  const warnings: string[] = [];
  const deps = {
    read: (path: string) => texts.get(path) ?? "",
    write: (path: string, content: string | Buffer) => texts.set(path, `${content}`),
    warn: (line: string) => warnings.push(line),
    templates: () => [{ Resources: { Dashboard: dashboardOf([]) } }],
  };
  return { texts, warnings, deps };
}

describe("docs/openapi.json", () => {
  it("lists each error code of an operation once, and a 400 where input is checked", () => {
    type Operation = { operationId: string; responses: Record<string, { "x-error-codes"?: string[] }> };
    const { paths } = openApiDocument() as { paths: Record<string, Record<string, Operation>> };
    for (const { operationId, responses } of Object.values(paths).flatMap((item) => Object.values(item))) {
      const codes = Object.values(responses).flatMap((response) => response["x-error-codes"] ?? []);
      const { path, query, body }: OperationSchemas = schemas[operationId as keyof typeof schemas];
      const isChecked = (path ?? query ?? body) !== undefined;
      expect.soft(codes, operationId).toEqual([...new Set(codes)]);
      expect.soft("400" in responses, operationId).toBe(isChecked);
    }
  });
});

describe("docs/local.md", () => {
  it("lists the ports of all chains", () => {
    const page = readFileSync("docs/local.md", "utf8");
    const rows = [...page.matchAll(/^\| (\d{4})(?: to (\d{4}))? \| /gm)];
    const named = rows.map(([, first, last = first]) => [Number(first), Number(last)]);
    const all = tradingChains.map((chain) => portsOf(chain, 8545));
    const span = (ports: readonly number[]) => [Math.min(...ports), Math.max(...ports)];
    expect(named).toEqual([
      span(evmChains.map((chain) => portsOf(chain, 8545).node)),
      span([portsOf("sol", 8545).node]),
      span(all.map(({ secondHost }) => secondHost)),
      span(all.flatMap(({ relay }) => relay ?? [])),
      span(all.map(({ firstHost }) => firstHost)),
      span([portsOf("sol", 8545).jupiter ?? 0]),
    ]);
  });
});

describe("npm run documents", () => {
  /** Documents as the program writes them. */
  const edited = ["docs/SECURITY.md", "docs/clients.md", "docs/plans.md", "docs/scale.md", "docs/costs.md"];
  const present = [...edited, "docs/benchmarks.md"];
  const { texts: written, deps } = files(present.map((path) => [path, readFileSync(path, "utf8")]));
  beforeAll(async () => {
    expect(await main([], deps)).toBe(0);
  });

  it("writes all documents, of which --check reports those that are outdated, and changes none", async () => {
    expect([...written.keys()]).toEqual([
      ...present,
      "docs/openapi.json",
      "docs/asyncapi.json",
      "docs/functions.md",
      "docs/table.md",
      "docs/pictures/architecture.svg",
      "lib/client/openapi.ts",
      "lib/client/methods.ts",
      ...["dashboard", "requests", "cold-starts", "orders", "limits", "costs"].map(
        (name) => `docs/pictures/${name}.svg`,
      ),
    ]);
    const { texts, warnings, deps } = files(written);
    texts.set("docs/asyncapi.json", "{}");
    texts.set(
      "docs/benchmarks.md",
      texts.get("docs/benchmarks.md")?.replace("| 839 ms |", "| 840 ms |") ?? "",
    );
    expect(await main(["--check"], deps)).toBe(1);
    expect(warnings).toEqual([
      "docs/asyncapi.json is out of date; run npm run documents",
      "docs/pictures/orders.svg is out of date; run npm run documents",
    ]);
    expect(texts.get("docs/asyncapi.json")).toBe("{}");
  });

  it("refuses a document without the markers of its generated part", async () => {
    const { deps } = files([["docs/SECURITY.md", "# Security"]]);
    await expect(main([], deps)).rejects.toThrow("lacks the markers of the part from lib/tools");
  });
});
