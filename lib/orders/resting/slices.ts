import type { Mandate } from "./mandate.ts";

export type Sliced = Pick<Mandate, "amount" | "createdAt" | "slices">;

/** Names what fills at most once: a resting order or, if it has slices, one of them. */
export const fillIdOf = ({ orderId, slice }: { orderId: string; slice?: number | undefined }): string =>
  slice === undefined ? orderId : `${orderId}.${slice}`;

/** Returns the time in seconds from which a slice may be signed. Slices count from 1. */
export const dueAt = (createdAt: number, everySeconds: number, slice: number): number =>
  Math.ceil(createdAt / 1000) + (slice - 1) * everySeconds;

/** Returns the time in seconds at which an order's next slice is due. */
export const nextDueAt = ({
  mandate: { createdAt, slices },
  nextSlice,
}: {
  mandate: Sliced;
  nextSlice?: number | undefined;
}): number | undefined =>
  slices === undefined || nextSlice === undefined
    ? undefined
    : dueAt(createdAt, slices.everySeconds, nextSlice);

/** Counts the turns that have begun. The count exceeds the number of slices once the last turn is over. */
const turnsAt = ({ createdAt, slices }: Sliced, nowMs: number): number =>
  slices === undefined ? 0 : 1 + Math.floor((nowMs / 1000 - dueAt(createdAt, 0, 1)) / slices.everySeconds);

/** Returns a slice, if there is one of that number. */
export const sliceFrom = ({ slices }: Pick<Mandate, "slices">, slice: number): number | undefined =>
  slices !== undefined && slice >= 1 && slice <= slices.count ? slice : undefined;

/** Returns the slice whose turn it is. */
export const sliceAt = (mandate: Sliced, nowMs: number): number | undefined =>
  sliceFrom(mandate, turnsAt(mandate, nowMs));

/**
 * Returns the slice that fires next. A missed slice is not made up for, and a slice that may be signed never fires
 * again.
 */
export function nextSliceOf(
  mandate: Sliced,
  firings: readonly { slice?: number; outcome: string }[],
  nowMs: number,
): number | undefined {
  const used = firings.map(({ slice = 0, outcome }) => (outcome === "unsent" ? 0 : slice));
  return sliceFrom(mandate, Math.max(1, turnsAt(mandate, nowMs), ...used.map((slice) => slice + 1)));
}

/** Returns the amount of a child: that of its slice, or all of it. The last slice takes the rest. */
export function amountOfChild({ amount, slices }: Sliced, slice: number | undefined): bigint {
  if (slices === undefined || slice === undefined) return amount;
  const each = amount / BigInt(slices.count);
  return slice === slices.count ? amount - each * BigInt(slices.count - 1) : each;
}
