import type { Network } from "../../core/network.ts";
import type { BlockName, Look } from "../../orders/block.ts";
import { type Procedure, perform } from "../../orders/effects.ts";
import type { LaneKey } from "../../orders/intent.ts";
import { isHeld } from "../../orders/lane-steps.ts";
import {
  type ChainNews,
  isDue,
  isLookDue,
  isSettling,
  mustSettle,
  watchedIn,
} from "../../orders/lane-watch.ts";
import type { Lane } from "../../orders/table-step.ts";
import { isReaderMissing } from "./reader-lease.ts";

/** Notes that are kept between looks at a chain, to notice a host that falls behind. */
export type LookMemory<Each extends Pick<Look, "number"> = Look> = {
  /** The newest look. */
  look?: Each | undefined;
  /** Index of the host that looks are taken from, among the hosts that answer. */
  host: number;
  /** Time of the first of the successive looks that showed blocks older than the last accepted one. */
  backSinceMs?: number | undefined;
};

/** Notes of a reader's run about one chain. */
export type Reader = LookMemory & {
  /** Hashes of blocks that are ancestors of the last look. */
  confirmed: ReadonlySet<string>;
  /** Transactions that the reader has asked about since the newest block came. */
  asked: ReadonlySet<string>;
  /** Time from which the reader asks for the final block again. */
  finalDueMs: number;
  /** Time at which the reader last woke each wallet. */
  wokenMs: Map<string, number>;
  /** Time at which the reader last read all lanes. */
  wholeMs: number;
  /** Lanes that only settle, by wallet. */
  settling: ReadonlyMap<string, Lane>;
};

export const newReader = (): Reader => ({
  confirmed: new Set(),
  asked: new Set(),
  host: 0,
  finalDueMs: 0,
  wokenMs: new Map(),
  wholeMs: Number.NEGATIVE_INFINITY,
  settling: new Map(),
});

/** Time after which all lanes are read again. In between, lanes that only settle are taken from memory. */
const wholePauseMs = 30_000;

/** Age that a lane's note may have when it is stored: the longest run, and the difference of two clocks. */
const mostNotedMs = 60_000;

/** Minimum time between two wakings of a lane, because its run may have just begun, or may have nothing to do. */
const restMs = 3000;

/** Time after which a different host is used if a host has fallen behind. */
const mostBackMs = 10_000;

/**
 * Bounds for the interval between requests for the final block. Within them, the interval is a quarter of that block's
 * age.
 */
const finalMs = { least: 1000, most: 10_000, share: 4 };

/** Result of a look for the lanes of a chain: their number, and whether a host answered. */
export type ReadRound = { lanes: number; isAnswered: boolean };

/** Wakes the lanes that are due or that are affected by a new block. One look at the chain serves all lanes. */
export function* readChain(chain: Network, reader: Reader): Procedure<ReadRound> {
  const { lanes, wholeMs } = yield* knownLanes(chain, reader);
  const nowMs = yield* perform({ do: "now" });
  const free = lanes.filter((lane) => !isHeld(lane, nowMs) && !isResting(lane, reader, nowMs));
  const waitsForChain = free.some(
    (lane) => lane.watch?.finalFrom !== undefined || watchedIn(lane).length > 0,
  );
  const news = waitsForChain ? yield* readNews(chain, reader, free, nowMs) : undefined;
  const settling = new Map(
    lanes.flatMap((lane) => (lane.watch?.settlingSinceMs === undefined ? [] : [[lane.wallet, lane]])),
  );
  for (const lane of free.filter((each) => isDue(each, news, nowMs))) {
    reader.wokenMs.set(lane.wallet, nowMs);
    // Forgets the lane, because its run changes or removes it.
    settling.delete(lane.wallet);
    yield* perform({ do: "wake", lane });
  }
  // Notes both only now, so that all lanes are read again after a round that has failed.
  Object.assign(reader, { settling, wholeMs });
  return { lanes: lanes.length, isAnswered: !waitsForChain || news !== undefined };
}

/** Reads the lanes of a chain, except those that only settle and that the reader remembers. */
function* knownLanes(chain: Network, reader: Reader): Procedure<{ lanes: readonly Lane[]; wholeMs: number }> {
  const nowMs = yield* perform({ do: "now" });
  const isWhole = nowMs - reader.wholeMs >= wholePauseMs;
  const sinceMs = isWhole ? undefined : reader.wholeMs - mostNotedMs;
  const read = yield* perform({ do: "readLanes", chain, sinceMs });
  if (isWhole) return { lanes: read, wholeMs: nowMs };
  const lanes = new Map(reader.settling);
  for (const lane of read) lanes.set(lane.wallet, lane);
  return { lanes: [...lanes.values()], wholeMs: reader.wholeMs };
}

const isResting = ({ wallet }: LaneKey, { wokenMs }: Reader, nowMs: number) =>
  nowMs - (wokenMs.get(wallet) ?? Number.NEGATIVE_INFINITY) < restMs;

