import { Command, CommanderError } from "commander";
import type { Admin } from "./admin.ts";
import { listUsers } from "./commands/list-users.ts";
import { putRewards } from "./commands/put-rewards.ts";
import { record } from "./commands/record.ts";
import { rewrapKeys } from "./commands/rewrap-keys.ts";
import { setUser } from "./commands/set-user.ts";
import { showUser } from "./commands/show-user.ts";
import { syncPlans } from "./commands/sync-plans.ts";
import { errorLine } from "./error-line.ts";
import { print } from "./output.ts";

/** Each adds itself to the program. */
const commands = [setUser, putRewards, record, listUsers, showUser, syncPlans, rewrapKeys];

/**
 * Runs the command of these arguments.
 *
 * @returns the exit code: 0 done, 1 failed, 2 wrong usage. Why, stands on stderr.
 */
export async function runAdmin(args: readonly string[], admin: Admin): Promise<number> {
  const program = new Command("npm run -s admin --")
    .description("Administers a trading terminal: a local one, or one that is deployed.")
    .configureOutput({
      writeOut: (text) => admin.stdout.write(text),
      writeErr: (text) => admin.stderr.write(text),
    })
    .showHelpAfterError("(--help shows how it is used)")
    .exitOverride();
  for (const add of commands) add(program, admin);

  try {
    await program.parseAsync(args, { from: "user" });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    const line = errorLine(error);
    if (line === undefined) throw error;
    print(admin.stderr, `error: ${line}`);
    return 1;
  }
}
