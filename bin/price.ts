/** `npm run -s price`: moves the price of a token on a local chain. */
require("./run.cjs")(async () => {
  const { main } = await import("../lib/tools/runner/price.ts");
  process.exitCode = await main(process.argv.slice(2), process);
});
