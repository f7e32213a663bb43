import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { changedStacks, templatesIn } from "../../../../lib/tools/runner/watch/templates.ts";

function assembly(templates: Record<string, object>): string {
  const folder = mkdtempSync(join(tmpdir(), "templates-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [stack, template] of Object.entries(templates))
    writeFileSync(join(folder, `${stack}.template.json`), JSON.stringify(template));
  writeFileSync(join(folder, "manifest.json"), String(Math.random()));
  return folder;
}

const withCode = (digit: string, timeout = 10) => ({ S3Key: `${digit.repeat(64)}.zip`, timeout });
const changed = (before: Record<string, object>, after: Record<string, object>) =>
  changedStacks(templatesIn(assembly(before)), templatesIn(assembly(after)));

describe("changedStacks", () => {
  it("ignores changed code, although the template contains its hash", () => {
    expect(changed({ Api: withCode("a") }, { Api: withCode("b") })).toEqual([]);
  });

  it("names stacks that were changed, added or removed", () => {
    const before = { Api: withCode("a"), Data: {}, Old: {} };
    const after = { Api: withCode("a", 9), Data: {}, New: {} };
    expect(changed(before, after)).toEqual(["Api", "Old", "New"]);
  });
});
