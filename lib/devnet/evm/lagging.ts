import type { RpcQuestion, RpcReply } from "../rpc-service.ts";

/** Index of the block parameter, by method. */
const blockAt: Readonly<Record<string, number>> = {
  eth_call: 1,
  eth_createAccessList: 1,
  eth_estimateGas: 1,
  eth_feeHistory: 1,
  eth_getBalance: 1,
  eth_getBlockByNumber: 0,
  eth_getBlockReceipts: 0,
  eth_getCode: 1,
  eth_getProof: 2,
  eth_getStorageAt: 2,
  eth_getTransactionCount: 1,
  eth_simulateV1: 1,
};

/** Methods that answer null instead of an error for an unknown block. */
const nullable = ["eth_getBlockByNumber", "eth_getBlockReceipts"];

/** Methods that need no state. Hosts keep states only for their newest blocks. */
const stateless = [...nullable, "eth_feeHistory"];

const root = "5c0ee75d9dd668839db2895c93257f6a3a77282740c045d286ff0d1f297ffa24";

const prunedState: RpcReply = {
  error: {
    code: -32000,
    message: `missing trie node ${root} (path ) state 0x${root} is not available, not found`,
  },
};

export type Height = {
  /** Number of the host's newest block. */
  head: number;
  /** Number of blocks that must follow a block to make it final. */
  finalAfter: number;
  /** Number of blocks whose state the host still has. */
  keptStates?: number | undefined;
};

const hex = (number: number) => `0x${number.toString(16)}`;

/** How a lagging host handles a question: it either changes the question and the reply, or replies itself. */
export type AsOf = { question: RpcQuestion; read?: (reply: RpcReply) => RpcReply } | { reply: RpcReply };

/** Answers like a host whose newest block is an older block of the chain. */
export function asOf(height: Height, question: RpcQuestion): AsOf {
  const { head, keptStates = Number.POSITIVE_INFINITY } = height;
  const { method, params } = question;
  if (method === "eth_blockNumber") return { reply: { result: hex(head) } };
  if (method === "eth_getLogs") return { question: { ...question, params: [logFilter(height, params[0])] } };

  const at = blockAt[method];
  if (at === undefined)
    return { question, read: (reply) => (isLater(head, reply) ? { result: null } : reply) };
  const number = numberOf(height, params[at]);
  if (number === undefined) return { question };
  if (number > head) return { reply: unknownBlock(method) };
  if (number <= head - keptStates && !stateless.includes(method)) return { reply: prunedState };
  const older = [...params];
  // Sets the block parameter. If a parameter before it is missing, the block parameter is missing as well.
  older[at] = hex(number);
  return { question: { ...question, params: older } };
}

const unknownBlock = (method: string): RpcReply =>
  nullable.includes(method) ? { result: null } : { error: { code: -32000, message: "header not found" } };

/**
 * Replies like a host that lacks the block named in a question. Returns undefined if the question names no block by
 * number.
 */
export function headerNotFound({ method, params }: RpcQuestion): RpcReply | undefined {
  const block = params[blockAt[method] ?? params.length];
  return typeof block === "string" && block.startsWith("0x") ? unknownBlock(method) : undefined;
}

/**
 * Reads the number of a block.
 *
 * @returns undefined if the block is named by its hash
 */
function numberOf({ head, finalAfter }: Height, block: unknown = "latest"): number | undefined {
  if (typeof block !== "string") return undefined;
  if (block === "earliest") return 0;
  const distances: Record<string, number> = {
    latest: 0,
    pending: 0,
    safe: finalAfter / 2,
    finalized: finalAfter,
  };
  const behind = distances[block];
  return behind === undefined ? Number(block) : Math.max(0, head - behind);
}

/** True if a transaction, receipt or block is newer than the host's newest block. */
function isLater(head: number, reply: RpcReply): boolean {
  if (!("result" in reply) || typeof reply.result !== "object" || reply.result === null) return false;
  const { blockNumber, number } = reply.result as { blockNumber?: unknown; number?: unknown };
  const block = blockNumber ?? number;
  return typeof block === "string" && Number(block) > head;
}

function logFilter(height: Height, filter: unknown): unknown {
  const { fromBlock, toBlock, ...rest } = (filter ?? {}) as Record<string, unknown>;
  if (rest.blockHash !== undefined) return filter;
  const upTo = (block: unknown) =>
    hex(Math.min(height.head, numberOf(height, block ?? "latest") ?? height.head));
  return { ...rest, fromBlock: upTo(fromBlock), toBlock: upTo(toBlock) };
}
