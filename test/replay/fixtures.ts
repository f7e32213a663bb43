import { askedOf } from "./asked.ts";
import type { Child } from "./compare.ts";
import type { PriceRecord } from "./pools.ts";

export const startMs = Date.parse("2026-11-21T20:00:00.000Z");

export const coin = 10n ** 18n;

export type JudgedChain = "eth" | "avax" | "sol";

/** Makes an order to sell 100 MOON that was placed at the start. */
export const askedFor = (chain: JudgedChain, terms: object) =>
  askedOf({
    orderId: "rest",
    userID: "ann",
    chain,
    wallet: "0xA",
    createdAtMs: startMs,
    decimals: chain === "sol" ? 6 : 18,
    body: { side: "sell", token: "moon", amount: "100", expiresInSeconds: 10_000, ...terms },
  });

export const limit = { type: "limit", price: "1.1" };
export const stop = { type: "stop", stopPrice: "0.9" };
export const trailing = { type: "trailing_stop", trailPercent: 10 };
export const sliced = { type: "twap", slices: 3, intervalSeconds: 60 };
export const pair = {
  type: "oco",
  takeProfit: { price: "1.1" },
  stopLoss: { stopPrice: "0.9", price: "0.5" },
};

/** Records a price each second, in a pool so deep that amounts do not move it. */
export function recordsOf(
  chain: JudgedChain,
  priceAt: (second: number) => number,
  seconds = 200,
): PriceRecord[] {
  const units = chain === "sol" ? [1e9, 1e6] : [1e18, 1e18];
  return Array.from({ length: seconds }, (_, number) => {
    const reserves = {
      native: 1e12 * (units[0] as number) * priceAt(number),
      moon: 1e12 * (units[1] as number),
    };
    const market = { tax: 0, routes: [{ path: ["native", "moon"], pools: [{ reserves, fee: 0 }] }] };
    return { atMs: startMs + 1000 * number, number, hash: `${number}`, markets: new Map([["moon", market]]) };
  });
}

export const childAt = (second: number, leg: Child["leg"], changes: Partial<Child> = {}): Child => ({
  orderId: "child",
  ...(leg !== undefined && { leg, block: second }),
  createdAtMs: startMs + 1000 * second,
  doneAtMs: startMs + 1000 * (second + 3),
  isFilled: true,
  ...changes,
});
