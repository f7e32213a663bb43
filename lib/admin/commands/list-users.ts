import type { Command } from "commander";
import type { Table } from "../../aws/table.ts";
import { everyProfile } from "../../aws/table-keys.ts";
import type { Admin } from "../admin.ts";
import { jsonLines } from "../json-lines.ts";
import { printEach } from "../output.ts";
import { scan } from "../scan.ts";
import type { TargetOptions } from "../target.ts";
import { targeted } from "../targeted.ts";
import { type Summarized, summaryAttributes, summaryOf, type UserSummary } from "../user-summary.ts";
import { userTable } from "../user-table.ts";

export function listUsers(program: Command, admin: Admin): void {
  targeted(
    program
      .command("list-users")
      .description("List all users, in no order. It reads the whole table.")
      .option("--json", "a JSON array, a user a line"),
  ).action(async ({ json, ...options }: TargetOptions & { json?: true }) => {
    const { table } = await admin.openTarget(options);
    const users = everyUser(table);
    await printEach(admin.stdout, json ? jsonLines(users) : userTable(users));
  });
}

async function* everyUser(table: Table): AsyncGenerator<UserSummary> {
  for await (const profile of scan<Summarized>(table, everyProfile, summaryAttributes)) {
    yield summaryOf(profile);
  }
}
