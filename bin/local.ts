/** `npm start`: runs the service on this machine until Ctrl-C. */
require("./run.cjs")(async () => {
  const { start, stopOnSignal } = await import("cdk-local-runner");
  const { main } = await import("../lib/tools/runner/local.ts");

  // Lets only the owner read files that this process and its children create.
  process.umask(0o077);
  const { stdout, stderr } = process;
  const status = await main(process.argv.slice(2), { stdout, stderr, start, stopOnSignal });
  if (status !== 0) process.exit(status);
});
