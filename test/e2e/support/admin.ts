import { execFile } from "node:child_process";
import { resolve } from "node:path";
import { promisify } from "node:util";
import { localRunner } from "./deployment.ts";

const run = promisify(execFile);

/** Runs the admin program on the local runner, as an operator would. */
export async function admin(...options: string[]): Promise<string> {
  const { stdout } = await run(
    process.execPath,
    ["bin/admin.ts", ...options, "--local", `${localRunner().port}`],
    { cwd: resolve(import.meta.dirname, "../../..") },
  );
  return stdout;
}
