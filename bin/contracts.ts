/** `npm run contracts`: compiles the contracts of the local chains and of the tests. */
require("./run.cjs")(async () => {
  const { writeFileSync } = await import("node:fs");
  const { join } = await import("node:path");
  const { compileContracts } = await import("../lib/tools/dev/chains/compile-contracts.ts");

  const root = join(__dirname, "..");
  for (const [path, text] of compileContracts(root)) writeFileSync(join(root, path), text);
});
