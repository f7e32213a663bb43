import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { main } from "../../../lib/tools/documents/documents.ts";

function files() {
  const texts = new Map([["docs/SECURITY.md", readFileSync("docs/SECURITY.md", "utf8")]]);
  const warnings: string[] = [];
  const deps = {
    read: (path: string) => texts.get(path) ?? "",
    write: (path: string, text: string) => texts.set(path, text),
    warn: (line: string) => warnings.push(line),
    templates: () => [],
  };
  return { texts, warnings, deps };
}

describe("npm run documents", () => {
  it("writes only the client's types with --client", async () => {
    const { texts, deps } = files();
    await main([], deps);
    const types = texts.get("lib/client/openapi.ts");
    const written: string[] = [];
    const write = (path: string, text: string) => written.push(path, text);
    expect(await main(["--client"], { ...deps, write })).toBe(0);
    expect(written).toEqual(["lib/client/openapi.ts", types]);
  });

  it("writes documents that --check then accepts", async () => {
    const { texts, warnings, deps } = files();
    expect(await main([], deps)).toBe(0);
    expect([...texts.keys()]).toEqual([
      "docs/SECURITY.md",
      "docs/openapi.json",
      "docs/asyncapi.json",
      "docs/functions.md",
      "docs/table.md",
      "lib/client/openapi.ts",
      "docs/costs.md",
    ]);
    expect(await main(["--check"], deps)).toBe(0);
    expect(warnings).toEqual([]);
  });

  it("reports each outdated document with --check, and leaves it unchanged", async () => {
    const { texts, warnings, deps } = files();
    await main([], deps);
    texts.set("docs/asyncapi.json", "{}");
    expect(await main(["--check"], deps)).toBe(1);
    expect(warnings).toEqual(["docs/asyncapi.json is out of date; run npm run documents"]);
    expect(texts.get("docs/asyncapi.json")).toBe("{}");
  });
});
