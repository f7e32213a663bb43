import { readdirSync, readFileSync } from "node:fs";

/** Processor time by what it was used for, in milliseconds; undefined where the system does not tell it as Linux does. */
export type ProcessorTime = Map<string, number> | undefined;

/** The kernel counts in these, on every system that Node runs on. */
const tickMs = 10;

type Process = { pid: number; parent: number; time: number; command: string[] };

/** What a process and all those that it started have used so far. Those that have ended are left out. */
export function processorTime(pid: number): ProcessorTime {
  const all = processes();
  if (all === undefined) return undefined;
  const below = (above: number): Process[] =>
    all.filter(({ parent }) => parent === above).flatMap((child) => [child, ...below(child.pid)]);
  const sums = new Map<string, number>();
  for (const each of [...all.filter((one) => one.pid === pid), ...below(pid)]) {
    const use = each.pid === pid ? "server" : useOf(each.command);
    sums.set(use, (sums.get(use) ?? 0) + each.time);
  }
  return sums;
}

/** What was used between two readings. */
export function timeBetween(before: ProcessorTime, after: ProcessorTime): ProcessorTime {
  if (before === undefined || after === undefined) return undefined;
  return new Map([...after].map(([use, time]) => [use, time - (before.get(use) ?? 0)]));
}

/** A function's process has for its argument what CloudFormation calls it, e.g. `TerminalApi-pingFunction0A1B2C3D`. */
function useOf(command: readonly string[]): string {
  if (command[0]?.endsWith("java")) return "DynamoDB Local";
  const [, name] = /-(\w+)Function[\dA-F]{8}\0/.exec(`${command.join("\0")}\0`) ?? [];
  return name === undefined ? "other" : `function ${name}`;
}

function processes(): Process[] | undefined {
  if (process.platform !== "linux") return undefined;
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        return [readProcess(Number(name))];
      } catch {
        // It has ended since.
        return [];
      }
    });
}

/** See proc_pid_stat(5): after the name in brackets come the state, the parent and, further on, the times. */
function readProcess(pid: number): Process {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [user, system] = [Number(fields[11]), Number(fields[12])];
  const command = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
  return { pid, parent: Number(fields[1]), time: (user + system) * tickMs, command };
}
