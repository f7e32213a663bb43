import { chainFacts, type TradingChain } from "../core/chain-facts.ts";
import type { CoinUnits, TokenUnits } from "../core/units.ts";
import { greatest } from "./bigints.ts";
import { unitsFrom } from "./decimal-text.ts";
import type { FactsTerms, SetupTerms, TraderTerms } from "./family.ts";
import { unlistedPurchases } from "./large-loss.ts";
import type { Need } from "./needs.ts";
import { millionthsOf, minimumOf } from "./percent.ts";
import { reservedBy } from "./reserved.ts";
import type { AskedTrade } from "./trade.ts";
import { type AnyOrder, hasEnded } from "./trade-order.ts";
import { nativeToken } from "./trading-chain.ts";

/**
 * Returns the figures that decide whether a trade needs a fresh sign-in. Undefined if the caller may lose any amount.
 */
export const lossOf = (
  { listed }: Pick<SetupTerms, "listed">,
  { mayLose, orders }: Pick<TraderTerms, "mayLose"> & { orders: readonly AnyOrder[] },
  { identity: { isListed }, held }: Pick<FactsTerms, "identity" | "held">,
) => (mayLose ? undefined : { isListed, coins: held?.coins, unlisted: unlistedPurchases(orders, listed) });

/**
 * Computes the minimum that may arrive.
 *
 * @throws {DomainError} INVALID_REQUEST if `minAmountOut` has more decimal places than the bought token or coin.
 */
export function leastOut(
  chain: TradingChain,
  { side, minAmountOut }: AskedTrade,
  { slippage }: TraderTerms["settings"],
  { amountOut, identity }: Pick<FactsTerms, "amountOut" | "identity">,
): bigint {
  if (minAmountOut === undefined) return minimumOf(amountOut, millionthsOf(slippage));
  const decimals = side === "buy" ? identity.decimals : chainFacts[chain].coin.decimals;
  return unitsFrom(minAmountOut, decimals, "minAmountOut");
}

const rest = (units: bigint, taken: bigint) => greatest(units - taken, 0n);

/** Computes the wallet's balances minus the amounts that its open orders will spend. */
export function availableOf(
  held: NonNullable<FactsTerms["held"]>,
  token: string,
  orders: readonly AnyOrder[],
): { coins: CoinUnits; tokens: TokenUnits } {
  const reserved = reservedBy(orders);
  return {
    coins: rest(held.coins, reserved.coins),
    tokens: rest(held.tokens, reserved.tokens.get(token) ?? 0n),
  };
}

/**
 * Counts the wallet's open orders for its limit. Resting orders and their children do not count, and none is refused
 * because of the others.
 */
export const openOrdersOf = ({
  orders,
  isChild,
  rests,
}: Pick<TraderTerms, "isChild" | "rests"> & { orders: readonly AnyOrder[] }): number =>
  isChild || rests
    ? 0
    : orders.filter((order) => !hasEnded(order) && order.intent.parent === undefined).length;

/** Lists what must be in the wallet for an order to rest: the tokens that it sells. Nothing is reserved for it. */
export const needsOfResting = (
  side: AskedTrade["side"],
  { identity, amount, held }: Pick<FactsTerms, "identity" | "amount" | "held">,
): Need[] =>
  side === "buy" || held === undefined ? [] : [{ ...identity, needed: amount, available: held.tokens }];

/**
 * Lists what a trade needs, starting with the coin.
 *
 * @param coins All the coin that the trade needs.
 * @param forExits Coin that must stay for the sales of its exits.
 */
export function needsOfTrade(
  chain: TradingChain,
  side: AskedTrade["side"],
  { identity, amount }: Pick<FactsTerms, "identity" | "amount">,
  coins: CoinUnits,
  available: { coins: CoinUnits; tokens: TokenUnits },
  forExits: CoinUnits,
): Need[] {
  const { symbol, decimals } = chainFacts[chain].coin;
  const needed = coins + forExits;
  const coin = { token: nativeToken, symbol, decimals, needed, available: available.coins, forExits };
  const ofToken = { token: identity.token, symbol: identity.symbol, decimals: identity.decimals };
  return side === "buy" ? [coin] : [coin, { ...ofToken, needed: amount, available: available.tokens }];
}
