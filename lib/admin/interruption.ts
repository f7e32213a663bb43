/**
 * From the call on, Ctrl-C (and SIGTERM) aborts the signal instead of ending the process. A second one does no more: npm
 * passes on the signal that the terminal has sent already, so one Ctrl-C arrives twice.
 */
export function interruption(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => controller.abort());
  return controller.signal;
}
