/** `npm start`: runs the service on this machine until Ctrl-C. */
require("./run.cjs")(async () => {
  const { start, stopOnSignal } = await import("cdk-local-runner");
  const { main } = await import("../lib/tools/runner/local.ts");

  // Files of this process and its children are readable only by their owner.
  process.umask(0o077);
  const { stdout, stderr } = process;
  const status = await main(process.argv.slice(2), { stdout, stderr, start, stopOnSignal });
  if (status !== 0) process.exit(status);
});
