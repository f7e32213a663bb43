import { bumpDueMs, clearPreset } from "../chains/evm/rules/fee-bumps.ts";
import { isToJudge, newestAttempt, type Slot } from "../chains/evm/rules/slot.ts";
import type { AnySlot, Family } from "../chains/families/types.ts";
import { type SolSlot, successOf } from "../chains/sol/rules/slot.ts";
import type { BlockName } from "./block.ts";
import type { LaneView } from "./effects.ts";
import { hasUnseenOrder, idleSinceMs } from "./lane-trouble.ts";
import type { Departure, Lane, LaneWatch } from "./table-step.ts";
import { type AnyOrder, hasEnded, isSolOrder, slotsOf, type TradeOrder } from "./trade-order.ts";

/** An order that cannot go on is checked again after this time. */
const retryMs = 5000;

/** Blocks arrive later than their timestamp. */
const afterDeadlineMs = 2000;

/** The sweep takes care of a lane after this time: a reader may be wrong, or see only one host that is. */
const lookAgainMs = { signed: 30_000, mined: 5 * 60_000 };

/** Decides when the lane must run again, after a run that has done all it could. */
export function watchFor(
  { jobs, slots, orders }: LaneView<Family>,
  nowMs: number,
  departures: readonly Departure[] = [],
): LaneWatch {
  const blocks = (slots as readonly AnySlot[]).flatMap((slot): [string, BlockName | string][] => {
    const receipt = "nonce" in slot ? slot.receipt : successOf(slot);
    // While one attempt is in a block, no other can be.
    return receipt ? [[receipt.hash, blockName(receipt.block)]] : slot.attempts.map(({ hash }) => [hash, ""]);
  });
  const final = [
    ...orders.flatMap((order) => finalFrom(order, slots) ?? []),
    ...departures.map(({ seenIn }) => Math.max(...seenIn.map(({ number }) => number))),
  ];
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
    ...(departures.length > 0 && { departures }),
    ...(idle !== undefined && { idleSinceMs: idle }),
  };
}

/** Returns the last block that must be final for an ended order. Undefined while one of its nonces is free. */
function finalFrom(order: AnyOrder, slots: readonly AnySlot[]): number | undefined {
  const blocks = slotsOf(order, slots).flatMap((slot) => {
    const { receipt, takenIn = [] } = "nonce" in slot ? slot : { receipt: successOf(slot) };
    const used = receipt ? [receipt.block] : takenIn;
    return used.length > 0 ? used.map(({ number }) => number) : Number.NaN;
  });
  const found = order.ending?.soldOutIn?.map(({ number }) => number) ?? [];
  const last = hasEnded(order) ? Math.max(...blocks, ...found) : Number.NaN;
  return Number.isFinite(last) ? last : undefined;
}

function dueMs(order: AnyOrder, slots: readonly AnySlot[], nowMs: number): number[] {
  return isSolOrder(order)
    ? solDueMs(order, slots as readonly SolSlot[], nowMs)
    : evmDueMs(order as TradeOrder, slots as readonly Slot[], nowMs);
}

function evmDueMs(order: TradeOrder, slots: readonly Slot[], nowMs: number): number[] {
  const { intent } = order;
  const endMs = intent.validUntil * 1000 + afterDeadlineMs;
  const front = slots.find(({ orderId, state }) => orderId === intent.orderId && state === "signed");
  const soonMs = nowMs + retryMs;
  const isUnjudged = slotsOf(order, slots).some((slot) => isToJudge(slot, nowMs));
  if (front === undefined) return hasEnded(order) ? (isUnjudged ? [soonMs] : []) : [endMs, soonMs];
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

/** Messages on their way are sent again at this interval, as their leaders may have dropped them. */
const resendMs = 2000;

/**
 * A message of this age is in no block because the cluster stands still, or hosts show the order's marker and have
 * forgotten its outcome. Neither passes soon, so its lane runs at a longer interval.
 */
const old = { ageMs: 10 * 60_000, resendMs: 60_000 };

/** The time until the finalized height has passed a message that has lapsed. */
const lapsedMs = 10_000;

function solDueMs(order: TradeOrder<"sol">, slots: readonly SolSlot[], nowMs: number): number[] {
  const endMs = order.intent.validUntil * 1000 + afterDeadlineMs;
  const [slot] = slotsOf(order, slots);
  switch (slot?.state) {
    case undefined:
      return hasEnded(order) ? [] : [endMs, nowMs + retryMs];
    case "signed": {
      const signedMs = slot.attempts.at(-1)?.signedAtMs ?? nowMs;
      return [nowMs + (nowMs - signedMs < old.ageMs ? resendMs : old.resendMs)];
    }
    case "lapsed":
      return [nowMs + (hasEnded(order) ? lapsedMs : retryMs)];
    case "mined":
      return [];
  }
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
