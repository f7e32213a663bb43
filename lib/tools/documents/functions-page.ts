import { type Scope, scopes } from "../../core/scope.ts";
import { operations } from "../../operations/operations.ts";
import type { Operation, RefusalRow } from "../../operations/types.ts";

/** Makes docs/functions.md: a table of all functions, and a section for each row of the table of operations. */
export function functionsPage(): string {
  const rows = Object.entries<Operation>(operations);
  return [
    "# Functions",
    "",
    "Generated from [lib/operations/operations.ts](../lib/operations/operations.ts) by `npm run documents`.",
    "Do not edit this page.",
    "",
    `Each of the ${rows.length} rows is a Lambda function, some of them only where chains trade.`,
    "After the overview, each section lists everything that its function may do, and the effects on users while it fails.",
    "",
    "| Function | Runs | What it does |",
    "| --- | --- | --- |",
    ...rows.map(([name, row]) => `| ${name} | ${trigger(row)} | ${row.summary} |`),
    "",
    "## Scopes of program keys",
    "",
    "A [program key](api.md#program-keys) reaches these operations, and no other one:",
    "",
    ...scopes.map((scope) => `- \`${scope}\`: ${namesWith(rows, scope).join(", ")}`),
    ...rows.flatMap(([name, row]) => ["", ...section(name, row)]),
    "",
  ].join("\n");
}

function section(name: string, row: Operation): string[] {
  const rights = [
    ["Table", row.table.map(actionOf)],
    ["Writes the partitions", row.writes],
    ["Deletes from the partitions", row.deletes],
    ["Reads the protected partitions", row.reads],
    ["KMS key of wallets", row.key.map(actionOf)],
    ["KMS keys for imports", row.importKeys.map(actionOf)],
    ["KMS key of orders", row.mac.map(actionOf)],
    ["KMS key of children", row.childMac.map(actionOf)],
    ["WebSocket connections", row.connections.map((method) => connectionRights[method])],
    ["Invokes", row.invokes],
    ["API keys and usage plans", row.plans],
  ] as const;
  return [
    `## ${name}`,
    "",
    `${row.summary}.`,
    "",
    `- Handler: [functions/${name}/handler.ts](../functions/${name}/handler.ts)`,
    `- Runs: ${trigger(row)}${runsOnly[row.deployed] ?? ""}`,
    ...rights.filter(([, names]) => names.length > 0).map(([of, names]) => `- ${of}: ${names.join(", ")}`),
    `- Memory and time limit: ${row.memoryMB} MB, ${row.timeoutSeconds} s`,
    `- While it fails: ${onePerLine(row.impact)}`,
  ];
}

const namesWith = (rows: readonly (readonly [string, Operation])[], scope: Scope): string[] =>
  rows.flatMap(([name, row]) => (row.kind === "rest" && row.scope === scope ? [name] : []));

/** Puts each sentence of a list item on its own line. */
const onePerLine = (text: string) => text.replaceAll(/(?<=\.) (?=[A-Z])/g, "\n  ");

/** Removes the service prefix of an IAM action. */
const actionOf = (action: string) => action.slice(action.indexOf(":") + 1);

const runsOnly: { readonly [When in Operation["deployed"]]?: string } = {
  "with trading": ", only where chains trade",
  "with markets": ", only where markets are on",
  "with earning": ", only where trades earn",
};

const refused: Readonly<Record<RefusalRow["refuses"], string>> = {
  "with trading": "REST methods that trade, if trading is off",
  "with markets": "REST methods of markets, if markets are off",
  "with export": "REST methods of exports, if exports are off",
  "with devices": "REST methods of devices, if devices are off",
};

const connectionRights = { GET: "look up", POST: "send", DELETE: "close" };

function trigger(row: Operation): string {
  switch (row.kind) {
    case "rest":
      return `${row.method} ${row.path}`;
    case "refusal":
      return refused[row.refuses];
    case "authorizer":
      return row.of === "rest" ? "before every REST request" : "before `$connect`";
    case "websocket":
      return `WebSocket \`${row.route}\``;
    case "changes":
      return `changes: ${row.changes}`;
    case "notices":
      return "notices on the bus, and its retries";
    case "schedule":
      return interval(row.everyMinutes);
    case "internal":
      return "invoked directly";
  }
}

function interval(minutes: number): string {
  if (minutes === 24 * 60) return "every day";
  return minutes === 1 ? "every minute" : `every ${minutes} minutes`;
}
