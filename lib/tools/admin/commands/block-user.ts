import { type Command, Option } from "commander";
import { acceptConnections, refuseConnections } from "../../../realtime/connection-records.ts";
import { disconnectUser } from "../../../realtime/disconnect.ts";
import { listedChange } from "../../../rewards/standing-records.ts";
import { retry } from "../../../table/retry.ts";
import type { Table } from "../../../table/table.ts";
import { singleOf, write } from "../../../table/write.ts";
import { OperatorError } from "../operator-error.ts";
import { targeted } from "../options.ts";
import { type AdminDeps, type ConnectionTarget, type PlanTargetOptions, streamStack } from "../target.ts";
import { print } from "../terminal.ts";
import { existingProfile } from "./set-user.ts";

export function blockUser(program: Command, deps: AdminDeps): void {
  ofConnections(
    program
      .command("block <id>")
      .description(
        "Reject a user's requests and end the user's connections. Takes up to a minute to apply everywhere.",
      ),
  ).action(async (userID: string, options: PlanTargetOptions) => {
    const target = await deps.openConnections(options);
    const { table } = target;
    await setBlockedAt(table, userID, deps.now(), true);
    // Authorizers cache users for up to a minute, and may admit more connections during that time.
    await refuseConnections(table, userID, deps.now());
    print(deps.stdout, `${userID} is blocked`);
    await disconnect(deps, target, userID);
  });
}

export function unblockUser(program: Command, deps: AdminDeps): void {
  targeted(program.command("unblock <id>").description("Unblock a user, within seconds.")).action(
    async (userID: string, options) => {
      const { table } = await deps.openTarget(options);
      await acceptConnections(table, userID);
      await setBlockedAt(table, userID, deps.now(), false);
      print(deps.stdout, `${userID} is not blocked`);
    },
  );
}

export function disconnectCommand(program: Command, deps: AdminDeps): void {
  ofConnections(
    program
      .command("disconnect <id>")
      .description("End a user's connections. The user may connect again; see block."),
  ).action(async (userID: string, options: PlanTargetOptions) => {
    const target = await deps.openConnections(options);
    await existingProfile(target.table, userID);
    await disconnect(deps, target, userID);
  });
}

const ofConnections = (command: Command) =>
  targeted(
    command.addOption(
      new Option("--api-stack <name>", "with --stack: the name of the deployed API stack")
        .default(streamStack.example)
        .conflicts("local"),
    ),
  );

/** @throws {OperatorError} if some connections could not be ended. */
async function disconnect(deps: AdminDeps, target: ConnectionTarget, userID: string): Promise<void> {
  const { ended, failed } = await disconnectUser({ ...target, now: deps.now }, userID);
  print(deps.stdout, `connections ended: ${ended}`);
  if (failed > 0) throw new OperatorError(`${failed} connections could not be ended; run the command again`);
}

const attempts = 5;

/**
 * @throws {OperatorError} if the user does not exist, or if the profile was changed by somebody else during each
 * attempt.
 */
async function setBlockedAt(table: Table, userID: string, now: Date, isBlocking: boolean): Promise<void> {
  const isSet = await retry(
    async () => {
      const profile = await existingProfile(table, userID);
      const isBlocked = profile.blockedAt !== undefined;
      // A deletion lifts its own block at the end, but not an operator's.
      const isOwn = profile.deletingSince === undefined;
      if (isBlocked === isBlocking && isOwn) return true;
      const since = isBlocking ? (profile.blockedAt ?? now.toISOString()) : undefined;
      const changes = { blockedAt: since, deletingSince: undefined };
      return (await write(table, singleOf(listedChange(profile, changes, now)))) || undefined;
    },
    { attempts },
  );
  if (!isSet) throw new OperatorError(`User ${userID} kept changing, and nothing was set; try again`);
}
