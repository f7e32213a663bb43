import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { Reaper } from "./processes/reaper.ts";
import { StartupError } from "./startup-error.ts";

export type Synthesis = {
  /** Folder of cdk.json. */
  project: string;
  /** Folder to write to. What it holds is replaced. */
  folder: string;
  /** Wins over the context of cdk.json. */
  context: Record<string, unknown>;
  reaper: Reaper;
};

/**
 * Runs the CDK app, as the CDK's own command line does.
 * @throws StartupError that ends with what the app had to say
 */
export async function synthesize({ project, folder, context, reaper }: Synthesis): Promise<void> {
  const configuration = JSON.parse(readFileSync(join(project, "cdk.json"), "utf8"));
  rmSync(folder, { recursive: true, force: true });
  const [, ...script] = configuration.app.split(" ");
  const app = spawn(process.execPath, script, {
    cwd: project,
    env: {
      ...process.env,
      CDK_OUTDIR: folder,
      CDK_CONTEXT_JSON: JSON.stringify({ ...configuration.context, ...context }),
    },
    stdio: ["ignore", "ignore", "pipe"],
    detached: true,
  });
  reaper.watch(app);
  const [complaint, [status]] = await Promise.all([text(app.stderr), once(app, "exit")]);
  if (status !== 0) {
    throw new StartupError(`The stacks cannot be synthesized (${configuration.app}):\n${complaint.trim()}`);
  }
}
