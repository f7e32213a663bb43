import { execFile } from "node:child_process";
import { resolve } from "node:path";
import { Writable } from "node:stream";
import { setTimeout } from "node:timers/promises";
import { promisify } from "node:util";
import { runAdmin, targets } from "../../../lib/tools/admin/program.ts";
import { localRunner } from "./deployment.ts";

const run = promisify(execFile);

const argumentsFor = (options: readonly string[]) => [...options, "--local", `${localRunner().port}`];

/**
 * Runs the admin program in this process, which is faster.
 *
 * @returns what it printed, or the errors if it failed. Drops its progress, which it shows on a busy machine, because
 * no test needs it.
 */
export async function outcomeOfAdmin(args: readonly string[]): Promise<{ status: number; output: string }> {
  const [printed, errors]: [string[], string[]] = [[], []];
  const collectIn = (output: string[]) =>
    new Writable({
      write(chunk, _, done) {
        output.push(String(chunk));
        done();
      },
    });
  const status = await runAdmin(args, {
    ...targets,
    stdout: collectIn(printed),
    stderr: collectIn(errors),
    confirm: async () => false,
    askSecret: () => Promise.reject(new Error("This run has no terminal")),
    interruption: () => new AbortController().signal,
    now: () => new Date(),
    pauseMs: (ms) => setTimeout(ms),
  });
  return { status, output: (status === 0 ? printed : [...printed, ...errors]).join("") };
}

/** Runs the admin program on the local runner in this process. @returns its output. */
export async function admin(...options: string[]): Promise<string> {
  const { status, output } = await outcomeOfAdmin(argumentsFor(options));
  if (status !== 0) throw new Error(output);
  return output;
}

/** Runs the admin program on the local runner in its own process, like an operator. @returns its output. */
export async function adminProcess(...options: string[]): Promise<string> {
  const cwd = resolve(import.meta.dirname, "../../..");
  const { stdout } = await run(process.execPath, ["bin/admin.ts", ...argumentsFor(options)], { cwd });
  return stdout;
}
