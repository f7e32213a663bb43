import { readdirSync, readFileSync } from "node:fs";

/** Processor time in milliseconds by use. Undefined on systems other than Linux. */
export type ProcessorTime = Map<string, number> | undefined;

/** Milliseconds of a /proc clock tick on every Linux that Node supports. */
const tickMs = 10;

type Process = { pid: number; parent: number; timeMs: number; command: string[] };

/** Reads the processor time used so far by a process and its living descendants. */
export function processorTime(pid: number): ProcessorTime {
  const all = processes();
  if (all === undefined) return undefined;
  const sums = new Map<string, number>();
  for (const each of [...all.filter((one) => one.pid === pid), ...below(pid, all)]) {
    const use = each.pid === pid ? "server" : useOf(each.command);
    sums.set(use, (sums.get(use) ?? 0) + each.timeMs);
  }
  return sums;
}

const below = (above: number, all: readonly Process[]): Process[] =>
  all.filter(({ parent }) => parent === above).flatMap((child) => [child, ...below(child.pid, all)]);

/** Lists the living processes of functions, with the names of the functions. */
export const functionProcesses = (pid: number): { pid: number; name: string }[] =>
  below(pid, processes() ?? []).flatMap((each) => {
    const use = useOf(each.command);
    return use.startsWith("function ") ? [{ pid: each.pid, name: use.slice("function ".length) }] : [];
  });

/** Returns the processor time used between two measurements. */
export function timeBetween(before: ProcessorTime, after: ProcessorTime): ProcessorTime {
  if (before === undefined || after === undefined) return undefined;
  return new Map([...after].map(([use, time]) => [use, time - (before.get(use) ?? 0)]));
}

/**
 * Finds a function's process by the physical name among its arguments, e.g. `TerminalApi-pingFunction0A1B2C3D`, or
 * `TerminalApi-markets-readMarkets` for a function with a custom name.
 */
function useOf(command: readonly string[]): string {
  if (command[0]?.endsWith("java")) return "DynamoDB Local";
  const [, generated, own] =
    /-(?:(\w+)Function[\dA-F]{8}|\w+-(readChains|readMarkets))\0/.exec(`${command.join("\0")}\0`) ?? [];
  const name = generated ?? own;
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
        // Skips a process that has already exited.
        return [];
      }
    });
}

/**
 * Parses /proc/[pid]/stat as described in proc_pid_stat(5): after the name in brackets come the state, the parent and,
 * later, the times.
 */
function readProcess(pid: number): Process {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [user, system] = [Number(fields[11]), Number(fields[12])];
  const command = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
  return { pid, parent: Number(fields[1]), timeMs: (user + system) * tickMs, command };
}
