import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { Command } from "commander";
import { errorLine } from "../admin/operator-error.ts";
import { type Context, runProgram, type Stdio, withContext } from "../runner/run-program.ts";
import { setConsoleAddress } from "./console-address.ts";
import { checkedAccount, quotaLineOf } from "./program.ts";
import type { ReadQuotas } from "./read-quotas.ts";
import { isStackDeployed, rollbackTriggers, watchedMinutes } from "./rollback-triggers.ts";

const root = resolve(import.meta.dirname, "../../..");

export type DeployDeps = Stdio & {
  env: NodeJS.ProcessEnv;
  readQuotas: ReadQuotas;
  /** Runs the CDK CLI with these arguments, and returns its exit code. */
  cdk: (args: readonly string[]) => Promise<number>;
};

type Options = { context: Context; profile?: string; rollbackTriggers: boolean };

/**
 * `npm run deploy`: checks the account, names it, and deploys all stacks. CloudFormation rolls the stack of the
 * functions back if an alarm of trading is raised within minutes. The last step tells the user pool the console's address.
 *
 * @returns the exit code: that of CDK, 1 if the account cannot bear the deployment, 2 for wrong usage.
 */
export async function runDeploy(args: readonly string[], deps: DeployDeps): Promise<number> {
  const command = new Command("npm run deploy --")
    .description(
      "Deploys all stacks. Passes other options on to cdk deploy, such as --require-approval never.",
    )
    .option("-c, --context <key=value...>", "context", withContext, {})
    .option("--profile <name>", "the profile of AWS, instead of AWS_PROFILE")
    .option("--no-rollback-triggers", "do not roll back for alarms, for example to deploy a fix")
    .argument("[options...]", "options of cdk deploy")
    .allowUnknownOption();
  let code = 0;
  const status = await runProgram(command, args, deps, async () => {
    code = await deploy(command.opts<Options>(), command.args, deps);
  });
  return status === 0 ? code : status;
}

async function deploy(
  { context, profile, rollbackTriggers: hasTriggers }: Options,
  others: readonly string[],
  { stdout, stderr, env, readQuotas, cdk }: DeployDeps,
): Promise<number> {
  const say = (line: string) => void stdout.write(`${line}\n`);
  // Sets the variable that the SDK and the CDK CLI both read.
  if (profile !== undefined) env.AWS_PROFILE = profile;
  try {
    const account = await checkedAccount(context, { env, readQuotas });
    say(`Deploying to ${quotaLineOf(account)}`);
    const given = Object.entries(context).flatMap(([key, value]) => ["-c", `${key}=${value}`]);
    const finish = async (code: number): Promise<number> => {
      if (code === 0) for (const line of await setConsoleAddress()) say(line);
      return code;
    };
    if (!(await isStackDeployed("TerminalApi"))) {
      say("This is the first deploy, so no alarm can roll it back");
      return await finish(await cdk(["deploy", "--all", ...given, ...others]));
    }
    const triggers = hasTriggers ? await rollbackTriggers("TerminalWatch") : [];
    say(
      triggers.length > 0
        ? `CloudFormation rolls TerminalApi back if one of these alarms is raised within ${watchedMinutes} minutes: ${triggers.map((arn) => arn.split(":alarm:")[1]).join(", ")}`
        : "No alarm rolls this deploy back",
    );
    return await finish(await deployInSteps({ given, others, triggers }, cdk));
  } catch (error) {
    const line = errorLine(error);
    if (line === undefined) throw error;
    stderr.write(`error: ${line}\n`);
    return 1;
  }
}

type Steps = { given: readonly string[]; others: readonly string[]; triggers: readonly string[] };

/** Deploys TerminalApi by itself, because CDK sets the same triggers on all stacks of a run. */
async function deployInSteps({ given, others, triggers }: Steps, cdk: DeployDeps["cdk"]): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), "deploy-"));
  const app = ["--app", folder];
  // CloudFormation keeps the triggers of the last deploy unless it is told that there are none.
  const watched =
    triggers.length === 0
      ? ["--rollback-trigger-alarm-arns", "none"]
      : [
          ...triggers.flatMap((arn) => ["--rollback-trigger-alarm-arns", arn]),
          ...["--monitoring-time-minutes", `${watchedMinutes}`],
        ];
  try {
    const steps = [
      ["synth", "--quiet", "--output", folder, ...given],
      ["deploy", ...app, "TerminalData", ...others],
      ["deploy", ...app, "TerminalApi", "--exclusively", ...watched, ...others],
      ["deploy", ...app, "--all", ...others],
    ];
    for (const step of steps) {
      const code = await cdk(step);
      if (code !== 0) return code;
    }
    return 0;
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Runs the CDK CLI of this project on the terminal of this program. */
export async function runCdk(args: readonly string[]): Promise<number> {
  const cli = fileURLToPath(import.meta.resolve("aws-cdk/bin/cdk"));
  const child = spawn(process.execPath, [cli, ...args], { cwd: root, stdio: "inherit" });
  // Leaves Ctrl-C to CDK, which gets it too. This process has to stay until CDK has stopped.
  const ignore = () => {};
  process.on("SIGINT", ignore);
  const [code] = await once(child, "exit");
  process.off("SIGINT", ignore);
  return code ?? 1;
}
