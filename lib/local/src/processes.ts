import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";

/** Kills a child that leads a process group, and all its descendants in the group. */
export function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch (error) {
    // Ignores a process that has already ended.
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

/** Ensures that no process outlives the runner, even if the runner is killed and cannot clean up. */
export type Reaper = {
  /**
   * Watches a child and its process group, which the child must lead (`detached`). The group ends with the runner.
   *
   * @param signal `TERM` for a process that has something to save. It is killed if that takes more than five seconds.
   */
  watch: (child: ChildProcess, signal?: EndSignal) => void;
  /** Ends all process groups that are still watched. */
  close(): Promise<void>;
};

/** Signal with which the reaper ends a process group. */
export type EndSignal = "KILL" | "TERM";

/**
 * Reads lines: `KILL <group>` or `TERM <group>` when a process group has started, with the signal to end it, and `-
 * <group>` when it has ended. However the runner ends, the operating system closes its pipes. The script's input then
 * ends, and it signals every remaining group. Its argument is the time to wait after that, in tenths of a second.
 */
const SCRIPT = `
groups=
while read -r sign group; do
  others=
  for each in $groups; do
    [ "\${each#*-}" = "$group" ] || others="$others $each"
  done
  groups=$others
  [ "$sign" = - ] || groups="$groups $sign-$group"
done
for each in $groups; do
  kill -s "\${each%%-*}" -- "-\${each#*-}" 2>/dev/null
done
tries=$1
for each in $groups; do
  while [ "$tries" -gt 0 ] && kill -s 0 -- "-\${each#*-}" 2>/dev/null; do
    sleep 0.1
    tries=$((tries - 1))
  done
  kill -s KILL -- "-\${each#*-}" 2>/dev/null
done
`;

export function createReaper({ saveSeconds = 5 } = {}): Reaper {
  // Starts a separate process group, so that the reaper outlives the runner: Ctrl-C in a terminal reaches the runner's
  // whole group.
  const shell = spawn("sh", ["-c", SCRIPT, "reaper", `${saveSeconds * 10}`], {
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
  });
  const gone = once(shell, "exit");
  // Ignores failed writes after the shell was killed. The runner works without it.
  shell.stdin.on("error", () => {});

  return {
    watch(child, signal = "KILL") {
      shell.stdin.write(`${signal} ${child.pid}\n`);
      child.once("exit", () => shell.stdin.write(`- ${child.pid}\n`));
    },
    async close() {
      shell.stdin.end();
      await gone;
    },
  };
}
