import { brotliCompressSync, gzipSync } from "node:zlib";
import { build } from "esbuild";
import { expect, it } from "vitest";

it.each([
  ["the client", "lib/client/index.ts", 9],
  ["the client that signs by a key", "lib/client/key/index.ts", 10.5],
])("builds %s as one small file without imports", async (_, entry, mostKB) => {
  const { outputFiles, metafile } = await build({
    entryPoints: [entry],
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
  // docs/clients.md promises these sizes.
  expect(gzipSync(contents).length).toBeLessThan(mostKB * 1024);
  expect(brotliCompressSync(contents).length).toBeLessThan(mostKB * 1024);
});
