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

/** Marks the error that a function throws to refuse a connection. The alarms leave it out. */
const refusal = '"errorMessage":"Unauthorized"';

/** Marks a fault that a function has logged, as the alarms recognize it. */
const loggedFault = '"message":{"operation":';

/**
 * Notes the faults that pass through the log, for `admin status`: the runner has no alarms. Counts as the alarms of a
 * deployment do: most runs that fail have also logged why, so of the failed runs and the logged faults of a function,
 * the larger number counts.
 */
export function watchRun(startedAt: Date) {
  const logged = new Map<string, number[]>();
  const failed = new Map<string, number[]>();
  let queued = 0;
  return {
    note({ source, line }: LogEntry, nowMs = Date.now()): void {
      if (source === "sqs") queued++;
      else if (line.includes('"level":"ERROR"') && !line.includes(refusal)) {
        const faults = line.includes(loggedFault) ? logged : failed;
        faults.set(source, [...(faults.get(source) ?? []), nowMs].slice(-mostKept));
      }
    },
    state(nowMs = Date.now()): RunState {
      const recent = (times: readonly number[] = []) => times.filter((ms) => nowMs - ms < keptMs);
      const longer = (source: string) => {
        const [a, b] = [recent(logged.get(source)), recent(failed.get(source))];
        return a.length > b.length ? a : b;
      };
      const sources = new Set([...logged.keys(), ...failed.keys()]);
      return {
        startedAt: startedAt.toISOString(),
        faults: Object.fromEntries([...sources].map((source) => [source, longer(source)])),
        queued,
      };
    },
  };
}
