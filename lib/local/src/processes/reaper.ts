import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";

/** Sees to it that no process outlives the runner, even when the runner is killed without a chance to tidy up. */
export type Reaper = {
  /** The child must lead a process group of its own (`detached`): all of the group is ended with the runner. */
  watch(child: ChildProcess): void;
  /** Ends what is still watched. */
  close(): Promise<void>;
};

/**
 * Reads `+ <group>` for a process group that began and `- <group>` for one that ended. The input ends when the runner does,
 * however it does, since the operating system closes its pipes; then everything that is left is killed.
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
  // A group of its own, for Ctrl-C in a terminal reaches all of the runner's group, and this one has to be the last.
  const shell = spawn("sh", ["-c", SCRIPT], { stdio: ["pipe", "ignore", "ignore"], detached: true });
  const gone = once(shell, "exit");
  // Writing fails when somebody has killed the shell. The runner works without it.
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
