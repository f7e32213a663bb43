import type { Command } from "commander";
import { lockFirmly } from "../../../wallets/export/lock-exports.ts";
import { targeted } from "../options.ts";
import type { AdminDeps } from "../target.ts";
import { print } from "../terminal.ts";
import { existingProfile } from "./set-user.ts";

export function lockUser(program: Command, deps: AdminDeps): void {
  targeted(
    program
      .command("lock-user <id>")
      .description(
        "Lock a user's exports, like POST /api/v2/lock: pending exports end at once. The user can unlock them after the whole delay.",
      ),
  ).action(async (userID: string, options) => {
    const { table } = await deps.openTarget(options);
    await existingProfile(table, userID);
    await lockFirmly(table, { userID, now: deps.now() });
    print(deps.stdout, `Exports of ${userID} are locked`);
  });
}
