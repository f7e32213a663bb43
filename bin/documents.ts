/** `npm run documents`: writes what is derived from the table of operations, or checks it with --check. */
require("./run.cjs")(async () => {
  const { readFileSync, writeFileSync } = await import("node:fs");
  const { join } = await import("node:path");
  const { main } = await import("../lib/documents/documents.ts");

  // Only to write: CDK takes seconds to load.
  const infra = process.argv.includes("--check") ? undefined : await import("../lib/infra/read-stacks.ts");

  const root = join(__dirname, "..");
  process.exitCode = await main(process.argv.slice(2), {
    read: (path) => readFileSync(join(root, path), "utf8"),
    write: (path, text) => writeFileSync(join(root, path), text),
    warn: console.error,
    templates: () => infra?.readStacks({}, (stacks) => stacks.map(({ template }) => template)) ?? [],
  });
});