/** Asks for everything that may have changed since the last look. Undefined if no host answers. */
function* readNews(
  chain: Network,
  reader: Reader,
  lanes: readonly Lane[],
  nowMs: number,
): Procedure<ChainNews | undefined> {
  const transactions = lanes.flatMap(watchedIn);
  const mined = transactions.flatMap(([hash, block]) => (typeof block === "string" ? [] : [{ hash, block }]));
  const unconfirmed = mined.filter(({ block }) => !reader.confirmed.has(block.hash));
  const { look: last, host } = reader;
  const heights = unconfirmed.map(({ block }) => block.number);
  const look = yield* perform({
    do: "look",
    chain,
    host,
    heights: [...new Set(last === undefined ? heights : [last.number - 1, ...heights])],
    wantsFinal: nowMs >= reader.finalDueMs && lanes.some(({ watch }) => watch?.finalFrom !== undefined),
  });
  if (look === undefined) return undefined;
  if (isBehind(look, reader, nowMs)) return { minedIn: new Map() };
  const isNew = look.number !== last?.number || look.parentHash !== last.parentHash;
  const isOn = ({ number, hash }: BlockName) => look.hashes.get(number) === hash;
  // If the parent block of the last look is still on the chain, so are all of its ancestors.
  const isSameChain = last !== undefined && isOn({ number: last.number - 1, hash: last.parentHash });
  const confirmed = mined.filter(
    ({ block }) => isOn(block) || (isSameChain && reader.confirmed.has(block.hash)),
  );
  const refuted = unconfirmed.filter(({ block }) => look.hashes.has(block.number) && !isOn(block));
  const unseen = transactions.flatMap(([hash, block]) =>
    typeof block === "string" && (isNew || !reader.asked.has(hash)) ? [hash] : [],
  );
  const hashes = [...unseen, ...refuted.map(({ hash }) => hash)];
  const minedIn =
    hashes.length === 0 ? new Map<string, string>() : yield* perform({ do: "minedIn", chain, host, hashes });
  if (minedIn === undefined) return undefined;
  reader.look = look;
  reader.confirmed = new Set(confirmed.map(({ block }) => block.hash));
  reader.asked = new Set([...(isNew ? [] : reader.asked), ...unseen]);
  if (look.final !== undefined) reader.finalDueMs = nowMs + finalPauseMs(look.time - look.final.time);
  return { minedIn, final: look.final?.number };
}

/**
 * True if a look shows an older block than the last one. After some time, another host's answer is accepted even if its
 * block is older.
 */
export function isBehind<Each extends Pick<Look, "number">>(
  look: Each,
  memory: LookMemory<Each>,
  nowMs: number,
): boolean {
  if (memory.look === undefined || look.number >= memory.look.number) {
    memory.backSinceMs = undefined;
    return false;
  }
  memory.backSinceMs ??= nowMs;
  if (nowMs - memory.backSinceMs < mostBackMs) return true;
  memory.backSinceMs = undefined;
  memory.look = undefined;
  memory.host++;
  return true;
}

const finalPauseMs = (ageSeconds: number): number =>
  Math.min(finalMs.most, Math.max(finalMs.least, (ageSeconds * 1000) / finalMs.share));

/**
 * What the sweep remembers about a chain. It has a part for each of two hosts, because a run of readChains may see only
 * a single host, whose answers are wrong.
 */
export type SweepMemory = readonly [Reader, Reader];

export const newSweepMemory = (): SweepMemory => [newReader(), newReader()];

/** Result of a sweep: the lanes of the chain, and whether a reader is missing. */
export type Sweep = { lanes: readonly Lane[]; isReaderMissing: boolean };

/**
 * Wakes the lanes that are due or have waited for a long time. If no reader has read the chain for a long time, wakes
 * all lanes. This retries all lost work. Lanes that wait only for finality are not woken as long as two hosts say that
 * they must wait.
 */
export function* sweepLanes(chain: Network, memory: SweepMemory): Procedure<Sweep> {
  const lanes = yield* perform({ do: "readLanes", chain });
  const lease = yield* perform({ do: "readReaderLease", chain });
  const nowMs = yield* perform({ do: "now" });
  const isMissing = lanes.length > 0 && isReaderMissing(lease, nowMs);
  const settling: Lane[] = [];
  for (const lane of lanes) {
    const isDueNow = isMissing || isDue(lane, undefined, nowMs);
    if (!isDueNow && !isLookDue(lane, nowMs)) continue;
    // Wakes the other lanes first, because a look can take long.
    if (!isDueNow && isSettling(lane)) settling.push(lane);
    else yield* perform({ do: "wake", lane });
  }
  yield* wakeUnlessSettling(chain, memory, settling, nowMs);
  return { lanes, isReaderMissing: isMissing };
}

function* wakeUnlessSettling(
  chain: Network,
  memory: SweepMemory,
  lanes: readonly Lane[],
  nowMs: number,
): Procedure<void> {
  if (lanes.length === 0) return;
  const seen: { news: ChainNews | undefined; confirmed: Reader["confirmed"] }[] = [];
  for (const [host, reader] of memory.entries()) {
    Object.assign(reader, { host, finalDueMs: nowMs });
    const news = yield* readNews(chain, reader, lanes, nowMs);
    seen.push({ news, confirmed: reader.confirmed });
  }
  const isWaiting = (lane: Lane) => seen.every(({ news, confirmed }) => mustSettle(lane, news, confirmed));
  for (const lane of lanes) if (!isWaiting(lane)) yield* perform({ do: "wake", lane });
}
