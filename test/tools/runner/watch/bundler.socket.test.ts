import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createBundler, filesOf } from "../../../../lib/tools/runner/watch/bundler.ts";

let root: string;

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "bundler-")));
});
afterEach(() => rmSync(root, { recursive: true }));

function write(path: string, text: string): string {
  const file = join(root, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

const relativeTo = (files: ReadonlySet<string>) => [...files].map((file) => relative(root, file)).sort();

/** Two functions that share a file and also import a package and a type. */
function project() {
  const a = write(
    "functions/a/handler.ts",
    `import { shared } from "../../lib/shared.ts"; export const a = shared;`,
  );
  const b = write(
    "functions/b/handler.ts",
    `import { shared } from "../../lib/shared.ts"; import { unused } from "../../lib/unused.ts";
     import type { T } from "../../lib/types.ts"; import { p } from "package"; export const b: T = shared + p; void unused;`,
  );
  write("lib/shared.ts", `export const shared = "shared";`);
  write("lib/unused.ts", `export const unused = "unused";`);
  write("lib/types.ts", "export type T = string;");
  write("node_modules/package/index.js", `export const p = "package";`);
  return { a, b };
}

describe("createBundler", () => {
  const options = { bundle: true, format: "esm" } as const;

  it("bundles each function and tracks its source files", async () => {
    const bundler = createBundler(root, project(), options);
    expect(bundler.inputsOf("a")).toEqual(new Set());
    const bundles = await bundler.bundle(["a", "b"]);
    expect([...bundles.keys()]).toEqual(["a", "b"]);
    expect(bundles.get("b")?.code).toContain('"package"');
    const { sources } = JSON.parse(bundles.get("a")?.map ?? "");
    expect(sources).toEqual(["lib/shared.ts", "functions/a/handler.ts"]);
    expect(relativeTo(bundler.inputsOf("a"))).toEqual(["functions/a/handler.ts", "lib/shared.ts"]);
    // esbuild drops `void unused`, but the next change may need the file. Imports of types are never tracked.
    expect(relativeTo(bundler.inputsOf("b"))).toEqual([
      "functions/b/handler.ts",
      "lib/shared.ts",
      "lib/unused.ts",
    ]);
  });

  it("rejects with the build errors and keeps the files of the last good build", async () => {
    const { a, b } = project();
    const bundler = createBundler(root, { a, b }, options);
    await bundler.bundle(["a"]);
    writeFileSync(a, "const x = (;");
    await expect(bundler.bundle(["a"])).rejects.toMatchObject({ errors: [{ text: 'Unexpected ";"' }] });
    expect(relativeTo(bundler.inputsOf("a"))).toEqual(["functions/a/handler.ts", "lib/shared.ts"]);
  });
});

describe("filesOf", () => {
  it("lists the files of a program, without packages and types", async () => {
    expect(relativeTo(await filesOf(root, project().b))).toEqual([
      "functions/b/handler.ts",
      "lib/shared.ts",
      "lib/unused.ts",
    ]);
  });
});
