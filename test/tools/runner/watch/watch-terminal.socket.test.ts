import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { bundleOptions, codeFile, root, variablesLine } from "../../../../lib/infra/functions/bundle.ts";
import { createBundler } from "../../../../lib/tools/runner/watch/bundler.ts";
import { places } from "../../../../lib/tools/runner/watch/watch-terminal.ts";

it("names the place of a fault in code that was reloaded", async () => {
  const source = "test/runtime/faulty.ts";
  const bundler = createBundler(root, { faulty: resolve(root, source) }, bundleOptions);
  const bundle = (await bundler.bundle(["faulty"])).get("faulty") ?? { code: "", map: "" };
  const folder = mkdtempSync(join(tmpdir(), "reloaded-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const head = variablesLine({ HEAD: "a line before the code" });
  writeFileSync(join(folder, codeFile), head + bundle.code);
  writeFileSync(join(folder, places.file), places.textOf(bundle, head));
  const [line = ""] = execFileSync(process.execPath, [join(folder, codeFile)], { encoding: "utf8" }).split(
    "\n",
  );
  const { at } = JSON.parse(line);
  expect(at[0]).toMatch(/^lengthOf test\/runtime\/faulty\.ts:\d+$/);
});
