import * as v from "valibot";
import { pancakeSwapTopic, v2SwapTopic, v3SwapTopic } from "../../chains/evm/calls/fill-logs.ts";
import { tagText } from "../../chains/evm/calls/rpc-call.ts";
import { wordOfReserves } from "../../chains/evm/rules/pool-price.ts";
import { kindOf } from "../../chains/evm/rules/swap-venues.ts";
import { RpcRefusal } from "../../chains/hosts/host-fault.ts";
import type { RpcCall } from "../../chains/hosts/rpc-call.ts";
import { zero } from "../../core/decimal.ts";
import { sizeOf } from "../../orders/bigints.ts";
import { type Log, LogsSchema } from "./log.ts";
import { type PoolEvent, priceOf, volumeOf, type WatchedPool } from "./rules/watched-pool.ts";

/** `Sync(uint112,uint112)` of v2 pools: the reserves after a change. */
const syncTopic = "0x1c411e9a96e071241c2f21f7726b17ae89e3cab4c78be50e062b03a9fffbbad1";

/** Describes a kind of log: the pools that write it, its meaning, and the words of data that it must have. */
type Reading = {
  kinds: "v2" | "v3";
  topics: number;
  words: number;
  read: (pool: WatchedPool, words: readonly bigint[]) => Omit<PoolEvent, keyof Place>;
};

type Place = Pick<PoolEvent, "pool" | "block" | "blockHash" | "time" | "logIndex">;

const v3Swap = { kinds: "v3", topics: 3, read: v3SwapIn } as const;

const readings: Readonly<Record<string, Reading>> = {
  [syncTopic]: { kinds: "v2", topics: 1, words: 2, read: syncIn },
  [v2SwapTopic]: { kinds: "v2", topics: 3, words: 4, read: v2SwapIn },
  [v3SwapTopic]: { ...v3Swap, words: 5 },
  [pancakeSwapTopic]: { ...v3Swap, words: 7 },
};

const kindsOf = (pool: WatchedPool): Reading["kinds"] => (kindOf(pool) === "v2" ? "v2" : "v3");

/** True if a host has switched logs off. The hosts of bsc then answer with exactly this message. */
const isTurnedOff = (refusal: RpcRefusal): boolean => refusal.says(/^limit exceeded$/i);

/** True if a host refuses all requests for events, not just this one. */
export const refusesEvents = (error: unknown): boolean =>
  error instanceof RpcRefusal && (error.kind === "unsupported" || isTurnedOff(error));

/**
 * Requests the events of pools in a range of blocks, in the order of the chain. An event's time is 0 if the host does
 * not state it. An answer counts as malformed if it contains anything that was not requested or contradicts itself.
 */
export const eventsCall = (
  pools: readonly WatchedPool[],
  { from, to }: { from: number; to: number },
): RpcCall<PoolEvent[]> => {
  const byAddress = new Map(pools.map((pool) => [pool.pool.toLowerCase(), pool]));
  const kinds = new Set(pools.map(kindsOf));
  const topics = Object.keys(readings).filter((topic) => kinds.has((readings[topic] as Reading).kinds));
  return {
    method: "eth_getLogs",
    params: [
      { fromBlock: tagText(from), toBlock: tagText(to), address: [...byAddress.keys()], topics: [topics] },
    ],
    mayBeHuge: true,
    needs: "logs",
    isLacking: isTurnedOff,
    read(result) {
      const logs = v.parse(LogsSchema, result);
      if (logs.some(({ blockNumber }) => blockNumber < from || blockNumber > to))
        throw new Error("A log is of another block");
      return inOrder(logs).map((log) => eventIn(byAddress.get(log.address), log));
    },
  };
};

/** Sorts logs and leaves out repeated ones. */
function inOrder(logs: readonly Log[]): Log[] {
  const sorted = logs.toSorted((a, b) => a.blockNumber - b.blockNumber || a.logIndex - b.logIndex);
  return sorted.filter((log, index) => {
    const before = sorted[index - 1];
    if (before?.blockNumber !== log.blockNumber) return true;
    if (before.blockHash !== log.blockHash || before.blockTimestamp !== log.blockTimestamp)
      throw new Error("A block has two hashes or times");
    if (before.logIndex !== log.logIndex) return true;
    if (JSON.stringify(before) !== JSON.stringify(log)) throw new Error("Two logs have the same place");
    return false;
  });
}

function eventIn(pool: WatchedPool | undefined, log: Log): PoolEvent {
  const [topic = ""] = log.topics;
  const reading = Object.hasOwn(readings, topic) ? readings[topic] : undefined;
  const isOf = pool !== undefined && reading?.kinds === kindsOf(pool);
  if (!isOf || log.topics.length !== reading.topics || log.data.length !== 2 + 64 * reading.words)
    throw new Error("A log was not requested");
  const words = Array.from({ length: reading.words }, (_, index) =>
    BigInt(`0x${log.data.slice(2 + 64 * index, 66 + 64 * index)}`),
  );
  const { blockNumber: block, blockHash, blockTimestamp: time, logIndex } = log;
  return { pool: pool.pool, block, blockHash, time, logIndex, ...reading.read(pool, words) };
}

/** Returns a number after checking that it fits into these bits. */
function within(bits: number, value: bigint): bigint {
  if (value >> BigInt(bits) !== 0n) throw new Error("A number is too large");
  return value;
}

function stateAt(pool: WatchedPool, word: bigint) {
  const price = priceOf(pool, word);
  return { word, ...(price && { price }) };
}

function syncIn(pool: WatchedPool, [first = 0n, second = 0n]: readonly bigint[]) {
  const word = wordOfReserves(within(112, first), within(112, second));
  return { isSwap: false, volume: zero, ...stateAt(pool, word) };
}

function v2SwapIn(pool: WatchedPool, words: readonly bigint[]) {
  const [firstIn, secondIn, firstOut, secondOut] = words.map((word) => within(112, word)) as [
    ...[bigint, bigint, bigint, bigint],
  ];
  return {
    isSwap: true,
    volume: volumeOf(pool.isTokenFirst ? secondIn + secondOut : firstIn + firstOut, pool.quoteDecimals),
    change: [firstIn - firstOut, secondIn - secondOut] as const,
  };
}

function v3SwapIn(pool: WatchedPool, [first = 0n, second = 0n, word = 0n]: readonly bigint[]) {
  const amount = BigInt.asIntN(256, pool.isTokenFirst ? second : first);
  return {
    isSwap: true,
    volume: volumeOf(sizeOf(amount), pool.quoteDecimals),
    ...stateAt(pool, within(160, word)),
  };
}
