import type { Command } from "commander";
import type { Table } from "../../../table/table.ts";
import { everyProfile } from "../../../users/item-keys.ts";
import { levelAt } from "../../../users/level.ts";
import type { Profile } from "../../../users/profile.ts";
import { targeted } from "../options.ts";
import { scan } from "../scan.ts";
import type { AdminDeps, TargetOptions } from "../target.ts";
import { harmless, printEach } from "../terminal.ts";

export function listUsers(program: Command, deps: AdminDeps): void {
  targeted(
    program
      .command("list-users")
      .description("List all users, unsorted. Reads the whole table.")
      .option("--json", "as a JSON array with a user per line"),
  ).action(async ({ json, ...options }: TargetOptions & { json?: true }) => {
    const { table } = await deps.openTarget(options);
    const users = everyUser(table);
    await printEach(deps.stdout, json ? jsonLines(users) : userTable(users));
  });
}

const summaryAttributes = [
  "userID",
  "username",
  "tier",
  "experience",
  "points",
  "walletCount",
  "usersReferred",
  "lastVisited",
] as const satisfies (keyof Profile)[];

type Summarized = Pick<Profile, (typeof summaryAttributes)[number]>;

type UserSummary = ReturnType<typeof summaryOf>;

export function summaryOf(profile: Summarized) {
  return {
    userID: profile.userID,
    username: profile.username,
    tier: profile.tier,
    level: levelAt(profile.experience.total),
    xp: profile.experience.total,
    points: profile.points,
    wallets: profile.walletCount,
    referred: profile.usersReferred,
    lastVisited: profile.lastVisited,
  };
}

async function* everyUser(table: Table): AsyncGenerator<UserSummary> {
  for await (const profile of scan<Summarized>(table, everyProfile, summaryAttributes)) {
    yield summaryOf(profile);
  }
}

/** Formats a JSON array with one element per line. Prints each element as soon as it has been read. */
async function* jsonLines(elements: AsyncIterable<unknown>): AsyncGenerator<string> {
  let open = "[";
  for await (const element of elements) {
    yield `${open}${JSON.stringify(element)}`;
    open = ",";
  }
  yield open === "[" ? "[]" : "]";
}

type Column = { field: keyof UserSummary; title: string; width: number; pad: "padStart" | "padEnd" };

/**
 * Uses fixed widths, so that a row can be printed before the next one is read. Longer values shift the rest of the row.
 */
const columns: readonly Column[] = [
  { field: "userID", title: "user id", width: 36, pad: "padEnd" },
  { field: "username", title: "username", width: 20, pad: "padEnd" },
  { field: "tier", title: "tier", width: 10, pad: "padEnd" },
  { field: "level", title: "level", width: 5, pad: "padStart" },
  { field: "xp", title: "xp", width: 9, pad: "padStart" },
  { field: "points", title: "points", width: 9, pad: "padStart" },
  { field: "wallets", title: "wallets", width: 7, pad: "padStart" },
  { field: "referred", title: "referred", width: 8, pad: "padStart" },
  { field: "lastVisited", title: "last visited", width: 24, pad: "padEnd" },
];

async function* userTable(users: AsyncIterable<UserSummary>): AsyncGenerator<string> {
  yield row(({ title }) => title);
  for await (const user of users) yield row(({ field }) => harmless(String(user[field])));
}

function row(cellOf: (column: Column) => string): string {
  return columns
    .map((column) => cellOf(column)[column.pad](column.width))
    .join("  ")
    .trimEnd();
}
