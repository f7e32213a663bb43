import { hashedId } from "../../../core/record-ids.ts";
import { least } from "../../bigints.ts";
import { whole } from "../../percent.ts";
import type { Leg, Mandate, PricedLeg } from "../mandate.ts";
import { isAbove, outAt, type Ratio, scaled, usualWorstPpm } from "../prices.ts";

/** Result of the swap of a buy, by its receipts at two hosts. */
export type Bought = {
  spent: bigint;
  received: bigint;
  /** Hash of the block of the swap. Absent on chains where only final blocks count. */
  block?: string | undefined;
};

/** Result of the buy of an exit. */
export type Entry = Bought & {
  /** Worst price of a trailing leg. */
  trailWorst?: Ratio | undefined;
  /** Amount of tokens that the exit sells. */
  amount: bigint;
  /** Time in seconds after which the exit no longer fires. */
  endsAt: number;
  /** The position that the buy has made larger. The exit sells only this one. */
  positionId: string;
  /** Number of the child that has bought, or 0 if the buy is a market order. */
  bought: number;
  /** True once no reorganisation can take the buy back. */
  isFinal: boolean;
};

/** A resting order, as far as its prices, amount and end depend on the buy of an exit. */
type Standing = { mandate: Mandate; entry?: Entry | undefined };

/** Number of leading digits of an order's id that encode its time. */
const timeDigits = 10;

/** Makes the id of an exit. It starts with its buy's time, because markers on sol need an id with a time. */
export const exitIdOf = ({ userID, orderId }: Pick<Mandate, "userID" | "orderId">, index: number): string =>
  orderId.slice(0, timeDigits) + hashedId(["exit", userID, orderId, index]).slice(timeDigits);

/**
 * Computes the maximum that an exit sells of the tokens that its buy has received. If the exits of a buy sell 100 % of
 * them, the last exit sells the rest.
 */
export function partOf({ amount, exit }: Mandate, received: bigint): bigint {
  const part = (ppm: bigint) => (received * ppm) / whole;
  const { sharePpm, others } = exit ?? { sharePpm: whole };
  const own = others?.reduce((left, ppm) => left - part(ppm), received) ?? part(sharePpm);
  return least(own, amount);
}

/** Coin that a buy has paid, and tokens that it has received. */
export type Paid = Pick<Entry, "spent" | "received" | "trailWorst">;

/** Returns a leg of an exit at the price that follows from what its buy has paid. Until then, it is at its worst price. */
export function legOfFill(
  { kind, ppm, worst }: Extract<Leg, { kind: "gain" | "loss" }>,
  paid: Paid | undefined,
): PricedLeg {
  const price = paid === undefined ? worst : scaled({ coins: paid.spent, tokens: paid.received }, ppm);
  if (kind === "gain") return { kind: "limit", price: higher(price, worst) };
  return { kind: "stop", trigger: price, worst: higher(scaled(price, usualWorstPpm), worst) };
}

export const higher = (a: Ratio, b: Ratio): Ratio => (isAbove(a, b) ? a : b);

export const amountOf = ({ mandate, entry }: Standing): bigint => entry?.amount ?? mandate.amount;

export const endsAt = ({ mandate, entry }: Standing): number => entry?.endsAt ?? mandate.expiresAt;

/** Minimum distance of a stop below what selling at once would bring, in millionths. A smaller one is noise. */
const leastDistancePpm = 30_000n;

/**
 * True if a stop would fire as soon as it rests, or at the slightest move of the price.
 *
 * @param out What the sale of the amount would bring now, with fees and taxes.
 */
export const isTooClose = (leg: PricedLeg, amount: bigint, out: bigint): boolean =>
  leg.kind === "stop" && outAt("sell", leg.trigger, amount) * whole > out * (whole - leastDistancePpm);
