import { DomainError } from "../../../core/domain-error.ts";
import type { Lamports } from "../../../core/units.ts";
import { greatest, least } from "../../../orders/bigints.ts";
import type { CheckTerms, SetupTerms, TraderTerms } from "../../../orders/family.ts";
import { objectionBeside } from "../../../orders/order-checks.ts";
import type { AskedTrade } from "../../../orders/trade.ts";
import { availableOf, checksOf, leastOut, needsOfTrade } from "../../../orders/trade-check.ts";
import type { AnyOrder } from "../../../orders/trade-order.ts";
import { addedBy } from "../../../orders/wallet-policy.ts";
import { attemptsFor, usualSeconds } from "./attempts.ts";
import { attemptsWithTip, stayingRentLamports } from "./fees.ts";
import type { SolLimits } from "./limits.ts";
import type { SolOrderSettings } from "./order-settings.ts";
import type { SolCosts, SolTradeFacts } from "./trade-facts.ts";
import {
  feesOfFirst,
  lamportsOfSol,
  leastBudget,
  type SolNetworkFee,
  type SolTradeFees,
  solNetworkFee,
  solText,
} from "./trade-fees.ts";

/** The facts about a user that decide whether an order on sol is accepted. */
export type SolTrader = TraderTerms & {
  settings: SolOrderSettings;
  /** The wallet's orders, including those of other users. */
  orders: readonly AnyOrder[];
};

/** The chain sol, and the service's configuration for it. */
export type SolSetup = SetupTerms & {
  chain: "sol";
  /** The relay's lowest tip. Absent if there is no relay. */
  leastTip?: Lamports;
  /** The highest base fee per signature. */
  baseFeeCap: Lamports;
  limits: SolLimits;
};

/** The terms that an order on sol would get, and the reason to refuse it, if there is one. */
export type SolTradeCheck = CheckTerms & {
  chain: "sol";
  settings: SolOrderSettings;
  /** Limits the priority fees and tips of all the order's transactions together. */
  budget: Lamports;
  /** Maximum number of transactions that could fill the order. */
  attempts: number;
  /** The fee of one signature. */
  baseFee: Lamports;
  /** Payments of the first attempt in addition to its base fee. */
  attempt: SolTradeFees;
  networkFee: SolNetworkFee;
  /** Rent of the accounts that remain after the order. */
  rent: Lamports;
  /** The most lamports that the wallet needs for rents at the same time. */
  mostRents: Lamports;
  /** The lamports that a buy must leave in addition to its needs, to pay for a later sale. */
  exitReserve: Lamports;
  submission: "private" | "public";
  /** True if an attempt pays less for priority than {@link SolCosts.marketPrice}. */
  isBelowMarket: boolean;
};

/** Chooses an order's settings: the values in the request, and the user's settings for the rest. */
export const solSettingsForTrade = (
  trade: AskedTrade,
  { settings }: Pick<SolTrader, "settings">,
): SolOrderSettings => ({
  slippage: trade.slippage ?? settings.slippage,
  priorityFee: trade.priorityFee ?? settings.priorityFee,
  mevProtection: trade.mevProtection ?? settings.mevProtection,
});

/**
 * Checks a trade on sol against the facts of one host, or against facts that two hosts agree on. Used by quotes, trial
 * runs and orders.
 *
 * @throws {DomainError} INVALID_REQUEST if `minAmountOut` has more decimal places than the token that would arrive.
 */
export function checkSolTrade(
  setup: SolSetup,
  trade: AskedTrade,
  trader: SolTrader,
  facts: SolTradeFacts,
): SolTradeCheck {
  const { side } = trade;
  const { amount, costs, held } = facts;
  const settings = solSettingsForTrade(trade, trader);
  const submission = settings.mevProtection && setup.leastTip !== undefined ? "private" : "public";
  const leastTip = submission === "private" ? setup.leastTip : undefined;
  const available = held && availableOf(held, trade.token, trader.orders);
  const wanted = attemptsFor(trade.validForSeconds ?? usualSeconds);
  // The order may also trade in the pool to which the token moves.
  const routes = facts.routes.flatMap((route) => [route, ...(route.next ? [route.next] : [])]);
  const baseFee = least(costs.baseFee, setup.baseFeeCap);
  const asked = least(lamportsOfSol(settings.priorityFee), setup.limits.maxNetworkFee);
  const lowest = leastTip === undefined ? 0n : leastBudget(leastTip);
  const feeOf = (budget: Lamports, attempts: number) => {
    const attempt = feesOfFirst(budget, costs.computeUnitLimit, leastTip);
    return {
      attempt,
      networkFee: solNetworkFee(budget, baseFee, attempt, { attempts, routes: facts.routes }),
    };
  };
  const mostRents = rentsOf(side, costs);
  const besideFees = mostRents + (side === "buy" ? amount : 0n);
  const fixed = besideFees + feeOf(0n, wanted).networkFee.max;
  // If the wallet cannot pay a sale's whole budget, lowers the budget instead of refusing the sale.
  const affordable = side === "sell" && available ? greatest(available.coins - fixed, lowest, 0n) : asked;
  const budget = least(asked, affordable);
  const attempts = leastTip === undefined ? wanted : Math.min(wanted, attemptsWithTip(budget, leastTip));
  const { attempt, networkFee } = feeOf(budget, attempts);
  // Counts a marker for each exit, and two sales at fees that have risen by half.
  const ofExits = BigInt(trader.exits ?? 0) * (3n * networkFee.max + costs.rents.marker);
  const leastAmount = leastOut("sol", trade, settings, facts);
  const coins = besideFees + networkFee.max;
  const needs = needsOfTrade({ ...trader, side }, "sol", facts, available, coins, ofExits);
  const objection = objectionBeside(budget < lowest ? tooLow(budget, lowest) : undefined, {
    ...checksOf(setup, trade, trader, facts, { least: leastAmount, needs }),
    adds: addedBy(side, amount, networkFee.max),
    networkFees: networkFee.max + stayingRentLamports(side, routes),
    lacksLeast: facts.lacksReference && trade.minAmountOut === undefined && !trader.rests,
  });
  const { marker, tokenAccount, wsol, market } = costs.rents;
  return {
    chain: "sol",
    settings,
    budget,
    attempts,
    baseFee,
    attempt,
    networkFee,
    rent: marker + market + (side === "buy" ? tokenAccount : 0n),
    mostRents,
    // Counts the lower of the two rents, because the higher one is either needed only during a buy, or stays in the
    // wallet.
    exitReserve: networkFee.max + least(wsol, marker),
    least: leastAmount,
    needs,
    submission,
    isBelowMarket: attempt.microLamportsPerUnit < costs.marketPrice,
    ...(objection && { objection }),
  };
}

const tooLow = (budget: bigint, lowest: bigint) => {
  const [priorityFee, least] = [solText(budget), solText(lowest)];
  const message = `A protected order on sol needs a priorityFee of at least ${least} SOL, for the relay's lowest tip`;
  return new DomainError("PRIORITY_FEE_TOO_LOW", message, { priorityFee, least });
};

/**
 * Computes the coins that a trade needs for rents. The wrapped-coin account returns its rent at the end. From then on,
 * the wallet needs no more than a marker's rent to stay alive.
 */
const rentsOf = (
  side: AskedTrade["side"],
  { rents: { marker, wsol, tokenAccount, market } }: SolCosts,
): Lamports => marker + market + (side === "buy" ? tokenAccount + greatest(wsol, marker) : wsol);
