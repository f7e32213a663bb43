/**
 * A leg as its user requested it. Prices are in millionths of a coin; that of a trailing stop is its price at placing.
 */
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
 * @param mark Price at which a trailing stop may have begun.
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
  return [isBought ? { ...leg, worst: Math.max(leg.worst, mark * (1 - (leg.trail ?? 0)) * 0.8) } : leg];
}

const limitMargin = 1.001;

/** True if a price reaches a leg's. A slack above 1 makes it easier. */
export function isCrossed(
  { kind, at, trail = 0 }: AskedLeg,
  price: number,
  mark: number,
  slack: number,
): boolean {
  if (kind === "limit") return price * slack >= at * limitMargin;
  return price <= (kind === "stop" ? at : mark * (1 - trail)) * slack;
}
