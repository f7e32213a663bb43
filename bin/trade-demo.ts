/** `npm run -s trade:demo`: trades on the local service and compares the results with its chains. */
require("./run.cjs")(async () => {
  const { main } = await import("../lib/tools/runner/trade-demo.ts");
  process.exitCode = await main(process.argv.slice(2), process);
});
