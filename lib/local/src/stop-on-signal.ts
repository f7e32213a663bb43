/**
 * Stops in order on Ctrl-C and similar signals, and then exits. A second signal exits at once. A runner that is still
 * starting needs no stop: its processes end with this one.
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
