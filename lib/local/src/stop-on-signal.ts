/**
 * Ctrl-C ends everything in order, then the process; a second one does not wait. `stop` resolves to what has to be ended,
 * which is nothing as long as the runner is still starting: its processes end with it anyway.
 */
export function stopOnSignal(stop: () => Promise<void>): void {
  let stopping = false;
  const onSignal = async () => {
    if (stopping) process.exit(130);
    stopping = true;
    process.stderr.write("\nStopping\n");
    await stop();
    process.exit(0);
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, onSignal);
}
