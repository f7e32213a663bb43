/** A product of the simulated venue. Numbers are in USD. */
export type Product = { id: string; price: number; sequence: number; tradeId: number };

/** Invented prices, around which the random walk moves. */
const anchors: Readonly<Record<string, number>> = {
  "ETH-USD": 2600,
  "SOL-USD": 140,
  "BNB-USD": 600,
  "AVAX-USD": 25,
};

/** Largest move of one trade, as a fraction of the price. */
const step = 0.0005;
/** Fraction of the distance to the anchor price that each trade closes. */
const pull = 0.002;

/** Makes the products with their values before the first trade. */
export const openMarket = (): Map<string, Product> =>
  new Map(Object.entries(anchors).map(([id, price]) => [id, { id, price, sequence: 1, tradeId: 1 }]));

/**
 * Makes one step of a random walk around the anchor price.
 *
 * @param chance A random number from 0 to 1
 */
export function trade({ id, price, sequence, tradeId }: Product, chance: number): Product {
  const anchor = anchors[id] ?? price;
  const moved = price * (1 + step * (2 * chance - 1)) + (anchor - price) * pull;
  return { id, price: toCents(moved), sequence: sequence + 1, tradeId: tradeId + 1 };
}

const toCents = (price: number) => Math.round(price * 100) / 100;
