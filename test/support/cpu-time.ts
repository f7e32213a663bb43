/** Measures the processor time of work in milliseconds. Unlike elapsed time, it does not grow on a busy machine. */
export function cpuMs(work: () => unknown): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}
