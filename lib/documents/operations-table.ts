import { type Operation, operations } from "../operations.ts";

/** The table of operations as Markdown, for the README. */
export function operationsTable(): string {
  const rows = Object.entries<Operation>(operations).map(([name, row]) => [
    `[${name}](functions/${name}/handler.ts)`,
    row.kind === "rest" ? `${row.method} ${row.path}` : "before every method",
    row.summary,
    actions(row.table),
    actions(row.key),
  ]);
  return markdown(["Function", "Route", "What it does", "Table", "KMS key"], rows);
}

const actions = (names: readonly string[]) => names.map((name) => name.split(":")[1]).join(", ") || "none";

function markdown(head: string[], rows: string[][]): string {
  return [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}
