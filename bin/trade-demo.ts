/** `npm run -s trade:demo`: trades on the service that runs on this machine, and compares with its chains. */
require("./run.cjs")(async () => {
  const { main } = await import("../lib/dev/demo/trade-demo.ts");
  process.exitCode = await main(process.argv.slice(2), process);
});
