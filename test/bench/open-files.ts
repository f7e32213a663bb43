/** More files than a process of the benchmark opens in addition to its sockets. */
const others = 500;

type Report = { userLimits?: { open_files?: { soft: number | "unlimited" } } };

/** @throws if a process of this user may not open that many sockets. */
export function checkOpenFiles(sockets: number): void {
  const { soft = "unlimited" } = (process.report.getReport() as Report).userLimits?.open_files ?? {};
  const needed = sockets + others;
  if (soft !== "unlimited" && soft < needed) {
    throw new Error(
      `A process may open ${soft} files, but ${sockets} clients need ${needed}. Run: ulimit -n ${needed}`,
    );
  }
}
