import { type Asked, type AskedLeg, type Price, priceFrom, type Request } from "./asked.ts";

type Percent = { percent: number };
type Exit = Percent & {
  takeProfit?: Percent | { price: string };
  stopLoss?: Percent | { stopPrice: string; price?: string };
  trailing?: { trailPercent: number };
};

/** A buy that has filled. */
export type Bought = {
  buy: Request;
  /** Units of the coin that it has paid, and of the token that it has received. */
  spent: bigint;
  received: bigint;
  filledAtMs: number;
  /** Ids of its exits, in the order of the request. */
  exitIds: readonly string[];
};

/** Milliseconds from a fill until its exits rest for certain. */
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
