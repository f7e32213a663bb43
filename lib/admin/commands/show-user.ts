import type { Command } from "commander";
import type { Admin } from "../admin.ts";
import { print } from "../output.ts";
import type { TargetOptions } from "../target.ts";
import { targeted } from "../targeted.ts";
import { readDetails } from "../user-details.ts";
import { userSheet } from "../user-sheet.ts";

export function showUser(program: Command, admin: Admin): void {
  targeted(
    program
      .command("show-user <id>")
      .description("Show a user's profile, the settings in force, and the addresses of their wallets.")
      .option("--json", "as a JSON object"),
  ).action(async (userID: string, { json, ...options }: TargetOptions & { json?: true }) => {
    const { table } = await admin.openTarget(options);
    const details = await readDetails(table, userID, admin.now());
    const lines = json ? [JSON.stringify(details, null, 2)] : userSheet(details);
    for (const line of lines) print(admin.stdout, line);
  });
}
