import { type Command, InvalidArgumentError } from "commander";
import { askNewPassword } from "../ask-secret.ts";
import { createPoolUser, openUserPool } from "../pool-users.ts";
import type { AdminDeps } from "../target.ts";
import { print } from "../terminal.ts";

type Options = { stack: string; mail: boolean };

export function createUser(program: Command, deps: AdminDeps): void {
  program
    .command("create-user")
    .argument("<email>", "the address that the user signs in with", emailAddress)
    .description(
      "Add a user to a stack's own user pool. Cognito mails them a temporary password, which is valid for a day. " +
        "A local runner needs no users: it issues tokens for any name.",
    )
    .requiredOption("--stack <name>", "the name of a deployed data stack, such as TerminalData")
    .option(
      "--no-mail",
      "send no mail: the command asks for the temporary password, or takes it from TERMINAL_PASSWORD",
    )
    .action(async (email: string, { stack, mail }: Options) => {
      const pool = await openUserPool(stack);
      const question = { prompt: "Temporary password", variable: "TERMINAL_PASSWORD" };
      const temporaryPassword = mail ? undefined : await askNewPassword(question);
      const userID = await createPoolUser(pool, { email, temporaryPassword });
      print(deps.stdout, `created ${email} with the userID ${userID}`);
    });
}

function emailAddress(text: string): string {
  if (/^[^\s@]+@[^\s@]+$/.test(text)) return text;
  throw new InvalidArgumentError("It must be an email address.");
}
