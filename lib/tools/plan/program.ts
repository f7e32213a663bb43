import { existsSync, readFileSync } from "node:fs";
import { Command } from "commander";
import cdk from "../../../cdk.json" with { type: "json" };
import { alarmWarnings } from "../../infra/alarm-context.ts";
import { ConfigurationError, readConfiguration } from "../../infra/config.ts";
import type { Configuration } from "../../infra/configuration.ts";
import { earningWarnings } from "../../infra/earning-context.ts";
import { marketWarnings } from "../../infra/market-context.ts";
import { chainsOf, tradingWarnings } from "../../infra/trading-context.ts";
import { errorLine, OperatorError } from "../admin/operator-error.ts";
import { type Context, runProgram, type Stdio, withContext } from "../runner/run-program.ts";
import { doubtsAbout, objectionsTo } from "./objections.ts";
import type { AccountQuotas, ReadQuotas } from "./read-quotas.ts";

export type PlanDeps = Stdio & { env: NodeJS.ProcessEnv; readQuotas: ReadQuotas };

type Options = { context: Context; offline?: true };

/**
 * `npm run plan`: checks what a deploy would check late. Says what it would deploy, and its cost.
 *
 * @returns the exit code: 0 if nothing stands against a deploy, 1 if something does, 2 for wrong usage.
 */
export async function runPlan(args: readonly string[], deps: PlanDeps): Promise<number> {
  const command = new Command("npm run plan --")
    .description(
      "Checks the configuration, the account and its region in a second, before anything is built. Then says what a deploy would make, and what it costs while nobody uses it. Changes nothing.",
    )
    .option("-c, --context <key=value...>", "context, as for a deploy", withContext, {})
    .option("--offline", "do not ask AWS about the account");
  let code = 0;
  const status = await runProgram<Options>(command, args, deps, async (options) => {
    code = await plan(options, deps);
  });
  return status === 0 ? code : status;
}

async function plan({ context: given, offline }: Options, { stdout, stderr, ...deps }: PlanDeps) {
  const print = (line: string) => void stdout.write(`${line}\n`);
  try {
    const { context, configuration } = configured(given);
    print(`Configuration: valid; ${summaryOf(configuration)}`);
    const warnings = [tradingWarnings, alarmWarnings, marketWarnings, earningWarnings].flatMap((warningsOf) =>
      warningsOf(configuration),
    );
    let objections: string[] = [];
    let region = deps.env.AWS_REGION;
    if (offline) print("Account: not asked");
    else {
      const account = await deps.readQuotas(deps.env, configuration.replicaRegion);
      region = account.region;
      print(quotaLineOf(account));
      objections = objectionsTo(configuration, account);
      warnings.push(...doubtsAbout(configuration, account));
    }
    for (const warning of warnings) print(`warning: ${warning}`);
    for (const objection of objections) stderr.write(`error: ${objection}\n`);
    if (objections.length > 0) return 1;
    // Loads the stacks last, because loading CDK takes seconds.
    const { describeStacks } = await import("./describe-stacks.ts");
    for (const line of describeStacks(context, region)) print(line);
    return 0;
  } catch (error) {
    const line = errorLine(error);
    if (line === undefined) throw error;
    stderr.write(`error: ${line}\n`);
    return 1;
  }
}

/** Names an account, its region and the quotas that matter. */
export const quotaLineOf = ({
  id,
  region,
  concurrentRuns,
  requestsPerSecond,
  keyNames,
}: AccountQuotas): string =>
  `Account ${id}, region ${region}: ${concurrentRuns} runs at once, ${requestsPerSecond} requests a second, ${keyNames.length} API keys`;

function summaryOf(configuration: Configuration): string {
  const { trading, markets, earning, walletExport, issuer, replicaRegion } = configuration;
  const chains = chainsOf(trading);
  return [
    chains.length === 0 ? "trading off" : `trading on ${chains.join(", ")}`,
    `markets ${markets ? "on" : "off"}`,
    `earning ${earning ? "on" : "off"}`,
    `export ${walletExport ? "on" : "off"}`,
    issuer === undefined ? "users in a Cognito pool" : `users of ${issuer.issuer}`,
    replicaRegion === undefined ? "no replica" : `a replica in ${replicaRegion}`,
  ].join(", ");
}

/**
 * Checks the configuration and the account of a deploy.
 *
 * @throws {OperatorError} if the account cannot bear the configuration.
 */
export async function checkedAccount(
  given: Context,
  { env, readQuotas }: Pick<PlanDeps, "env" | "readQuotas">,
): Promise<AccountQuotas> {
  const { configuration } = configured(given);
  const account = await readQuotas(env, configuration.replicaRegion);
  const objections = objectionsTo(configuration, account);
  if (objections.length > 0) throw new OperatorError(objections.join("\n"));
  return account;
}

/** A valid context, and the configuration that it makes. */
type Configured = { context: Values; configuration: Configuration };

type Values = Readonly<Record<string, unknown>>;

/** Merges contexts as CDK does: the command line counts before cdk.json, and that before cdk.context.json. */
export const mergedContext = (given: Values, project: Values, kept: Values): Values => ({
  ...kept,
  ...project,
  ...given,
});

/**
 * Reads the context that a deploy would have.
 *
 * @throws {OperatorError} if a key is unknown or a value is invalid.
 */
function configured(given: Values): Configured {
  const stored = new URL("../../../cdk.context.json", import.meta.url);
  const kept = existsSync(stored) ? (JSON.parse(readFileSync(stored, "utf8")) as Values) : {};
  const context = mergedContext(given, cdk.context, kept);
  try {
    return { context, configuration: readConfiguration({ getAllContext: () => context }) };
  } catch (error) {
    if (error instanceof ConfigurationError) throw new OperatorError(error.message);
    throw error;
  }
}
