import { chainFacts, type TradingChain } from "../core/chain-facts.ts";
import type { CoinUnits, TokenUnits } from "../core/units.ts";
import { greatest } from "./bigints.ts";
import { unitsFrom } from "./decimal-text.ts";
import type { FactsTerms, SetupTerms, TraderTerms } from "./family.ts";
import { unlistedPurchases } from "./large-loss.ts";
import type { Need } from "./needs.ts";
import { millionthsOf, minimumOf } from "./percent.ts";
import { reservedBy } from "./reserved.ts";
import { type AskedTrade, defaultMaxPriceImpact } from "./trade.ts";
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

/**
 * Lists what a trade needs, starting with the coin. An order that rests needs only the tokens that it sells, and nothing
 * is reserved for it.
 *
 * @param available Undefined if the wallet is unknown.
 * @param coins All the coin that the trade needs.
 * @param forExits Coin that must stay for the sales of its exits.
 */
export function needsOfTrade(
  { side, rests }: Pick<AskedTrade, "side"> & Pick<TraderTerms, "rests">,
  chain: TradingChain,
  { identity: { token, symbol, decimals }, amount, held }: Pick<FactsTerms, "identity" | "amount" | "held">,
  available: { coins: CoinUnits; tokens: TokenUnits } | undefined,
  coins: CoinUnits,
  forExits: CoinUnits,
): Need[] {
  if (held === undefined || available === undefined) return [];
  const ofToken = { token, symbol, decimals, needed: amount };
  if (rests) return side === "buy" ? [] : [{ ...ofToken, available: held.tokens }];
  const { coin } = chainFacts[chain];
  const ofCoin = {
    token: nativeToken,
    symbol: coin.symbol,
    decimals: coin.decimals,
    needed: coins + forExits,
    available: available.coins,
    forExits,
  };
  return side === "buy" ? [ofCoin] : [ofCoin, { ...ofToken, available: available.tokens }];
}

/** Collects the facts about a trade on which its checks depend, whatever the family of its chain. */
export const checksOf = (
  setup: SetupTerms,
  trade: AskedTrade,
  trader: TraderTerms & { orders: readonly AnyOrder[] },
  facts: FactsTerms,
  { least, needs }: { least: bigint; needs: readonly Need[] },
) => ({
  chain: setup.chain,
  side: trade.side,
  token: trade.token,
  amount: facts.amount,
  isStopped: trader.isStopped,
  openOrders: openOrdersOf(trader),
  maxOrder: setup.limits.maxOrder,
  minAmountOut: least,
  quotedOut: facts.amountOut,
  rules: trader.rules,
  keyRules: trader.keyRules,
  // Lists the token before the coin: if both balances are too low, an error about the token is more helpful.
  needs: needs.toReversed(),
  safety: facts.safety,
  flags: facts.flags,
  allowUnsafe: trade.allowUnsafe ?? false,
  priceImpact: Math.max(facts.priceImpact, facts.market?.impact ?? 0),
  maxPriceImpact: trade.maxPriceImpact ?? defaultMaxPriceImpact,
  loss: lossOf(setup, trader, facts),
});
