import type { SoakReport, Statuses } from "./soak.ts";

const classes = {
  done: (status: number) => status >= 200 && status < 300,
  refused: (status: number) => status >= 400 && status < 500,
  failed: (status: number) => status >= 500,
  "no answer": (status: number) => status === 0,
};

const countIn = (statuses: Statuses, belongs: (status: number) => boolean) =>
  [...statuses].reduce((sum, [status, count]) => sum + (belongs(status) ? count : 0), 0);

/** Sums counts by status. */
const total = (all: Iterable<Statuses>): Statuses => {
  const sum: Statuses = new Map();
  for (const statuses of all)
    for (const [status, count] of statuses) sum.set(status, (sum.get(status) ?? 0) + count);
  return sum;
};

/** Formats the outcomes of each request as table rows, by name. */
export function countRows(counts: ReadonlyMap<string, Statuses>): string[][] {
  return [...counts].map(([name, statuses]) => {
    const all = countIn(statuses, () => true);
    const failures = countIn(statuses, classes.failed) + countIn(statuses, classes["no answer"]);
    return [
      name,
      `${all}`,
      ...Object.values(classes).map((belongs) => `${countIn(statuses, belongs)}`),
      `${((100 * failures) / all).toFixed(1)} %`,
    ];
  });
}

export const countHeads = ["requests", ...Object.keys(classes), "failure rate"];

/** Summarizes the run in one line. */
export function summaryOf(report: SoakReport): string {
  const { byAction, seconds, streams, crashes, problems, items, settledAfterSeconds, users, seed } = report;
  const requests = countIn(total(byAction.values()), () => true);
  return [
    `${requests} requests of ${users} users in ${seconds.toFixed(1)} s (${(requests / seconds).toFixed(1)} a second), seed ${seed}`,
    `${crashes} crashes of the runner, each with a restart on the same data`,
    `${streams.count} streams: ${streams.connections} connections, ${streams.closes} closed early, ${streams.refusals} refused, ${streams.messages} messages`,
    `${items} stored items audited; all streams compared after ${settledAfterSeconds.toFixed(1)} s`,
    `${problems.length} problems`,
  ].join("\n");
}
