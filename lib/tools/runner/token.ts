import { requestToken, StartupError } from "cdk-local-runner";
import { Command, Option } from "commander";
import {
  askNewPassword,
  askSecret,
  codeQuestion,
  newPasswordQuestion,
  passwordQuestion,
} from "../admin/ask-secret.ts";
import { errorLine } from "../admin/operator-error.ts";
import { openUserPool, signIn } from "../admin/pool-users.ts";
import { port, runProgram, type Stdio, seconds } from "./run-program.ts";

type Options = {
  user: string;
  username?: string;
  ref?: string;
  expiresIn: number;
  signedInSecondsAgo?: number;
  port: number;
  stack?: string;
};

/** Runs `npm run -s token`, which prints only an access token, for the local service or a deployed one. */
export function main(args: readonly string[], stdio: Stdio): Promise<number> {
  const ofRunner = ["username", "ref", "expiresIn", "signedInSecondsAgo", "port"];
  const command = new Command("npm run -s token --")
    .description(
      "Prints an access token for the service that runs on this machine, or with --stack for a deployed one that has its " +
        "own user pool. With --stack, TERMINAL_PASSWORD is the password; without it, the program asks for one.",
    )
    .requiredOption("--user <id>", "the user's id: the claim sub; with --stack, the user's email address")
    .option("--username <name>", "the user's name: the claim preferred_username")
    .option("--ref <code>", "the referral code of the user's referrer: the claim ref")
    .option("--expires-in <seconds>", "lifetime; a negative one makes an expired token", seconds, 900)
    .option("--signed-in-seconds-ago <seconds>", "age of the sign-in, as after a refresh", seconds)
    .option("--port <number>", "port of base_url", port, 3000)
    .addOption(
      new Option("--stack <name>", "the name of a deployed data stack, such as TerminalData").conflicts(
        ofRunner,
      ),
    );

  return runProgram<Options>(command, args, stdio, async ({ user, port, stack, ...claims }) => {
    const token =
      stack === undefined ? await requestToken(port, { sub: user, ...claims }) : await tokenOf(stack, user);
    stdio.stdout.write(`${token}\n`);
  });
}

/**
 * Signs in to a stack's user pool, with secrets from the environment or the terminal.
 * @throws {StartupError} if that fails
 */
async function tokenOf(stack: string, user: string): Promise<string> {
  try {
    return await signIn(await openUserPool(stack), user, {
      password: () => askSecret(passwordQuestion),
      newPassword: () => askNewPassword(newPasswordQuestion),
      code: () => askSecret(codeQuestion),
    });
  } catch (error) {
    const line = errorLine(error);
    if (line === undefined) throw error;
    throw new StartupError(line);
  }
}
