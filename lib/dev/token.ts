import { requestToken } from "cdk-local-runner";
import { Command } from "commander";
import { port, runProgram, type Stdio, seconds } from "./run-program.ts";

type Options = { user: string; username?: string; ref?: string; expiresIn: number; port: number };

/** `npm run -s token`: prints an access token for the service that runs on this machine, and nothing else. */
export function main(args: readonly string[], stdio: Stdio): Promise<number> {
  const command = new Command("npm run -s token --")
    .description("Prints an access token for the service that runs on this machine.")
    .requiredOption("--user <id>", "the user's id: the claim sub")
    .option("--username <name>", "the user's name: the claim preferred_username")
    .option("--ref <code>", "the referral code of the user's referrer: the claim ref")
    .option("--expires-in <seconds>", "lifetime; a negative one makes an expired token", seconds, 900)
    .option("--port <number>", "port of base_url", port, 3000);

  return runProgram<Options>(command, args, stdio, async ({ user, port, ...claims }) => {
    stdio.stdout.write(`${await requestToken(port, { sub: user, ...claims })}\n`);
  });
}
