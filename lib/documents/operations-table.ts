import type { Operation } from "../operation-types.ts";
import { operations } from "../operations.ts";

/** The table of operations as Markdown, for the README. */
export function operationsTable(): string {
  const rows = Object.entries<Operation>(operations).map(([name, row]) => [
    `[${name}](functions/${name}/handler.ts)`,
    trigger(row),
    row.summary,
    actions(row.table),
    actions(row.key),
    [
      ...(row.connections.length > 0 ? ["pushes"] : []),
      ...row.invokes.map((other) => `invokes ${other}`),
      ...row.plans,
    ].join(", "),
  ]);
  return markdown(["Function", "Runs", "What it does", "Table", "KMS key", "Also"], rows);
}

/** What makes it run. */
function trigger(row: Operation): string {
  switch (row.kind) {
    case "rest":
      return `${row.method} ${row.path}`;
    case "authorizer":
      return row.of === "rest" ? "before every method" : "before `$connect`";
    case "websocket":
      return `WebSocket \`${row.route}\``;
    case "changes":
      return "on changes of the table";
    case "schedule":
      return interval(row.everyMinutes);
    case "internal":
      return "by Lambda Invoke";
  }
}

function interval(minutes: number): string {
  if (minutes === 24 * 60) return "every day";
  return minutes === 1 ? "every minute" : `every ${minutes} minutes`;
}

const actions = (names: readonly string[]) => names.map((name) => name.split(":")[1]).join(", ") || "none";

function markdown(head: string[], rows: string[][]): string {
  return [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}
