/** A leg as its user asked for it. Prices are in millionths of a coin; that of a trailing stop is the one at placing. */
export type AskedLeg = {
  name: "limit" | "takeProfit" | "stop" | "stopLoss" | "trailing" | "slice";
  kind: "limit" | "stop" | "trailing";
  at: number;
  trail?: number;
  worst: number;
  /** True if both prices are millionths of what the buy of an exit has paid. */
  ofFill?: boolean;
};

export type Asked = {
  orderId: string;
  wallet: string;
  /** The legs of an order, or of each of its slices. */
  legs: readonly AskedLeg[];
  createdMs: number;
  /** The end of its life, or the time of its cancellation. */
  endMs: number;
  slices?: { count: number; everySeconds: number };
  /** The market order whose tokens an exit sells. */
  exitOf?: string;
};

export const classOf = ({ kind }: AskedLeg): "limit" | "stop" => (kind === "limit" ? "limit" : "stop");

/**
 * Returns a leg at the prices that follow from each fill of an exit's buy.
 *
 * @param mark Lowest price at which a trailing stop may have begun.
 */
export function pricedBy(leg: AskedLeg, paid: readonly number[], mark: number): AskedLeg[] {
  const millionths = (price: number, of: number) => (price * of) / 1e6;
  if (leg.ofFill)
    return paid.map((price) => ({
      ...leg,
      at: millionths(price, leg.at),
      worst: millionths(price, leg.worst),
    }));
  const isBought = paid.length > 0 && leg.trail !== undefined;
  return [isBought ? { ...leg, worst: mark * (1 - (leg.trail ?? 0)) * 0.8 } : leg];
}

const limitMargin = 1.001;

/** True if a price reaches that of a leg. A slack above 1 makes it easier. */
export function isCrossed(
  { kind, at, trail = 0 }: AskedLeg,
  price: number,
  mark: number,
  slack: number,
): boolean {
  if (kind === "limit") return price * slack >= at * limitMargin;
  return price <= (kind === "stop" ? at : mark * (1 - trail)) * slack;
}

/** What differs between chains. Times are in blocks. */
export type Pace = {
  mostHeadMs: number;
  /** Blocks before the head at which a stop's price must have held, and those of them in which it need not. */
  back: number;
  misses: number;
  /** Time within which a leg fires whose price holds. */
  due: Readonly<Record<AskedLeg["name"], number>>;
  /** Time within which the exits of a buy come to rest. */
  born: number;
  /** Number of blocks in 12 seconds. */
  unit: number;
};

export const paces: Readonly<Record<"eth" | "base", Pace>> = {
  eth: {
    mostHeadMs: 36_000,
    back: 2,
    misses: 0,
    due: { limit: 2, takeProfit: 3, stop: 5, stopLoss: 5, trailing: 5, slice: 2 },
    born: 2,
    unit: 1,
  },
  // Hosts are asked about three random ones of the last four blocks.
  base: {
    mostHeadMs: 15_000,
    back: 4,
    misses: 1,
    due: { limit: 4, takeProfit: 6, stop: 9, stopLoss: 9, trailing: 9, slice: 4 },
    born: 5,
    unit: 6,
  },
};
