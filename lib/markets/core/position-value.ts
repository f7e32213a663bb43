import { chainFacts, type TradingChain } from "../../core/chain-facts.ts";
import { type Decimal, inUnits } from "../../core/decimal.ts";
import { coinText } from "../../orders/decimal-text.ts";

/** A holding as decimal text. Other engines may state amounts of any length, and may state no cost. */
type Held = {
  chain: TradingChain;
  amount: string;
  cost?: string | undefined;
  costFees?: string | undefined;
};

/**
 * The value of a position in the chain's coin, rounded half-even to the coin's smallest unit, and the profit from
 * selling the whole position at that value, before and after the network fees of its purchases. Undefined if the amount
 * cannot be read.
 */
export function positionValue(
  { chain, amount, cost, costFees }: Held,
  price: Decimal,
): { value: string; unrealizedPnl?: string; netUnrealizedPnl?: string } | undefined {
  const held = exact(amount);
  if (held === undefined) return undefined;
  const worth = { mantissa: held.mantissa * price.mantissa, exponent: held.exponent + price.exponent };
  const { decimals } = chainFacts[chain].coin;
  const units = inUnits(worth, decimals);
  const [paid, fees] = [cost, costFees].map((text) => {
    const coins = text === undefined ? undefined : exact(text);
    return coins && inUnits(coins, decimals);
  });
  return {
    value: coinText(chain, units),
    ...(paid !== undefined && { unrealizedPnl: coinText(chain, units - paid) }),
    ...(paid !== undefined &&
      fees !== undefined && { netUnrealizedPnl: coinText(chain, units - paid - fees) }),
  };
}

/** Reads a decimal number without rounding it. */
function exact(text: string): Decimal | undefined {
  const [, whole, places = ""] = /^(\d{1,80})(?:\.(\d{1,80}))?$/.exec(text) ?? [];
  return whole === undefined ? undefined : { mantissa: BigInt(whole + places), exponent: -places.length };
}
