import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { StartupError } from "cdk-local-runner";
import { createReaper } from "cdk-local-runner/testing";

export type ChainProcess = { address: string; processId: number; stop(): Promise<void> };

/**
 * Starts a program that prints the address on which it listens, as soon as it accepts calls. It gets SIGTERM when it is
 * to stop, and when this process ends.
 *
 * @param name Names the chain or its program in messages.
 * @throws StartupError if it does not start
 */
export async function startChainProcess(
  name: string,
  command: string,
  args: readonly string[],
): Promise<ChainProcess> {
  const reaper = createReaper();
  // Runs in its own process group, so that Ctrl-C in a terminal reaches only the runner.
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"], detached: true });
  reaper.watch(child, "TERM");
  try {
    return {
      address: await listening(name, child),
      processId: child.pid as number,
      async stop() {
        await ended(child);
        await reaper.close();
      },
    };
  } catch (error) {
    await reaper.close();
    throw error;
  }
}

async function listening(name: string, { stdout, stderr }: ChildProcess): Promise<string> {
  const complaints: string[] = [];
  stderr?.on("data", (text) => complaints.push(String(text)));
  // The program keeps printing, and would stop one day if nobody read its output.
  const output = createInterface({ input: stdout as NodeJS.ReadableStream });
  const address = await new Promise<string | undefined>((resolve) => {
    output.on("line", (line) => {
      const [, found] = /^Listening on (\S+)/.exec(line) ?? [];
      if (found !== undefined) resolve(found);
    });
    output.once("close", () => resolve(undefined));
  });
  if (address !== undefined) return address;
  const reason = complaints.join("").trim().replaceAll(/\s+/g, " ");
  throw new StartupError(`${name} did not start: ${reason || "no reason given"}`);
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill("SIGTERM");
  await once(child, "exit");
}
