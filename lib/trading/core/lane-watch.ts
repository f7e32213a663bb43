import type { LaneView } from "./effects.ts";
import { bumpDueMs, clearPreset } from "./evm/fee-bumps.ts";
import type { BlockName } from "./evm/host-snapshot.ts";
import { newestAttempt, type Slot } from "./evm/slot.ts";
import { hasUnseenOrder, idleSinceMs } from "./lane-trouble.ts";
import type { Lane, LaneWatch } from "./table-step.ts";
import { hasEnded, slotsOf, type TradeOrder } from "./trade-order.ts";

/** An order that cannot go on is checked again after this time. */
const retryMs = 5000;

/** Blocks arrive later than their timestamp. */
const afterDeadlineMs = 2000;

/** The sweep takes care of a lane after this time: a reader may be wrong, or see only one host that is. */
const lookAgainMs = { signed: 30_000, mined: 5 * 60_000 };

/** Decides when the lane must run again, after a run that has done all it could. */
export function watchFor({ jobs, slots, orders }: LaneView, nowMs: number): LaneWatch {
  const blocks = slots.flatMap(({ attempts, receipt }): [string, BlockName | string][] =>
    // While one attempt is in a block, no other can be.
    receipt ? [[receipt.hash, blockName(receipt.block)]] : attempts.map(({ hash }) => [hash, ""]),
  );
  const final = orders.flatMap((order) => finalFrom(order, slots) ?? []);
  const due = orders.flatMap((order) => dueMs(order, slots, nowMs)).filter((ms) => ms > nowMs);
  const idle = idleSinceMs(orders, slots);
  const isSigned = slots.some(({ state }) => state === "signed");
  return {
    jobs: jobs.length,
    blocks: Object.fromEntries(blocks),
    ...(final.length > 0 && { finalFrom: Math.min(...final) }),
    ...(due.length > 0 && { dueAtMs: Math.min(...due) }),
    ...(blocks.length + final.length > 0 && {
      lookAgainAtMs: nowMs + (isSigned ? lookAgainMs.signed : lookAgainMs.mined),
    }),
    ...(idle !== undefined && { idleSinceMs: idle }),
  };
}

/** Returns the last block that must be final for an ended order. Undefined while one of its nonces is free. */
function finalFrom(order: TradeOrder, slots: readonly Slot[]): number | undefined {
  const blocks = slotsOf(order, slots).flatMap(({ receipt, takenIn = [] }) => {
    const used = receipt ? [receipt.block] : takenIn;
    return used.length > 0 ? used.map(({ number }) => number) : Number.NaN;
  });
  const found = order.ending?.soldOutIn?.map(({ number }) => number) ?? [];
  const last = hasEnded(order) ? Math.max(...blocks, ...found) : Number.NaN;
  return Number.isFinite(last) ? last : undefined;
}

function dueMs(order: TradeOrder, slots: readonly Slot[], nowMs: number): number[] {
  const { intent } = order;
  const endMs = intent.validUntil * 1000 + afterDeadlineMs;
  const front = slots.find(({ orderId, state }) => orderId === intent.orderId && state === "signed");
  const soonMs = nowMs + retryMs;
  if (front === undefined) return hasEnded(order) ? [] : [endMs, soonMs];
  const newest = newestAttempt(front);
  const sentMs = newest?.sentAtMs ?? newest?.signedAtMs ?? nowMs;
  const preset = newest?.purpose === "clear" ? clearPreset : intent.gasPreset;
  // A nonce is freed only when the first block after the deadline has come.
  const isSoon = hasEnded(order)
    ? front.refusal === "underpriced"
    : front.isUndelivered === true || (nowMs >= endMs && newest?.purpose !== "clear");
  const bumpMs = front.isUndelivered ? [] : [bumpDueMs(preset, sentMs)];
  return [endMs, ...bumpMs, ...(isSoon ? [soonMs] : [])].filter(Number.isFinite);
}

const blockName = ({ number, hash }: BlockName): BlockName => ({ number, hash });

/** The signed transactions of a lane, each with the block that it was seen in. */
export const watchedIn = ({ watch }: Lane) => Object.entries(watch?.blocks ?? {});

/** News that a look brings a reader. */
export type ChainNews = {
  /** The hash of the block of each transaction that it asked about. Empty for those in no block. */
  minedIn: ReadonlyMap<string, string>;
  /** The number of the final block, if it asked for it. */
  final?: number | undefined;
};

/** True if a run for the lane is due, because of the chain's news or the time. */
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

/** True if the sweep should make sure that no reader has missed what the lane waits for. */
export const isLookDue = ({ watch }: Lane, nowMs: number): boolean =>
  watch?.lookAgainAtMs !== undefined && nowMs >= watch.lookAgainAtMs;

/** True if the lane waits only until blocks that it knows are final. */
export const isSettling = (lane: Lane): boolean =>
  lane.watch?.finalFrom !== undefined && watchedIn(lane).every(([, block]) => typeof block !== "string");

/**
 * True if a host has shown that such a lane must go on waiting. No news shows nothing.
 *
 * @param confirmed The hashes of blocks that are in the host's chain.
 */
export const mustSettle = (
  lane: Lane,
  news: ChainNews | undefined,
  confirmed: ReadonlySet<string>,
): boolean =>
  news?.final !== undefined &&
  news.final < (lane.watch?.finalFrom ?? 0) &&
  watchedIn(lane).every(([, block]) => typeof block !== "string" && confirmed.has(block.hash));
