import { brotliCompressSync, gzipSync } from "node:zlib";
import { build } from "esbuild";
import { expect, it } from "vitest";

it("builds the client as one small file without imports", async () => {
  const { outputFiles, metafile } = await build({
    entryPoints: ["lib/client/index.ts"],
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    format: "esm",
    target: "es2022",
    platform: "browser",
  });
  const [{ contents } = { contents: new Uint8Array() }] = outputFiles;
  expect(Object.values(metafile.outputs).flatMap(({ imports }) => imports)).toEqual([]);
  expect(contents.length).toBeGreaterThan(0);
  // docs/clients.md promises this size.
  expect(gzipSync(contents).length).toBeLessThan(9 * 1024);
  expect(brotliCompressSync(contents).length).toBeLessThan(9 * 1024);
});
