/**
 * `npm run documents`: writes the documents derived from the table of operations, or checks them with --check. With
 * --site DIR it writes only the reference pages, as a static site.
 */
require("./run.cjs")(async () => {
  const { mkdirSync, readFileSync, writeFileSync } = await import("node:fs");
  const path = await import("node:path");
  const { main } = await import("../lib/tools/documents/documents.ts");

  const args = process.argv.slice(2);
  // Loads the stacks only when writing, because loading CDK takes seconds.
  const needsStacks = !args.some((arg) => /^--(check|site)/.test(arg));
  const infra = needsStacks ? await import("../lib/infra/read-stacks.ts") : undefined;

  const root = path.join(__dirname, "..");
  process.exitCode = await main(args, {
    read: (file) => readFileSync(path.join(root, file), "utf8"),
    write(name, content) {
      const file = path.resolve(root, name);
      mkdirSync(path.dirname(file), { recursive: true });
      writeFileSync(file, content);
    },
    warn: console.error,
    templates: (context) =>
      infra?.readStacks(context, (stacks) => stacks.map(({ template }) => template)) ?? [],
  });
});
