import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inPartsOf } from "../../../lib/core/in-parts.ts";
import { adminProcess } from "./admin.ts";
import { invokeFunction } from "./functions.ts";
import type { Inbox, Message } from "./inbox.ts";
import type { User } from "./users.ts";

/** Makes a report like those of an execution engine. */
export type Report = {
  kind: "order" | "position";
  userID: string;
  version: number;
  [field: string]: unknown;
};

const times = { updatedAt: "2026-11-20T09:31:44.018Z" };

export const orderReport = (
  { id: userID }: User,
  orderId: string,
  version: number,
  rest: object = {},
): Report => ({
  kind: "order",
  userID,
  orderId,
  wallet: "0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf",
  chain: "base",
  symbol: "ETH/USDC",
  side: "buy",
  type: "limit",
  status: "partially_filled",
  amount: "4",
  filledAmount: "1.25",
  price: "2620",
  averagePrice: "2618.4",
  createdAt: "2026-11-20T09:05:12.400Z",
  ...times,
  version,
  ...rest,
});

export const positionReport = (
  { id: userID }: User,
  positionId: string,
  version: number,
  rest: object = {},
): Report => ({
  kind: "position",
  userID,
  positionId,
  wallet: "6ASf5EcmmEHTgDJ4X4ZT5vT6iHVJBXPg5AN5YoTCpGWt",
  chain: "sol",
  symbol: "SOL/USDC",
  status: "open",
  amount: "40",
  averageEntryPrice: "131.07",
  realizedPnl: "-12.75",
  openedAt: "2026-11-20T08:12:04.655Z",
  ...times,
  version,
  ...rest,
});

/** Converts a report to the form that its owner receives. */
export const seen = ({ kind, userID, ...execution }: Report) => execution;

/** Records reports with the admin program. @returns its output. */
export async function recordByOperator(...reports: Report[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "e2e-executions-"));
  try {
    await writeFile(join(folder, "executions.json"), JSON.stringify(reports));
    return await adminProcess("record", join(folder, "executions.json"));
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Maximum number of reports in one invocation. */
const batch = 100;

/**
 * Records reports like an execution engine, which repeats those that fail: on a busy machine, a hundred writes at once
 * may take the table too long.
 *
 * @returns the status of each
 */
export async function record(...reports: Report[]): Promise<string[]> {
  const statuses = new Map<Report, string>();
  let left = reports;
  for (let attempts = 0; attempts < 5 && left.length > 0; attempts++) {
    for (const records of inPartsOf(batch, left)) {
      const { answer } = await invokeRecordExecutions({ records });
      const { results } = answer as { results: { status: string }[] };
      results.forEach(({ status }, index) => {
        statuses.set(records[index] as Report, status);
      });
    }
    left = reports.filter((report) => statuses.get(report) === "failed");
  }
  return reports.map((report) => statuses.get(report) as string);
}

export const invokeRecordExecutions = (event: unknown) => invokeFunction("recordExecutions", event);

type Execution = { orderId?: string; positionId?: string; version: number };

const executionsIn = ({ data }: Message) => data as Execution[];

/** Matches an update of a channel with this version of an order or position. */
export const hasVersion = (channel: string, id: string, version: number) => (message: Message) =>
  message.type === "update" &&
  message.channel === channel &&
  executionsIn(message).some((each) => (each.orderId ?? each.positionId) === id && each.version === version);

/** Lists all orders and positions in the updates, in order. */
export const updatesIn = ({ received }: Inbox): Execution[] =>
  received.filter(({ type }) => type === "update").flatMap(executionsIn);
