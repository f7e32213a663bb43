import { spawn } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { Command, CommanderError, Option } from "commander";
import { errorLine, reasonOf } from "../../../../lib/tools/admin/operator-error.ts";
import { targeted } from "../../../../lib/tools/admin/options.ts";
import { apiStack, dataStack, type TargetOptions } from "../../../../lib/tools/admin/target.ts";
import { harmless, interruption, type Output, print } from "../../../../lib/tools/admin/terminal.ts";
import { showSteps } from "../../../../lib/tools/progress.ts";
import type { Run } from "./check.ts";
import { type Addresses, openService } from "./service.ts";
import { type Removal, signIn, type TokenVariables } from "./sign-in.ts";

type Options = TargetOptions & { dataStack: string; watchStack: string; edgeStack: string; quick?: true };

export type VerifyDeps = { stdout: Output; stderr: Output; env: TokenVariables };

/** Longest time for a run, in minutes, no matter what its checks wait for. */
const maxMinutes = 20;

/** Lets requests that Ctrl-C interrupted finish, so that the clean-up finds what they wrote. */
const settleMs = 3000;

const root = resolve(import.meta.dirname, "../../../..");

/**
 * `npm run verify`: checks the service's assumptions about AWS.
 *
 * @returns the exit code: 0 if no check failed, 1 if a check failed or the run was interrupted, 2 for wrong
 * usage.
 */
export async function runVerify(args: readonly string[], deps: VerifyDeps): Promise<number> {
  const { stdout, stderr } = deps;
  let code = 0;
  const program = targeted(new Command("npm run verify --"), apiStack)
    .description(
      "Checks the service's assumptions about AWS, as users that it creates and removes afterwards. " +
        `Takes about seven minutes, ${maxMinutes} at most, and costs about a cent.`,
    )
    .addOption(otherStack("--data-stack <name>", dataStack.example))
    .addOption(otherStack("--watch-stack <name>", "TerminalWatch"))
    .addOption(otherStack("--edge-stack <name>", "TerminalEdge"))
    .option("--quick", "skip checks that take longer than half a minute")
    .configureOutput({
      writeOut: (text) => stdout.write(text),
      writeErr: (text) => stderr.write(text),
    })
    .showHelpAfterError("(add --help for usage)")
    .allowExcessArguments(false)
    .exitOverride()
    .action(async (options: Options) => {
      code = await verify(options, deps);
    });
  try {
    await program.parseAsync(args, { from: "user" });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    const line = errorLine(error);
    if (line === undefined) throw error;
    print(stderr, `error: ${line}`);
    return 1;
  }
}

const otherStack = (flags: string, name: string) =>
  new Option(flags, "with --stack: the name of this other stack").default(name);

/** Replaces everything that looks like a token or a private key. */
export const withoutSecrets = (text: string): string =>
  text.replace(/\beyJ[\w.-]*/g, "[token]").replace(/\b(0x)?[0-9a-f]{64}\b/gi, "[key]");

async function verify(options: Options, { stdout, stderr, env }: VerifyDeps): Promise<number> {
  const { local, stack: api, dataStack: data, watchStack: watch, edgeStack: edge, quick = false } = options;
  const names = local === undefined ? { api, data, watch, edge } : { local };
  const progress = showSteps(stderr);
  const say = (line: string) => {
    progress.clear();
    print(stdout, harmless(withoutSecrets(line)));
  };
  const service = await openService(names);
  const { baseUrl, streamUrl } = service;
  const signal = AbortSignal.any([interruption(), AbortSignal.timeout(maxMinutes * 60_000)]);
  const toRemove: Removal[] = [];
  let isGood = false;
  let isClean = false;
  say(`Checking ${baseUrl}`);
  try {
    const startedAt = Date.now();
    progress.step("Signing in as two users");
    const { user, other, expiredToken } = await signIn(service, env, toRemove);
    const token = "token" in user ? user.token : "";
    const run: Run = {
      deployment: {
        baseUrl,
        streamUrl,
        allowedOrigin: undefined,
        tokens: { from: "environment", tokens: [token, token] },
      },
      names,
      startedAt,
      user,
      other,
      expiredToken,
      isQuick: quick,
    };
    progress.step("Running the checks, each of which prints a line when it is done");
    isGood = await runChecks(run, say, signal);
  } finally {
    progress.step("Removing the users");
    isClean = await clean(toRemove, say);
    progress.end();
  }
  nextSteps(service, { isGood, isLocal: local !== undefined }).forEach(say);
  return isGood && isClean ? 0 : 1;
}

/** @returns whether all checks ran and none failed. */
async function runChecks(run: Run, say: (line: string) => void, signal: AbortSignal): Promise<boolean> {
  const vitest = resolve(root, "node_modules/vitest/vitest.mjs");
  const child = spawn(process.execPath, [vitest, "run", "--config", "test/e2e/stage/vitest.config.ts"], {
    cwd: root,
    env: { ...process.env, NO_COLOR: "1", VERIFY_RUN: JSON.stringify(run) },
    stdio: ["ignore", "pipe", "pipe"],
    // Keeps Ctrl-C away from vitest, which would end before anything is removed. Only this process receives it.
    detached: true,
  });
  const end = () => child.kill("SIGKILL");
  signal.addEventListener("abort", end);
  if (signal.aborted) end();
  for (const output of [child.stdout, child.stderr]) createInterface(output).on("line", say);
  const [code] = await once(child, "close");
  if (!signal.aborted) return code === 0;
  say("The run was interrupted, or took too long. The remaining checks did not run.");
  await pause(settleMs);
  return false;
}

/** Removes everything in reverse order, even after a failed step. @returns whether nothing is left. */
export async function clean(toRemove: readonly Removal[], say: (line: string) => void): Promise<boolean> {
  let isClean = true;
  for (const { what, remove } of toRemove.toReversed()) {
    try {
      await remove();
      say(`removed ${what}`);
    } catch (error) {
      isClean = false;
      say(`FAIL  ${what} could not be removed: ${reasonOf(error)}`);
    }
  }
  return isClean;
}

export function nextSteps(
  { baseUrl, streamUrl }: Addresses,
  { isGood, isLocal }: { isGood: boolean; isLocal: boolean },
) {
  return [
    ...(isGood
      ? []
      : [
          "Not all checks passed. Send users here only after docs/verify-live.md explains the failure or it is fixed.",
        ]),
    ...(isLocal
      ? ["This was the local runner. After a deploy, run npm run verify -- --stack TerminalApi."]
      : [
          "Do the manual checks of docs/verify-live.md, and the skipped checks as their reasons explain.",
          `Run the end-to-end suite as docs/operations.md says: BASE_URL=${baseUrl} STREAM_URL=${streamUrl}`,
          "Run this again two days after a first deployment, when every alarm has a state.",
        ]),
  ].map((step) => `- ${step}`);
}
