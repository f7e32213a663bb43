import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { assemblyKey, isCurrent, keepKey, removeKey } from "./assembly-key.ts";
import type { Reaper } from "./processes.ts";
import { StartupError } from "./startup-error.ts";

export type Synthesis = {
  /** Folder of cdk.json. */
  project: string;
  /** Folder to write to. Its content is replaced. */
  folder: string;
  /** Overrides the context of cdk.json. */
  context: Record<string, unknown>;
  /**
   * All files and folders of the project that the assembly depends on, except cdk.json. The assembly is reused if
   * these, the context and the version of Node are unchanged. Without this list, it is never reused.
   */
  sources?: readonly string[];
  reaper: Reaper;
};

/**
 * Runs the CDK app as CDK's own command line does.
 *
 * @returns "reused" if the folder already holds the result
 * @throws {StartupError} if the app fails; the message ends with the app's error output
 */
export async function synthesize(synthesis: Synthesis): Promise<"synthesized" | "reused"> {
  const { project, folder, context, sources, reaper } = synthesis;
  const configuration = JSON.parse(readFileSync(join(project, "cdk.json"), "utf8"));
  const environment = { CDK_CONTEXT_JSON: JSON.stringify({ ...configuration.context, ...context }) };
  const key = () => sources && assemblyKey(project, ["cdk.json", ...sources], environment);

  const before = key();
  if (before !== undefined && isCurrent(folder, before)) return "reused";
  removeKey(folder);
  rmSync(folder, { recursive: true, force: true });
  await run(configuration.app, project, { ...environment, CDK_OUTDIR: folder }, reaper);
  // Stores no key if a source changed during the run, because the version read by the app is unknown.
  if (before !== undefined && key() === before) keepKey(folder, before);
  return "synthesized";
}

async function run(
  command: string,
  cwd: string,
  environment: NodeJS.ProcessEnv,
  reaper: Reaper,
): Promise<void> {
  const [, ...script] = command.split(" ");
  const app = spawn(process.execPath, script, {
    cwd,
    // Skips CDK's check of the templates, which takes half of the time: a runner deploys nothing.
    env: { ...process.env, ...environment, CDK_VALIDATION: "false" },
    stdio: ["ignore", "ignore", "pipe"],
    detached: true,
  });
  reaper.watch(app);
  const [errorOutput, [status]] = await Promise.all([text(app.stderr), once(app, "exit")]);
  if (status !== 0) {
    throw new StartupError(`The stacks cannot be synthesized (${command}):\n${errorOutput.trim()}`);
  }
}
