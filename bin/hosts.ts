/** `npm run hosts`: checks whether the hosts of the chains can carry trading. */
require("./run.cjs")(async () => {
  const { main } = await import("../lib/tools/hosts/program.ts");
  const stop = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => stop.abort());
  process.exitCode = await main(process.argv.slice(2), process, stop.signal);
});
