import { readdirSync, readFileSync } from "node:fs";
import { functionProcesses } from "./processor-time.ts";

/** Period in which a process may use its share. Lambda's is as long. */
const periodMs = 20;

/** Time between two looks at what processes have used. */
const lookMs = 2;

/** Time between two searches for new processes. */
const searchMs = 200;

/** Reads the processor time of all threads of a process. Undefined if the process has ended. */
export function usedMs(pid: number): number | undefined {
  try {
    const tasks = readdirSync(`/proc/${pid}/task`);
    const nanoseconds = tasks.map((task) =>
      Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, "utf8").split(" ")[0]),
    );
    return nanoseconds.reduce((sum, each) => sum + each, 0) / 1e6;
  } catch {
    return undefined;
  }
}

function signal(pid: number, name: "SIGSTOP" | "SIGCONT"): void {
  try {
    process.kill(pid, name);
  } catch {
    // The process has ended.
  }
}

/**
 * Models Lambda's shares of a processor: stops the process of a function for the rest of a period in which it has used
 * its share. Only on Linux.
 *
 * @param pid The process whose descendants run the functions.
 * @returns A function that ends this, and lets all processes continue.
 */
export function shareProcessor(pid: number, shareOf: (name: string) => number): () => void {
  const shares = new Map<number, number>();
  const before = new Map<number, number>();
  const stopped = new Set<number>();
  const search = () => {
    for (const each of functionProcesses(pid)) {
      const share = shareOf(each.name);
      if (share < 1) shares.set(each.pid, share);
    }
  };
  const forget = (ended: number) => {
    for (const each of [shares, before, stopped]) each.delete(ended);
  };
  const goOn = () => {
    for (const each of stopped) signal(each, "SIGCONT");
    stopped.clear();
  };
  const begin = () => {
    goOn();
    for (const each of shares.keys()) {
      const used = usedMs(each);
      if (used === undefined) forget(each);
      else before.set(each, used);
    }
  };
  const look = () => {
    for (const [each, share] of shares) {
      const [used, begun] = [usedMs(each), before.get(each)];
      if (used === undefined || begun === undefined || stopped.has(each)) continue;
      if (used - begun < share * periodMs) continue;
      stopped.add(each);
      signal(each, "SIGSTOP");
    }
  };
  search();
  const timers = [setInterval(search, searchMs), setInterval(begin, periodMs), setInterval(look, lookMs)];
  return () => {
    for (const timer of timers) clearInterval(timer);
    goOn();
  };
}
