import type * as v from "valibot";
import { least } from "../bigints.ts";
import { whole } from "../percent.ts";
import { legOfFill, type Paid } from "./exits/entry.ts";
import type { Leg, Mandate, PricedLeg } from "./mandate.ts";
import { isAbove, limitMarginPpm, type Ratio, scaled } from "./prices.ts";
import type { triggerTerms } from "./schemas.ts";
import { triggerTimes } from "./times.ts";
import { isSeenEnough, needsReadings, type Samples, type Seen, seenAfter } from "./touch.ts";

/** Price that a trailing leg follows, and the time since which it is the mark. */
export type Mark = { price: Ratio; sinceMs: number };

/** Readings in a row on sol of a price to which the mark may rise, and the lowest of them. */
export type Rise = { seen: Seen; price: Ratio };

type Trailing = Extract<Leg, { kind: "trailing" }>;

export type Standing = {
  mandate: Pick<Mandate, "legs">;
  mark?: Mark | undefined;
  entry?: Paid | undefined;
};

/** Returns the price at which a trailing leg fires while the mark stays. */
export const trailedBy = (mark: Ratio, trailPpm: bigint): Ratio => scaled(mark, whole - trailPpm);

/** Returns a leg as it would fire now. */
export function pricedLeg({ mandate, mark, entry }: Standing, at: number): PricedLeg {
  const leg = mandate.legs[at] as Leg;
  if (leg.kind === "gain" || leg.kind === "loss") return legOfFill(leg, entry);
  if (leg.kind === "slice") return { kind: "limit", price: leg.worst };
  if (leg.kind !== "trailing") return leg;
  const { trailPpm } = leg;
  const worst = entry?.trailWorst ?? leg.worst;
  // Without a mark, nothing above the worst price may fire.
  return { kind: "stop", trigger: mark ? trailedBy(mark.price, trailPpm) : worst, worst };
}

export const pricedLegs = (order: Standing): PricedLeg[] =>
  order.mandate.legs.map((_, at) => pricedLeg(order, at));

/** Returns the first mark of an order. Undefined if none of its legs trails. */
export const firstMark = ({ legs, createdAt }: Pick<Mandate, "legs" | "createdAt">, price: Ratio) =>
  legs.some(({ kind }) => kind === "trailing") ? { price, sinceMs: createdAt } : undefined;

/** Smallest rise of a mark in millionths, so that a volatile price does not move it all the time. */
const leastRise = ({ trailPpm }: Trailing): bigint => (trailPpm > 100_000n ? trailPpm / 20n : 5000n);

type Hints = v.InferOutput<typeof triggerTerms>["legs"];

/** Returns the prices at which to look at an order: those of its legs, and the one at which its mark may rise. */
export const hintsOf = (order: Standing): Hints =>
  order.mandate.legs.flatMap((leg, at): Hints => {
    const own = pricedLeg(order, at);
    // Gives no price for slices, which fire by their times.
    if (leg.kind === "slice") return [];
    if (leg.kind !== "trailing" || order.mark === undefined) return [own];
    // A search compares with a limit's margin.
    const price = scaled(order.mark.price, whole + leastRise(leg) - limitMarginPpm);
    return [own, { kind: "limit", price, isOfMark: true }];
  });

/** What both hosts say that an amount brings, at the head and over the look-back, and when they were asked. */
export type Sight = { amount: bigint; samples: Samples; askedMs: number; answeredMs: number };

/**
 * Raises the mark of a trailing leg to the lowest price of all samples, so that nobody can push it up in a few blocks. On
 * sol, several readings in a row take the place of earlier blocks.
 */
export function markAfter(
  { mandate, mark, rise }: Standing & { mandate: Pick<Mandate, "chain" | "legs">; rise?: Rise | undefined },
  at: number,
  sight: Sight | undefined,
): { mark: Mark | undefined; rise: Rise | undefined } {
  const leg = mandate.legs[at];
  if (leg?.kind !== "trailing" || mark === undefined || sight === undefined) return { mark, rise };
  const { amount, samples, answeredMs } = sight;
  const price = { coins: least(...samples), tokens: amount };
  const wanted = scaled(mark.price, whole + leastRise(leg));
  if (answeredMs - mark.sinceMs < triggerTimes.markMs.first || isAbove(wanted, price))
    return { mark, rise: undefined };
  if (!needsReadings(mandate.chain, mandate))
    return { mark: { price, sinceMs: answeredMs }, rise: undefined };
  const seen = seenAfter(rise?.seen, at, true, sight) as Seen;
  const lowest = seen.n > 1 && rise !== undefined && isAbove(price, rise.price) ? rise.price : price;
  return isSeenEnough(seen, at, "stop")
    ? { mark: { price: lowest, sinceMs: answeredMs }, rise: undefined }
    : { mark, rise: { seen, price: lowest } };
}
