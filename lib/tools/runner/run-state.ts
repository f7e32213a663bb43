import type { LogEntry } from "cdk-local-runner";

/** Times of faults of each function or emulated service, and the number of messages that went to a queue. */
export type RunState = {
  startedAt: string;
  faults: Readonly<Record<string, readonly number[]>>;
  queued: number;
};

/** Time for which faults are kept, which is the period of most alarms. */
const keptMs = 5 * 60_000;

/** Number of faults of one source that are kept. */
const mostKept = 100;

/** Notes the faults that pass through the log, for `admin status`: the runner has no alarms. */
export function watchRun(startedAt: Date) {
  const faults = new Map<string, number[]>();
  let queued = 0;
  return {
    note({ source, line }: LogEntry, nowMs = Date.now()): void {
      if (source === "sqs") queued++;
      else if (line.includes('"level":"ERROR"'))
        faults.set(source, [...(faults.get(source) ?? []), nowMs].slice(-mostKept));
    },
    state: (nowMs = Date.now()): RunState => ({
      startedAt: startedAt.toISOString(),
      faults: Object.fromEntries(
        [...faults].map(([source, times]) => [source, times.filter((ms) => nowMs - ms < keptMs)]),
      ),
      queued,
    }),
  };
}
