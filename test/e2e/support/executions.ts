import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { InvokeCommand, LambdaClient } from "@aws-sdk/client-lambda";
import { admin } from "./admin.ts";
import { deployment } from "./deployment.ts";
import type { Inbox, Message } from "./inbox.ts";
import type { User } from "./users.ts";

/** What an execution engine reports. */
export type Report = {
  kind: "order" | "position";
  userID: string;
  version: number;
  [field: string]: unknown;
};

const times = { updatedAt: "2026-11-20T09:31:44.018Z" };

export const order = ({ id: userID }: User, orderId: string, version: number, rest: object = {}): Report => ({
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

export const position = (
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

/** A report as its owner sees it. */
export const seen = ({ kind, userID, ...execution }: Report) => execution;

/** Has an operator record them. @returns what the admin program prints. */
export async function recordByOperator(...reports: Report[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "e2e-executions-"));
  try {
    await writeFile(join(folder, "executions.json"), JSON.stringify(reports));
    return await admin("record", join(folder, "executions.json"));
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** How many reports an engine may send at a time. */
const batch = 100;

/** Records them as an execution engine does. @returns what became of each. */
export async function record(...reports: Report[]): Promise<string[]> {
  const statuses: string[] = [];
  for (let from = 0; from < reports.length; from += batch) {
    const { answer } = await invokeRecordExecutions({ records: reports.slice(from, from + batch) });
    statuses.push(...(answer as { results: { status: string }[] }).results.map(({ status }) => status));
  }
  return statuses;
}

export async function invokeRecordExecutions(event: unknown): Promise<{ failed: boolean; answer: unknown }> {
  const description = await (await fetch(`${deployment().baseUrl}/_local/outputs`)).json();
  const { outputs, endpoints, region, credentials } = description as {
    outputs: { RecordExecutionsFunction: string };
    endpoints: { lambda: string };
    region: string;
    credentials: { accessKeyId: string; secretAccessKey: string };
  };
  const lambda = new LambdaClient({ endpoint: endpoints.lambda, region, credentials });
  const { FunctionError, Payload } = await lambda.send(
    new InvokeCommand({ FunctionName: outputs.RecordExecutionsFunction, Payload: JSON.stringify(event) }),
  );
  lambda.destroy();
  return { failed: FunctionError !== undefined, answer: JSON.parse(Payload?.transformToString() ?? "null") };
}

type Execution = { orderId?: string; positionId?: string; version: number };

const executionsIn = ({ data }: Message) => data as Execution[];

/** An update of that channel that tells of that version of that order or position. */
export const tells = (channel: string, id: string, version: number) => (message: Message) =>
  message.type === "update" &&
  message.channel === channel &&
  executionsIn(message).some((each) => (each.orderId ?? each.positionId) === id && each.version === version);

/** Every order and position that updates have told of, in order. */
export const toldIn = ({ received }: Inbox): Execution[] =>
  received.filter(({ type }) => type === "update").flatMap(executionsIn);
