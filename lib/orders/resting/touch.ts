import type { Network } from "../../core/network.ts";
import type { Order } from "../execution.ts";
import { hasStop, isStop, type Leg, type LegClass, type Mandate, type PricedLeg } from "./mandate.ts";
import { isCrossed } from "./prices.ts";
import { blocksWithin, mostHeadSeconds, triggerTimes } from "./times.ts";

/** A host's answer about what an order's own amount brings. */
export type PriceWord = {
  /** Block of `out`, or on sol its slot. */
  head: { number: number; hash: string; time: number };
  /** Output of the best route, with fees and taxes. Undefined if no route has answered. */
  out: bigint | undefined;
  /** Outputs at the earlier blocks that were asked about, by their distance from the head. */
  before: ReadonlyMap<number, bigint>;
  /** True if the route that paid best in the last look has answered. */
  hasBest: boolean;
};

export type PriceWords = readonly [PriceWord | undefined, PriceWord | undefined];

/** Number of random blocks at which a stop's price must have held, on chains with short blocks. */
export const randomBlocks = 3;

/**
 * Chooses the distances from the head at which both hosts are asked about a leg's price. They are random, so nobody can
 * push the price in just these blocks.
 *
 * @param dice Random numbers from 0 up to, but not including, 1, as many as {@link randomBlocks}.
 */
export function lookBack(
  chain: Network,
  leg: Leg,
  order: Pick<Mandate, "legs">,
  dice: readonly number[],
): number[] {
  // Several readings take the place of earlier blocks, because hosts of sol keep no earlier states.
  if (chain === "sol") return [];
  if (!isStop(leg)) {
    if (!hasStop(order)) return [];
    return [chain === "eth" ? 1 : blocksWithin(chain, triggerTimes.beforeSeconds)];
  }
  if (chain === "eth") return [1, 2];
  const left = Array.from({ length: blocksWithin(chain, triggerTimes.lookBackSeconds) }, (_, at) => at + 1);
  return dice.flatMap((die) => left.splice(Math.floor(die * left.length), 1));
}

/** True if a head is so old that nothing fires by it. */
export const isOldHead = (
  chain: Network,
  { time }: Pick<PriceWord["head"], "time">,
  nowMs: number,
): boolean => nowMs - time * 1000 > mostHeadSeconds(chain) * 1000;

/** Maximum distance between the slots of two hosts of sol. */
const mostSlotsApart = 40;

/** True if two hosts speak of the same state: of one block, or on sol of slots that are close. */
const areTogether = (chain: Network, a: PriceWord, b: PriceWord): boolean =>
  chain === "sol" ? Math.abs(a.head.number - b.head.number) <= mostSlotsApart : a.head.hash === b.head.hash;

/** A question about a leg: the order's own amount, and the distances that {@link lookBack} chose. */
export type TouchQuestion = {
  chain: Network;
  side: Order["side"];
  leg: PricedLeg;
  amount: bigint;
  distances: readonly number[];
};

/** What hosts say that an amount brings, at some blocks. */
export type Samples = readonly [bigint, ...bigint[]];

/**
 * Returns everything that both hosts say the amount brings, at the head and at the earlier blocks that were asked
 * about. Undefined if any of it is missing, old or about another state.
 */
export function samplesIn(
  { chain, distances }: Pick<TouchQuestion, "chain" | "distances">,
  [a, b]: PriceWords,
  nowMs: number,
): Samples | undefined {
  if (a === undefined || b === undefined || !areTogether(chain, a, b)) return undefined;
  const samples: bigint[] = [];
  for (const { head, out, before, hasBest } of [a, b]) {
    if (isOldHead(chain, head, nowMs) || !hasBest) return undefined;
    for (const each of [out, ...distances.map((distance) => before.get(distance))]) {
      if (each === undefined) return undefined;
      samples.push(each);
    }
  }
  const [first, ...others] = samples;
  return first === undefined ? undefined : [first, ...others];
}

/**
 * True if both hosts say that a leg's price is reached. Each host can prevent a firing, but none can cause one by
 * itself. So the lower output counts for a limit, and the higher one for a stop.
 */
export function isTouched({ side, leg, amount, ...asked }: TouchQuestion, words: PriceWords, nowMs: number) {
  const samples = samplesIn(asked, words, nowMs);
  return samples?.every((out) => isCrossed(side, leg, amount, out)) ?? false;
}

/** Crossed readings of a leg on sol, in a row. */
export type Seen = { leg: number; n: number; sinceMs: number; lastMs: number };

/** Minimum number of readings in a row that fire a leg, and minimum time from the first to the last. */
const enough = {
  limit: { readings: 2, wait: "beforeSeconds" },
  stop: { readings: 4, wait: "lookBackSeconds" },
} as const satisfies Record<LegClass, object>;

/** True for legs that fire after several readings: on sol, those of an order with a stop. */
export const needsReadings = (chain: Network, order: Pick<Mandate, "legs">): boolean =>
  chain === "sol" && hasStop(order);

/**
 * Adds a reading of a leg on sol. A reading that is not crossed, or a long gap, starts the count again. Counts the time
 * from the first answer to the last question, because a run may stand still at any moment.
 */
export function seenAfter(
  seen: Seen | undefined,
  leg: number,
  isReached: boolean,
  { askedMs, answeredMs }: { askedMs: number; answeredMs: number },
): Seen | undefined {
  if (!isReached) return seen?.leg === leg ? undefined : seen;
  const isNext = seen?.leg === leg && askedMs - seen.lastMs <= triggerTimes.readingGapMs;
  return isNext
    ? { ...seen, n: seen.n + 1, lastMs: askedMs }
    : { leg, n: 1, sinceMs: answeredMs, lastMs: answeredMs };
}

/** True if the readings of a leg suffice to fire it. */
export function isSeenEnough(seen: Seen | undefined, leg: number, legClass: LegClass): boolean {
  const { readings, wait } = enough[legClass];
  if (seen?.leg !== leg || seen.n < readings) return false;
  return seen.lastMs - seen.sinceMs >= triggerTimes[wait] * 1000;
}
