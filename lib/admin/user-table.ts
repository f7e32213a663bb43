import { harmless } from "./output.ts";
import type { UserSummary } from "./user-summary.ts";

type Column = { field: keyof UserSummary; title: string; width: number; place: "padStart" | "padEnd" };

/** Widths are fixed, so that a row can be printed before the next is read; what is longer pushes the rest aside. */
const columns: readonly Column[] = [
  { field: "userID", title: "user id", width: 36, place: "padEnd" },
  { field: "username", title: "username", width: 20, place: "padEnd" },
  { field: "tier", title: "tier", width: 10, place: "padEnd" },
  { field: "level", title: "level", width: 5, place: "padStart" },
  { field: "xp", title: "xp", width: 9, place: "padStart" },
  { field: "points", title: "points", width: 9, place: "padStart" },
  { field: "wallets", title: "wallets", width: 7, place: "padStart" },
  { field: "referred", title: "referred", width: 8, place: "padStart" },
  { field: "lastVisited", title: "last visited", width: 24, place: "padEnd" },
];

/** A header, then a line for each user. */
export async function* userTable(users: AsyncIterable<UserSummary>): AsyncGenerator<string> {
  yield line(({ title }) => title);
  for await (const user of users) yield line(({ field }) => harmless(String(user[field])));
}

function line(cellOf: (column: Column) => string): string {
  return columns
    .map((column) => cellOf(column)[column.place](column.width))
    .join("  ")
    .trimEnd();
}
