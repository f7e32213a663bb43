/** `npm run -s token`: prints an access token for the running service. */
require("./run.cjs")(async () => {
  const { main } = await import("../lib/tools/runner/token.ts");
  process.exitCode = await main(process.argv.slice(2), process);
});
