import type { LaneView } from "./effects.ts";
import { bumpDueMs, clearPreset } from "./evm/fee-bumps.ts";
import type { ChainSnapshot } from "./evm/host-snapshot.ts";
import { newestAttempt, type Slot } from "./evm/slot.ts";
import { hasUnseenOrder, idleSinceMs } from "./lane-trouble.ts";
import type { Lane, LaneWatch } from "./table-step.ts";
import { hasEnded, slotsOf, type TradeOrder } from "./trade-order.ts";

/** An order that cannot go on is checked again after this time. */
const retryMs = 5000;

/** Blocks arrive later than their timestamp. */
const afterDeadlineMs = 2000;

/** Decides when the lane must run again, after a run that has done all it could. */
export function watchFor({ jobs, slots, orders }: LaneView, nowMs: number): LaneWatch {
  const blocks = slots.flatMap(({ attempts, receipt }) =>
    attempts.map(({ hash }) => [hash, receipt?.hash === hash ? receipt.block.hash : ""] as const),
  );
  const final = orders.flatMap((order) => finalFrom(order, slots) ?? []);
  const due = orders.flatMap((order) => dueMs(order, slots, nowMs)).filter((ms) => ms > nowMs);
  const idle = idleSinceMs(orders, slots);
  return {
    jobs: jobs.length,
    blocks: Object.fromEntries(blocks),
    ...(final.length > 0 && { finalFrom: Math.min(...final) }),
    ...(due.length > 0 && { dueAtMs: Math.min(...due) }),
    ...(idle !== undefined && { idleSinceMs: idle }),
  };
}

/** Returns the last block that must be final for an ended order. Undefined while a transaction is in no block. */
function finalFrom(order: TradeOrder, slots: readonly Slot[]): number | undefined {
  const blocks = slotsOf(order, slots).map(({ receipt }) => receipt?.block.number ?? Number.NaN);
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

export const hashesIn = ({ watch }: Lane): string[] => Object.keys(watch?.blocks ?? {});

/** True if a run for the lane is due, because of the chain's news or the time. */
export function isDue(lane: Lane, chainSnapshot: ChainSnapshot | undefined, nowMs: number): boolean {
  const { watch } = lane;
  if (watch === undefined || hasUnseenOrder(lane)) return true;
  if (watch.dueAtMs !== undefined && nowMs >= watch.dueAtMs) return true;
  if (chainSnapshot === undefined) return false;
  if (watch.finalFrom !== undefined && chainSnapshot.finalized >= watch.finalFrom) return true;
  return Object.entries(watch.blocks).some(
    ([hash, block]) => (chainSnapshot.blocks.get(hash) ?? "") !== block,
  );
}
