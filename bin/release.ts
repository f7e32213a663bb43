/** `npm run release`: makes the changelog's section, the notes and the hashes of a version. */
require("./run.cjs")(async () => {
  const path = await import("node:path");
  const { codeHashes } = await import("../lib/tools/release/code-hashes.ts");
  const { runRelease } = await import("../lib/tools/release/program.ts");

  const { stdout, stderr } = process;
  process.exitCode = await runRelease(process.argv.slice(2), {
    stdout,
    stderr,
    root: path.resolve(__dirname, ".."),
    date: new Date().toISOString().slice(0, 10),
    hashes: codeHashes,
  });
});
