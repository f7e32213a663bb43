import { styleText } from "node:util";
import { Command, CommanderError, Option } from "commander";
import { errorLine, reasonOf } from "../admin/operator-error.ts";
import { targeted } from "../admin/options.ts";
import { apiStack, dataStack, type TargetOptions } from "../admin/target.ts";
import { harmless, type Output, print } from "../admin/terminal.ts";
import { CallLimit, maxCalls } from "./call-limit.ts";
import { byHand, type CheckGroup, Refuted, Skip } from "./check.ts";
import { accountChecks } from "./checks/account-checks.ts";
import { changeChecks } from "./checks/change-checks.ts";
import { connectionChecks } from "./checks/connection-checks.ts";
import { edgeChecks } from "./checks/edge-checks.ts";
import { planChecks } from "./checks/plan-checks.ts";
import { requestChecks } from "./checks/request-checks.ts";
import { tradingChecks } from "./checks/trading-checks.ts";
import { walletChecks } from "./checks/wallet-checks.ts";
import { watchChecks } from "./checks/watch-checks.ts";
import { CleanUp } from "./clean-up.ts";
import { nextSteps, verdictLines } from "./report.ts";
import { Run } from "./run.ts";
import { runChecks } from "./run-checks.ts";
import { Secrets } from "./secrets.ts";
import { openLocalService, openStackService, type Service } from "./service.ts";
import type { TokenVariables } from "./sign-in.ts";

type Options = TargetOptions & { dataStack: string; watchStack: string; edgeStack: string; quick?: true };

export type VerifyDeps = {
  stdout: Output;
  stderr: Output;
  env: TokenVariables;
  openService(options: Options, env: TokenVariables, limit: CallLimit): Promise<Service>;
  interruption(): AbortSignal;
};

const recoveryChecks: CheckGroup<unknown> = {
  title: "Recovery",
  checks: [
    byHand("`admin restore` puts back items from a table made by point-in-time recovery"),
    byHand(
      "A change between the user pool and another issuer deploys, in both directions, and the pool keeps its users",
    ),
    byHand("A failed first deploy of TerminalData leaves nothing behind"),
  ],
};

/** Each group may build on what those before it have made: the user, then a wallet, then a key. */
export const checkGroups: readonly CheckGroup<Run>[] = [
  requestChecks,
  accountChecks,
  connectionChecks,
  edgeChecks,
  walletChecks,
  tradingChecks,
  changeChecks,
  planChecks,
  watchChecks,
  recoveryChecks,
];

/** Opens the service that the command line names. */
export const openService: VerifyDeps["openService"] = async (options, env, limit) => {
  const { local, stack, dataStack: data, watchStack: watch, edgeStack: edge } = options;
  return local === undefined
    ? openStackService({ api: stack, data, watch, edge }, env, limit)
    : openLocalService(local, limit);
};

/**
 * `npm run verify`: checks what the service assumes of AWS.
 *
 * @returns the exit code: 0 if no check failed, 1 if one did or the run was interrupted, 2 for wrong usage.
 */
export async function runVerify(args: readonly string[], deps: VerifyDeps): Promise<number> {
  const { stdout, stderr } = deps;
  let code = 0;
  const program = targeted(new Command("npm run verify --"), apiStack)
    .description(
      "Checks what the service assumes of AWS, as a user made for it, whom it removes afterwards. " +
        `Makes at most ${maxCalls} calls, which cost less than a dollar.`,
    )
    .addOption(otherStack("--data-stack <name>", dataStack.example))
    .addOption(otherStack("--watch-stack <name>", "TerminalWatch"))
    .addOption(otherStack("--edge-stack <name>", "TerminalEdge"))
    .option("--quick", "leave out the checks that take longer than half a minute")
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

async function verify(options: Options, { stdout, env, interruption, ...deps }: VerifyDeps): Promise<number> {
  const limit = new CallLimit();
  const secrets = new Secrets();
  const cleanUp = new CleanUp();
  const service = await deps.openService(options, env, limit);
  const signal = interruption();
  const say = (line: string) => print(stdout, harmless(secrets.hide(line)));
  say(`Checking ${service.baseUrl}`);
  const verdicts = await runChecks(checkGroups, {
    given: new Run({ service, cleanUp, secrets, limit, signal }),
    ...{ cleanUp, signal, quick: options.quick ?? false },
    explain: (error) => (error instanceof Refuted || error instanceof Skip ? error.message : reasonOf(error)),
    onGroup: (title) => print(stdout, `\n${styleText("bold", title, { stream: stdout })}`),
    onVerdict: (verdict) => verdictLines(verdict).forEach(say),
    onCleanUp: (what) => {
      limit.lift();
      say(`  removing ${what}`);
    },
  });
  print(stdout, "");
  nextSteps(verdicts, { isLocal: service.deployed === undefined, calls: limit.made }).forEach(say);
  return signal.aborted || verdicts.some(({ outcome }) => outcome === "failed") ? 1 : 0;
}
