import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { StartupError } from "cdk-local-runner";
import { createReaper } from "cdk-local-runner/testing";

/** Thrown when another program has taken the port of a chain. */
export class PortTakenError extends StartupError {}

/**
 * Matches error messages about ports. Surfpool panics in its WebSocket thread if only the port of the WebSocket is
 * taken.
 */
const portTaken = /already in use|'WebSocket RPC Handler' .*panicked/i;

export type ChainProcess = { address: string; processId: number; stop: () => Promise<void> };

/**
 * Starts a program, and waits until it prints the address on which it accepts calls. SIGTERM stops it, at the latest
 * when this process ends.
 *
 * @param name Name of the chain or its program in messages.
 * @throws PortTakenError if the program reports that its port is in use, even if it keeps running
 * @throws StartupError if it fails to start for another reason
 */
export async function startChainProcess(
  name: string,
  command: string,
  args: readonly string[],
): Promise<ChainProcess> {
  const reaper = createReaper();
  // Runs the program in its own process group, so that Ctrl-C in a terminal reaches only the runner.
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
  // Reads all output, because the program would block once its pipe is full.
  const output = createInterface({ input: stdout as NodeJS.ReadableStream });
  const address = await new Promise<string | undefined>((resolve) => {
    output.on("line", (line) => {
      const [, found] = /^Listening on (\S+)/.exec(line) ?? [];
      if (found !== undefined) resolve(found);
    });
    output.once("close", () => resolve(undefined));
    stderr?.on("data", (text) => {
      complaints.push(String(text));
      if (portTaken.test(complaints.join(""))) resolve(undefined);
    });
  });
  if (address !== undefined) return address;
  const reason = complaints.join("").trim().replaceAll(/\s+/g, " ");
  const Failure = portTaken.test(reason) ? PortTakenError : StartupError;
  throw new Failure(`${name} did not start: ${reason || "no reason given"}`);
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill("SIGTERM");
  await once(child, "exit");
}
