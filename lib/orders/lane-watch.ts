import type { BlockName } from "./block.ts";
import type { LaneView } from "./effects.ts";
import type { SlotTerms } from "./family.ts";
import { unprovenIn } from "./lane-deaths.ts";
import { hasUnseenOrder, idleSinceMs } from "./lane-trouble.ts";
import type { SlotRules } from "./slot-rules.ts";
import type { Departure, Lane, LaneWatch } from "./table-step.ts";
import { type AnyOrder, hasEnded, slotsOf } from "./trade-order.ts";

/**
 * Time after which the sweep checks a lane itself, because the chain's reader may be wrong or may see only one host
 * that is wrong.
 */
const lookAgainMs = { signed: 30_000, mined: 5 * 60_000 };

/** How long to wait before hosts are asked again for the proof that a child can never fill. */
const proveAgainMs = 3000;

/** Decides when the lane must run again after a run that has done all that it could. */
export function watchFor(
  view: LaneView,
  rules: SlotRules,
  nowMs: number,
  departures: readonly Departure[] = [],
): LaneWatch {
  const { jobs, slots, orders } = view;
  const blocks = slots.flatMap((slot): [string, BlockName | string][] => {
    const { receipt } = rules.sightOf(slot);
    // If one attempt of a slot is in a block, none of the slot's other attempts can be.
    return receipt ? [[receipt.hash, blockName(receipt.block)]] : slot.attempts.map(({ hash }) => [hash, ""]);
  });
  const final = [
    ...orders.flatMap((order) => finalFrom(order, slots, rules) ?? []),
    ...departures.map(({ seenIn }) => Math.max(...seenIn.map(({ number }) => number))),
  ];
  const due = orders.flatMap((order) => rules.dueMs(order, slots, nowMs)).filter((ms) => ms > nowMs);
  if (unprovenIn(view, rules, nowMs).length > 0) due.push(nowMs + proveAgainMs);
  const idle = idleSinceMs(orders, slots, (intent) => rules.mayWait(intent));
  const isSigned = slots.some(({ state }) => state === "signed");
  return {
    jobs: jobs.length,
    blocks: Object.fromEntries(blocks),
    ...(final.length > 0 && { finalFrom: Math.min(...final) }),
    ...(final.length > 0 && blocks.every(isMined) && { settlingSinceMs: nowMs }),
    ...(due.length > 0 && { dueAtMs: Math.min(...due) }),
    ...(blocks.length + final.length > 0 && {
      lookAgainAtMs: nowMs + (isSigned ? lookAgainMs.signed : lookAgainMs.mined),
    }),
    ...(departures.length > 0 && { departures }),
    ...(idle !== undefined && { idleSinceMs: idle }),
  };
}

/**
 * Returns the number of the last block that must become final before an ended order is final. Undefined while one of
 * the order's places is unused.
 */
function finalFrom(order: AnyOrder, slots: readonly SlotTerms[], rules: SlotRules): number | undefined {
  const blocks = slotsOf(order, slots).flatMap((slot) => {
    const { receipt, takenIn = [] } = rules.sightOf(slot);
    const used = receipt ? [receipt.block] : takenIn;
    return used.length > 0 ? used.map(({ number }) => number) : Number.NaN;
  });
  const found = order.ending?.soldOutIn?.map(({ number }) => number) ?? [];
  const last = hasEnded(order) ? Math.max(...blocks, ...found) : Number.NaN;
  return Number.isFinite(last) ? last : undefined;
}

const isMined = ([, block]: readonly [string, BlockName | string]): boolean => typeof block !== "string";

const blockName = ({ number, hash }: BlockName): BlockName => ({ number, hash });

/** Lists the signed transactions of a lane, each with the block in which it was last seen. */
export const watchedIn = ({ watch }: Lane) => Object.entries(watch?.blocks ?? {});

/** What a look at the chain has shown to its reader. */
export type ChainNews = {
  /** Block hash of each requested transaction. Empty for transactions in no block. */
  minedIn: ReadonlyMap<string, string>;
  /** Number of the final block, if requested. */
  final?: number | undefined;
};

/** True if the lane is due for a run because of the time or because of news from the chain. */
export function isDue(lane: Lane, news: ChainNews | undefined, nowMs: number): boolean {
  const { watch } = lane;
  if (watch === undefined || hasUnseenOrder(lane)) return true;
  if (watch.dueAtMs !== undefined && nowMs >= watch.dueAtMs) return true;
  if (news === undefined) return false;
  const { minedIn, final } = news;
  if (watch.finalFrom !== undefined && final !== undefined && final >= watch.finalFrom) return true;
  return watchedIn(lane).some(([hash, known]) => {
    const block = minedIn.get(hash);
    return block !== undefined && block !== (typeof known === "string" ? known : known.hash);
  });
}

/** True if the sweep should check that no reader has missed an event that the lane waits for. */
export const isLookDue = ({ watch }: Lane, nowMs: number): boolean =>
  watch?.lookAgainAtMs !== undefined && nowMs >= watch.lookAgainAtMs;

/** True if the lane only waits for blocks that it already knows to become final. */
export const isSettling = (lane: Lane): boolean =>
  lane.watch?.finalFrom !== undefined && watchedIn(lane).every(isMined);

/**
 * True if a reader that knew all lanes at a given time must read the lane again. Lanes that only settle change rarely,
 * so it can rely on what it knows of them.
 */
export const mayHaveChanged = (lane: Lane, sinceMs: number): boolean =>
  (lane.watch?.settlingSinceMs ?? sinceMs) >= sinceMs || hasUnseenOrder(lane);

/**
 * True if a host has shown that a lane must keep waiting for final blocks. Missing news proves nothing.
 *
 * @param confirmed Hashes of blocks in the host's chain.
 */
export const mustSettle = (
  lane: Lane,
  news: ChainNews | undefined,
  confirmed: ReadonlySet<string>,
): boolean =>
  news?.final !== undefined &&
  news.final < (lane.watch?.finalFrom ?? 0) &&
  watchedIn(lane).every(([, block]) => typeof block !== "string" && confirmed.has(block.hash));
