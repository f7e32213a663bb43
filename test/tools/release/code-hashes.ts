import { execFile } from "node:child_process";
import { cpSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { root } from "../../../lib/infra/functions/bundle.ts";
import { placesTextOf } from "../../../lib/infra/functions/bundled-code.ts";
import { type OperationName, operations } from "../../../lib/operations/operations.ts";
import { codeHashes } from "../../../lib/tools/release/code-hashes.ts";

// A part of test/infra/bundles.test.ts, so that all tests of bundles make them once.
describe("codeHashes", () => {
  let folder: string;
  beforeAll(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), "another-checkout-")));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it("hashes the same in another folder", async () => {
    for (const name of ["functions", "lib", "package.json", "tsconfig.json", "cdk.json"])
      cpSync(resolve(root, name), join(folder, name), {
        recursive: true,
        filter: (path) => !path.includes("node_modules"),
      });
    symlinkSync(resolve(root, "node_modules"), join(folder, "node_modules"));
    const program = `import { codeHashes } from ${JSON.stringify(join(folder, "lib/tools/release/code-hashes.ts"))};
      process.stdout.write(codeHashes());`;
    const options = { cwd: folder };
    const args = ["--input-type=module", "-e", program];
    const { stdout: hashes } = await promisify(execFile)(process.execPath, args, options);
    expect(hashes).toBe(codeHashes());
    expect(hashes.trimEnd().split("\n")).toHaveLength(2 * Object.keys(operations).length);
  });

  it("names no folder of the machine in a map", () => {
    for (const name of Object.keys(operations) as OperationName[])
      for (const source of JSON.parse(placesTextOf(name, "")).sources)
        expect(source).toMatch(/^(functions|lib)\//);
  });
});
