/** `npm run documents`: writes what is derived from the table of operations, or checks it with --check. */
require("./run.cjs")(async () => {
  const { readFileSync, writeFileSync } = await import("node:fs");
  const { join } = await import("node:path");
  const { main } = await import("../lib/documents/documents.ts");

  const root = join(__dirname, "..");
  process.exitCode = main(process.argv.slice(2), {
    read: (path) => readFileSync(join(root, path), "utf8"),
    write: (path, text) => writeFileSync(join(root, path), text),
    warn: console.error,
  });
});
