/** `npm run -s token`: prints a token of the runner that is running, and nothing else. */
import { requestToken } from "cdk-local-runner";
import { Command } from "commander";
import { parseArguments, port, seconds } from "../lib/dev/arguments.ts";
import { fail } from "../lib/dev/failure.ts";

type Options = { user: string; username?: string; ref?: string; expiresIn: number; port: number };

const options = parseArguments<Options>(
  new Command("npm run -s token --")
    .description("Prints an access token for the service that runs on this machine.")
    .requiredOption("--user <id>", "whom it is for: the claim sub")
    .option("--username <name>", "the claim preferred_username")
    .option("--ref <code>", "the claim ref: the referral code of who brought this user")
    .option("--expires-in <seconds>", "how long it is good; negative: it has expired", seconds, 900)
    .option("--port <number>", "port of base_url", port, 3000),
);

try {
  const { user: sub, port: at, ...claims } = options;
  console.log(await requestToken(at, { sub, ...claims }));
} catch (error) {
  fail(error);
}
