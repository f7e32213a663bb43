/** `npm run contracts`: compiles the contracts of the local chains and of the tests. */
require("./run.cjs")(async () => {
  const { writeFileSync } = await import("node:fs");
  const path = await import("node:path");
  const { compileContracts } = await import("trading-terminal-devnet/evm/compile-contracts");

  const root = path.join(__dirname, "..");
  for (const [file, text] of compileContracts(root)) writeFileSync(path.join(root, file), text);
});
