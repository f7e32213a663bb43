import { type Asked, type AskedLeg, numberOf, type Price, priceFrom, type Request } from "./asked.ts";
import { type Period, pointsOf } from "./points.ts";
import type { PriceRecord, Side } from "./pools.ts";

type Percent = { percent: number };
type Exit = Percent & {
  takeProfit?: Percent | { price: string };
  stopLoss?: Percent | { stopPrice: string; price?: string };
  trailing?: { trailPercent: number };
};

/** A buy that has filled. */
export type Bought = {
  buy: Request;
  /** Units of the coin that the buy has paid, and of the token that it has received. */
  spent: bigint;
  received: bigint;
  filledAtMs: number;
  /** Ids of the buy's exits, in the order of the request. */
  exitIds: readonly string[];
};

/** Milliseconds from a fill until its exits certainly rest. */
const activationMs = 10_000;

/** Longest rest of an exit. */
const restMs = 90 * 86_400_000;

const millionths = 1_000_000n;
const ppmOf = (percent: number) => BigInt(Math.round(percent * 10_000));

/** Reads the exits that a buy has asked for, by what it has paid. */
export function exitsOf({ buy, spent, received, filledAtMs, exitIds }: Bought): Asked[] {
  const { chain, body } = buy;
  const { token, exits = [] } = body as { token: string; exits?: readonly Exit[] };
  const given = (text: string) => priceFrom(text, buy);
  const entry = { coins: spent, tokens: received };
  const moved = ({ percent }: Percent) => scaled(entry, millionths + ppmOf(percent));
  const parts = exits.map(({ percent }) => (received * ppmOf(percent)) / (100n * 10_000n));
  const isAll = exits.reduce((sum, { percent }) => sum + percent, 0) === 100;
  return exits.map(({ takeProfit, stopLoss, trailing }, index): Asked => {
    const rest = received - parts.slice(0, -1).reduce((sum, part) => sum + part, 0n);
    const amount = isAll && index === exits.length - 1 ? rest : (parts[index] ?? 0n);
    const isPair = takeProfit !== undefined && (stopLoss ?? trailing) !== undefined;
    const legs: AskedLeg[] = [];
    if (takeProfit !== undefined) {
      const at = "price" in takeProfit ? given(takeProfit.price) : moved(takeProfit);
      legs.push({ name: isPair ? "takeProfit" : "limit", kind: "limit", amount, at, worst: at });
    }
    if (stopLoss !== undefined) {
      const price = "stopPrice" in stopLoss ? stopLoss.price : undefined;
      const at = "stopPrice" in stopLoss ? given(stopLoss.stopPrice) : moved(stopLoss);
      const worst = price === undefined ? scaled(at, 800_000n) : given(price);
      legs.push({ name: isPair ? "stopLoss" : "stop", kind: "stop", amount, at, worst });
    }
    if (trailing !== undefined)
      legs.push({ name: "trailing", kind: "trailing", amount, trail: trailing.trailPercent / 100 });
    return {
      orderId: exitIds[index] ?? "",
      userID: buy.userID,
      chain,
      wallet: buy.wallet,
      token,
      side: "sell",
      amount,
      legs,
      fills: 1,
      createdAtMs: filledAtMs + activationMs,
      expiresAtMs: filledAtMs + restMs,
    };
  });
}

const scaled = ({ coins, tokens }: Price, ppm: bigint): Price => ({
  coins: coins * ppm,
  tokens: tokens * millionths,
});

/** State of an exit after the fill of its buy. It is suspended if its stop would sell at once. */
export type Birth = "rests" | "suspended" | "unclear";

/**
 * Share of an immediate sale's price that a stop must not exceed, minus and plus a tolerance for the arithmetic here.
 */
const closest = { certainly: 0.969, atMost: 0.971 };

/** Milliseconds by which the record of a block may be late. */
const lateMs = 3000;

/**
 * Judges what becomes of an exit from the prices of an immediate sale.
 *
 * @param period Time in which the service has looked at these prices.
 */
export function birthOf(asked: Asked, records: readonly PriceRecord[], period: Period): Birth {
  const stops = asked.legs.flatMap((leg) => (leg.kind === "stop" ? [numberOf(leg.at)] : []));
  if (stops.length === 0) return "rests";
  const first = records.findLastIndex(({ atMs }) => atMs <= period.fromMs);
  const seen = records.slice(Math.max(0, first)).filter(({ atMs }) => atMs <= period.toMs + lateMs);
  const shares = pointsOf(asked, asked.amount, seen).map(
    ({ price = Number.NaN }) => (stops[0] as number) / price,
  );
  if (first < 0 || shares.length === 0) return "unclear";
  if (shares.every((share) => share < closest.certainly)) return "rests";
  return shares.every((share) => share > closest.atMost) ? "suspended" : "unclear";
}

/** A swap by an order of one user, wallet and token that is in a block. */
export type Swap = { hash: string; side: Side; tokens: bigint; atMs: number };

/**
 * Returns when sales have closed the position that a buy made larger. Undefined if it is open.
 *
 * @param swaps All swaps in the order of the chain.
 */
export function closedAtMs(swaps: readonly Swap[], buy: string): number | undefined {
  let held = 0n;
  let isIn = false;
  for (const { hash, side, tokens, atMs } of swaps) {
    if (side === "buy") held += tokens;
    else held = tokens < held ? held - tokens : 0n;
    isIn ||= hash === buy;
    if (isIn && held === 0n) return atMs;
  }
  return undefined;
}
