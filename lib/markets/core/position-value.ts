import { coinDecimals, coinText, divideHalfEven } from "../../orders/decimal-text.ts";
import type { TradingChain } from "../../orders/trading-chain.ts";
import type { Decimal } from "./decimal.ts";

/** A holding, as decimal text. Other engines may state amounts of any length, and no cost. */
type Held = { chain: TradingChain; amount: string; cost?: string | undefined };

/**
 * The worth of a position in the chain's coin, rounded half-even to its last unit, and the profit if all of it were sold for
 * that. Undefined if the amount cannot be read.
 */
export function positionValue(
  { chain, amount, cost }: Held,
  price: Decimal,
): { value: string; unrealizedPnl?: string } | undefined {
  const held = exact(amount);
  if (held === undefined) return undefined;
  const units = unitsOf(chain, {
    mantissa: held.mantissa * price.mantissa,
    exponent: held.exponent + price.exponent,
  });
  const paid = cost === undefined ? undefined : exact(cost);
  return {
    value: coinText(chain, units),
    ...(paid && { unrealizedPnl: coinText(chain, units - unitsOf(chain, paid)) }),
  };
}

/** Reads a number without rounding it. */
function exact(text: string): { mantissa: bigint; exponent: number } | undefined {
  const [, whole, places = ""] = /^(\d{1,80})(?:\.(\d{1,80}))?$/.exec(text) ?? [];
  return whole === undefined ? undefined : { mantissa: BigInt(whole + places), exponent: -places.length };
}

function unitsOf(chain: TradingChain, { mantissa, exponent }: { mantissa: bigint; exponent: number }) {
  const shift = exponent + coinDecimals[chain];
  return shift >= 0 ? mantissa * 10n ** BigInt(shift) : divideHalfEven(mantissa, 10n ** BigInt(-shift));
}
