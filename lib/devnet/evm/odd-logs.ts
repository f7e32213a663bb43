import type { RpcQuestion, RpcReply } from "../rpc-service.ts";

type Log = Record<"address" | "blockNumber" | "logIndex" | "transactionHash" | "data", string>;

/** Replaces some fields of each log. */
const each = (change: (log: Log) => object) => (logs: readonly Log[]) =>
  logs.map((log) => ({ ...log, ...change(log) }));

/** Ways in which a host's logs can differ from anvil's. */
const changes = {
  /** Drops logs of the newest block, like a lagging node. */
  hidesNewest: (logs) => logs.filter(({ blockNumber }) => blockNumber !== logs.at(-1)?.blockNumber),
  /** Drops the logs of a transaction in the middle. */
  hidesMiddle: (logs) =>
    logs.filter(({ transactionHash }) => transactionHash !== middle(logs)?.transactionHash),
  repeats: (logs) => [...logs, ...logs],
  reverses: (logs) => logs.toReversed(),
  /** Repeats a log from the middle of the list, with an index at the end of its block. */
  invents: (logs) => [...logs, ...logs.filter((log) => log === middle(logs)).map(later)],
  /** Changes the amount or price in a log from the middle. */
  alters: (logs) => logs.map((log) => (log === middle(logs) ? { ...log, data: otherData(log) } : log)),
  removes: each(() => ({ removed: true })),
  zeroTimes: each(() => ({ blockTimestamp: "0x0" })),
  noTimes: each(() => ({ blockTimestamp: undefined })),
} satisfies Record<string, (logs: readonly Log[]) => readonly object[]>;

const middle = (logs: readonly Log[]) => logs[Math.floor(logs.length / 2)];

const later = (log: Log): Log => ({ ...log, logIndex: `0x${(Number(log.logIndex) + 1000).toString(16)}` });

/** Changes the last digit of the first word, so that the data stays well-formed. */
const otherData = ({ data }: Log) => `${data.slice(0, 65)}${data[65] === "1" ? "2" : "1"}${data.slice(66)}`;

export type OddLogs = keyof typeof changes;

export const waysOfLogs = Object.keys(changes) as OddLogs[];

/** Errors of hosts that refuse all questions about logs: hosts without the method, hosts of bsc, and busy hosts. */
const refusals = {
  unknown: { code: -32601, message: "the method eth_getLogs does not exist/is not available" },
  limitExceeded: { code: -32005, message: "limit exceeded" },
  busy: { code: -32005, message: "too many requests, request rate limited" },
};

export type LogRefusal = keyof typeof refusals;

export const logRefusals = Object.keys(refusals) as LogRefusal[];

export type LogFaults = {
  logs?: OddLogs | undefined;
  refusesLogs?: LogRefusal | undefined;
  /** Maximum number of blocks, and of addresses, per question. */
  logBlocks?: number | undefined;
  logAddresses?: number | undefined;
  /** Maximum number of logs per answer. */
  mostLogs?: number | undefined;
};

const isAboutLogs = ({ method }: RpcQuestion) => method === "eth_getLogs";

/** Returns a host's refusal of a question about logs, or undefined if it does not refuse. */
export function refusedLogs(
  { refusesLogs, logBlocks = Infinity, logAddresses = Infinity }: LogFaults,
  question: RpcQuestion,
): RpcReply | undefined {
  if (!isAboutLogs(question)) return undefined;
  if (refusesLogs !== undefined) return { error: refusals[refusesLogs] };
  const { fromBlock, toBlock, address } = question.params[0] as Record<string, unknown>;
  if ([address].flat().length > logAddresses)
    return { error: { code: -32701, message: "Please, specify less number of addresses" } };
  if (Number(toBlock) - Number(fromBlock) < logBlocks) return undefined;
  return { error: { code: -32602, message: `eth_getLogs is limited to a ${logBlocks} block range` } };
}

/** Changes a host's reply to a question about logs. */
export function withOddLogs(
  { logs, mostLogs = Infinity }: LogFaults,
  question: RpcQuestion,
  reply: RpcReply,
): RpcReply {
  if (!isAboutLogs(question) || !("result" in reply)) return reply;
  const found = reply.result as Log[];
  if (found.length > mostLogs)
    return { error: { code: -32005, message: `query returned more than ${mostLogs} results` } };
  return logs === undefined ? reply : { result: changes[logs](found) };
}
