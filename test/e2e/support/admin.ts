import { execFile } from "node:child_process";
import { resolve } from "node:path";
import { Writable } from "node:stream";
import { promisify } from "node:util";
import { runAdmin, targets } from "../../../lib/tools/admin/program.ts";
import { localRunner } from "./deployment.ts";

const run = promisify(execFile);

const argumentsFor = (options: readonly string[]) => [...options, "--local", `${localRunner().port}`];

/** Runs the admin program on the local runner in this process, which is faster. @returns its output. */
export async function admin(...options: string[]): Promise<string> {
  const output: string[] = [];
  const collect = () =>
    new Writable({
      write(chunk, _, done) {
        output.push(String(chunk));
        done();
      },
    });
  const code = await runAdmin(argumentsFor(options), {
    ...targets,
    stdout: collect(),
    stderr: collect(),
    interruption: () => new AbortController().signal,
    now: () => new Date(),
  });
  if (code !== 0) throw new Error(output.join(""));
  return output.join("");
}

/** Runs the admin program on the local runner in its own process, like an operator. @returns its output. */
export async function adminProcess(...options: string[]): Promise<string> {
  const cwd = resolve(import.meta.dirname, "../../..");
  const { stdout } = await run(process.execPath, ["bin/admin.ts", ...argumentsFor(options)], { cwd });
  return stdout;
}
