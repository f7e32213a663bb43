/** A product of the simulated venue. Numbers are in USD. */
export type Product = { id: string; price: number; sequence: number; tradeID: number };

/** About what the assets cost, to walk around. No price here is a real one. */
const anchors: Readonly<Record<string, number>> = {
  "ETH-USD": 2600,
  "SOL-USD": 140,
  "BNB-USD": 600,
  "AVAX-USD": 25,
};

/** How far a trade moves a price at the most, and how strongly it is drawn back to where it began: both as a share. */
const step = 0.0005;
const pull = 0.002;

/** The products as they are before the first trade. */
export const openMarket = (): Map<string, Product> =>
  new Map(Object.entries(anchors).map(([id, price]) => [id, { id, price, sequence: 1, tradeID: 1 }]));

/**
 * A random walk that stays in the neighbourhood.
 *
 * @param chance from 0 to 1
 */
export function trade({ id, price, sequence, tradeID }: Product, chance: number): Product {
  const anchor = anchors[id] ?? price;
  const moved = price * (1 + step * (2 * chance - 1)) + (anchor - price) * pull;
  return { id, price: toCents(moved), sequence: sequence + 1, tradeID: tradeID + 1 };
}

const toCents = (price: number) => Math.round(price * 100) / 100;
