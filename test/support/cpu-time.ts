/**
 * Milliseconds of processor time that work takes. Unlike elapsed time, it does not grow when the machine is
 * busy.
 */
export function cpuMs(work: () => unknown): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}
