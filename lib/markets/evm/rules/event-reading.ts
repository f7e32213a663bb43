import { v2ReservesOf, wordOfReserves } from "../../../chains/evm/rules/pool-price.ts";
import type { PoolEvent } from "./watched-pool.ts";

/** A block as a host describes it, with its time in epoch seconds. */
export type Header = { hash: string; time: number };

/** A range of blocks, including both ends. */
export type BlockSpan = { from: number; to: number };

/**
 * A fault in a host's events:
 * - `repeated`, `unordered`: repaired.
 * - `outside`: from blocks or pools that were not requested.
 * - `contradictory`: two logs in one place, or two hashes or times of one block.
 * - `foreign`: from a block whose known hash is different.
 * - `untimely`: without a time, or with a time that does not fit the events before and after it.
 */
export type ReadingFault = "repeated" | "unordered" | "outside" | "contradictory" | "foreign" | "untimely";

/** Events in the order of the chain. Absent if they are implausible. */
export type CheckedEvents = {
  events?: PoolEvent[];
  faults: ReadingFault[];
  /** Numbers of blocks with hashes that differ from the known ones. */
  foreign?: number[];
};

export const inChainOrder = (
  a: Pick<PoolEvent, "block" | "logIndex">,
  b: Pick<PoolEvent, "block" | "logIndex">,
): number => a.block - b.block || a.logIndex - b.logIndex;

/** Lists the blocks of events whose time the host did not state. */
export const untimedBlocks = (events: readonly PoolEvent[]): number[] => [
  ...new Set(events.filter(({ time }) => !(time > 0)).map(({ block }) => block)),
];

/** Sets the time of events that lack one from the block headers, if the hashes agree. */
export const withTimes = (events: readonly PoolEvent[], headers: ReadonlyMap<number, Header>): PoolEvent[] =>
  events.map((event) => {
    const header = headers.get(event.block);
    return event.time > 0 || header?.hash !== event.blockHash ? event : { ...event, time: header.time };
  });

/**
 * Checks a host's events of pools in a range of blocks, and puts them in order.
 *
 * @param known The known hashes of blocks in the range.
 * @param latest The time of the range's last block or a later one, in epoch seconds.
 */
export function checkEvents(
  events: readonly PoolEvent[],
  {
    from,
    to,
    pools,
    known,
    latest,
  }: BlockSpan & {
    pools: ReadonlySet<string>;
    known: (block: number) => string | undefined;
    latest: number;
  },
): CheckedEvents {
  const sorted = events.toSorted(inChainOrder);
  const faults = new Set<ReadingFault>();
  if (sorted.some((event, index) => event !== events[index])) faults.add("unordered");
  if (events.some(({ block, pool }) => !(block >= from && block <= to) || !pools.has(pool)))
    return { faults: [...faults, "outside"] };
  const ordered: PoolEvent[] = [];
  for (const event of sorted) {
    const before = ordered.at(-1);
    if (before !== undefined && isSameEvent(before, event)) faults.add("repeated");
    else if (before !== undefined && contradicts(before, event))
      return { faults: [...faults, "contradictory"] };
    else ordered.push(event);
  }
  const foreign = ordered.filter(({ block, blockHash }) => (known(block) ?? blockHash) !== blockHash);
  if (foreign.length > 0)
    return { faults: [...faults, "foreign"], foreign: [...new Set(foreign.map(({ block }) => block))] };
  const isUntimely = ({ time }: PoolEvent, index: number) =>
    !(time > 0) || time < (ordered[index - 1]?.time ?? 0) || time > latest;
  if (ordered.some(isUntimely)) return { faults: [...faults, "untimely"] };
  return { events: ordered, faults: [...faults] };
}

const contradicts = (a: PoolEvent, b: PoolEvent) =>
  a.block === b.block && (a.logIndex === b.logIndex || a.blockHash !== b.blockHash || a.time !== b.time);

/** True if two events are the same log of the same block. */
export const isSameEvent = (a: PoolEvent, b: PoolEvent): boolean =>
  a.block === b.block &&
  a.blockHash === b.blockHash &&
  a.logIndex === b.logIndex &&
  a.time === b.time &&
  a.pool === b.pool &&
  a.word === b.word &&
  a.isSwap === b.isSwap &&
  a.volume.mantissa === b.volume.mantissa &&
  a.volume.exponent === b.volume.exponent &&
  String(a.change) === String(b.change);

/** True if two readings show the same events. Both must be in the order of the chain. */
export const isSameReading = (a: readonly PoolEvent[], b: readonly PoolEvent[]): boolean =>
  a.length === b.length && a.every((event, index) => isSameEvent(event, b[index] as PoolEvent));

/**
 * True if a pool's events lead from one state to the other. On v2, each swap must also fit the reserves before and
 * after it. A Sync without a Swap counts as a change of liquidity.
 *
 * @param before The state before the events. Undefined if unknown.
 */
export function explains(events: readonly PoolEvent[], before: bigint | undefined, after: bigint): boolean {
  let [previous, state] = [before, before];
  let sync: PoolEvent | undefined;
  for (const event of events) {
    if (event.word !== undefined) [previous, state, sync] = [state, event.word, event];
    if (event.change === undefined) continue;
    const isNext = sync?.block === event.block && sync.logIndex + 1 === event.logIndex;
    if (!isNext || (previous !== undefined && changed(previous, event.change) !== state)) return false;
    sync = undefined;
  }
  return (state ?? after) === after;
}

function changed(word: bigint, [first, second]: readonly [bigint, bigint]): bigint {
  const reserves = v2ReservesOf(word);
  return wordOfReserves(reserves[0] + first, reserves[1] + second);
}
