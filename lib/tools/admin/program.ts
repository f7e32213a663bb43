import { SSMClient } from "@aws-sdk/client-ssm";
import { Command, CommanderError } from "commander";
import { unlessSilent } from "../progress.ts";
import { blockUser, disconnectCommand, unblockUser } from "./commands/block-user.ts";
import { checkResting, rebuildTriggers } from "./commands/check-resting.ts";
import { createUser } from "./commands/create-user.ts";
import { deleteUser } from "./commands/delete-user.ts";
import { exportUser } from "./commands/export-user.ts";
import { listUsers } from "./commands/list-users.ts";
import { lockUser } from "./commands/lock-user.ts";
import { makePushKey } from "./commands/make-push-key.ts";
import { putRewards } from "./commands/put-rewards.ts";
import { record } from "./commands/record.ts";
import { fulfilCommand, listRedemptionsCommand, refundCommand } from "./commands/redemptions.ts";
import { restore } from "./commands/restore.ts";
import { rewrapKeys } from "./commands/rewrap-keys.ts";
import { setHostKeys } from "./commands/set-host-keys.ts";
import { setUser } from "./commands/set-user.ts";
import { showOrder } from "./commands/show-order.ts";
import { showSigned } from "./commands/show-signed.ts";
import { showUser } from "./commands/show-user.ts";
import { status } from "./commands/status.ts";
import { syncPlans } from "./commands/sync-plans.ts";
import { trading } from "./commands/trading.ts";
import {
  openLocal,
  openLocalConnections,
  openLocalFunctions,
  openLocalParameters,
  openLocalPlans,
} from "./local-target.ts";
import { errorLine } from "./operator-error.ts";
import { openDirectory } from "./pool-users.ts";
import { openStack, openStackConnections, openStackFunctions, openStackPlans } from "./stack-target.ts";
import { openStatus } from "./status/open-status.ts";
import type { AdminDeps } from "./target.ts";
import { announced, print } from "./terminal.ts";

const commands = [
  ...[createUser, setUser, showUser, listUsers, blockUser, unblockUser, disconnectCommand],
  ...[lockUser, exportUser, deleteUser],
  ...[putRewards, listRedemptionsCommand, fulfilCommand, refundCommand],
  ...[record, syncPlans, rewrapKeys, restore, setHostKeys, makePushKey],
  ...[status, trading, showOrder, showSigned, checkResting, rebuildTriggers],
];

/**
 * Opens the service that the command line names. Each function throws an {@link OperatorError} if that service does not
 * exist.
 */
export const targets: Omit<
  AdminDeps,
  "stdout" | "stderr" | "confirm" | "askSecret" | "interruption" | "now" | "pauseMs"
> = {
  openTarget: async ({ local, stack }) => (local === undefined ? openStack(stack) : openLocal(local)),
  openFunctions: async ({ local, stack }) =>
    local === undefined ? openStackFunctions(stack) : openLocalFunctions(local),
  openPlans: async ({ local, stack, apiStack }) =>
    local === undefined ? openStackPlans(stack, apiStack) : openLocalPlans(local),
  openConnections: async ({ local, stack, apiStack }) =>
    local === undefined ? openStackConnections(stack, apiStack) : openLocalConnections(local),
  // The local runner's issuer knows no users: it signs any token.
  openDirectory: async ({ local, stack }) => (local === undefined ? openDirectory(stack) : undefined),
  openParameters: async ({ local, region }) =>
    local === undefined ? new SSMClient({ ...(region && { region }) }) : openLocalParameters(local),
  openStatus,
};

/**
 * Runs a command.
 *
 * @returns the exit code: 0 for success, 1 for failure, 2 for wrong usage. Failures are explained on stderr.
 */
export async function runAdmin(args: readonly string[], deps: AdminDeps): Promise<number> {
  const program = new Command("npm run -s admin --")
    .description("Administers a trading terminal, a local or a deployed one.")
    .configureOutput({
      writeOut: (text) => deps.stdout.write(text),
      writeErr: (text) => deps.stderr.write(text),
    })
    .showHelpAfterError("(add --help for usage)")
    .exitOverride();
  let endProgress = () => {};
  program.hook("preAction", (_, chosen) => {
    endProgress = unlessSilent(deps.stderr, `${chosen.name()} is working`);
  });
  const ending = {
    ...deps,
    stdout: announced(deps.stdout, () => endProgress()),
    stderr: announced(deps.stderr, () => endProgress()),
    confirm: (question: string) => {
      endProgress();
      return deps.confirm(question);
    },
  };
  for (const add of commands) add(program, ending);

  try {
    await program.parseAsync(args, { from: "user" });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    const line = errorLine(error);
    if (line === undefined) throw error;
    endProgress();
    print(deps.stderr, `error: ${line}`);
    return 1;
  } finally {
    endProgress();
  }
}
