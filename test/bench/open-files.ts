/** Upper bound on the number of files that a benchmark process opens besides its sockets. */
const others = 500;

type Report = { userLimits?: { open_files?: { soft: number | "unlimited" } } };

/**
 * Checks the limit of open files.
 *
 * @throws if a process of this user cannot open that many sockets.
 */
export function checkOpenFiles(sockets: number): void {
  const { soft = "unlimited" } = (process.report.getReport() as Report).userLimits?.open_files ?? {};
  const needed = sockets + others;
  if (soft !== "unlimited" && soft < needed) {
    throw new Error(
      `A process may open ${soft} files, but ${sockets} clients need ${needed}. Run: ulimit -n ${needed}`,
    );
  }
}
