/**
 * Milliseconds during which a second signal is ignored, because one Ctrl-C can arrive twice: from the terminal, and
 * from npm, which passes it on.
 */
const sameSignalMs = 500;

/**
 * Stops in order on Ctrl-C and similar signals, and then exits. Another signal, at least half a second later, exits at once.
 * A runner that is still starting needs no stop: its processes end with this one.
 */
export function stopOnSignal(stop: () => Promise<void>): void {
  let stoppingSince: number | undefined;
  const onSignal = async () => {
    const now = performance.now();
    if (stoppingSince !== undefined) {
      if (now - stoppingSince >= sameSignalMs) process.exit(130);
      return;
    }
    stoppingSince = now;
    process.stderr.write("\nStopping\n");
    await stop();
    process.exit(0);
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, onSignal);
}
