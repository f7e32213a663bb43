import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";

/** Kills a child that leads a process group, and every process that it has started. */
export function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch (error) {
    // It has already ended.
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

/** Ensures that no process outlives the runner, even if the runner is killed and cannot clean up. */
export type Reaper = {
  /** The child must lead a process group of its own (`detached`). The whole group ends with the runner. */
  watch(child: ChildProcess): void;
  /** Ends everything that is still watched. */
  close(): Promise<void>;
};

/**
 * Reads `+ <group>` for a process group that started and `- <group>` for one that ended. When the runner ends,
 * in whatever way, the operating system closes its pipes. The script's input then ends, and it kills every
 * group that is left.
 */
const SCRIPT = `
groups=
while read -r sign group; do
  others=
  for each in $groups; do
    [ "$each" = "$group" ] || others="$others $each"
  done
  groups=$others
  [ "$sign" = + ] && groups="$groups $group"
done
for each in $groups; do
  kill -s KILL -- "-$each" 2>/dev/null
done
`;

export function createReaper(): Reaper {
  // In its own process group: Ctrl-C in a terminal reaches the whole group of the runner, and the reaper must
  // outlive it.
  const shell = spawn("sh", ["-c", SCRIPT], { stdio: ["pipe", "ignore", "ignore"], detached: true });
  const gone = once(shell, "exit");
  // Writing fails if someone has killed the shell. The runner works without it.
  shell.stdin.on("error", () => {});

  return {
    watch(child) {
      shell.stdin.write(`+ ${child.pid}\n`);
      child.once("exit", () => shell.stdin.write(`- ${child.pid}\n`));
    },
    async close() {
      shell.stdin.end();
      await gone;
    },
  };
}
