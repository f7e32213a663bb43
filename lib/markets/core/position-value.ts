import { chainFacts, type TradingChain } from "../../core/chain-facts.ts";
import { type Decimal, inUnits } from "../../core/decimal.ts";
import { coinText } from "../../orders/decimal-text.ts";

/** A holding as decimal text. Other engines may state amounts of any length, and may state no cost. */
type Held = { chain: TradingChain; amount: string; cost?: string | undefined };

/**
 * The value of a position in the chain's coin, rounded half-even to the coin's smallest unit, and the profit from
 * selling the whole position at that value. Undefined if the amount cannot be read.
 */
export function positionValue(
  { chain, amount, cost }: Held,
  price: Decimal,
): { value: string; unrealizedPnl?: string } | undefined {
  const held = exact(amount);
  if (held === undefined) return undefined;
  const worth = { mantissa: held.mantissa * price.mantissa, exponent: held.exponent + price.exponent };
  const units = inUnits(worth, chainFacts[chain].coin.decimals);
  const paid = cost === undefined ? undefined : exact(cost);
  return {
    value: coinText(chain, units),
    ...(paid && { unrealizedPnl: coinText(chain, units - inUnits(paid, chainFacts[chain].coin.decimals)) }),
  };
}

/** Reads a decimal number without rounding it. */
function exact(text: string): Decimal | undefined {
  const [, whole, places = ""] = /^(\d{1,80})(?:\.(\d{1,80}))?$/.exec(text) ?? [];
  return whole === undefined ? undefined : { mantissa: BigInt(whole + places), exponent: -places.length };
}
