import { randomBytes } from "node:crypto";
import type { Address } from "@solana/web3.js";
import bs58 from "bs58";
import { type Ask, askTogether } from "../../chains/ask-together.ts";
import type { SolReader } from "../../chains/open-chains.ts";
import { identify, tokenNotFound } from "../../chains/requests.ts";
import { feeBpsOf } from "../../chains/sol/mint.ts";
import { flagsOfMint, safetyOfMint } from "../../chains/sol/mint-safety.ts";
import { messageFeeCall, recentPricesCall, rentCall, simulationCall } from "../../chains/sol/sol-call.ts";
import { liquidityOf, type Payment, paymentsOf, type TokenView } from "../../chains/sol/token-view.ts";
import { attemptMessage, isSoldIn, type Trial } from "../../chains/sol/trial-messages.ts";
import { greatest } from "../../core/bigints.ts";
import { availableOf } from "../../core/check-trade.ts";
import { coinDecimals, unitsFrom } from "../../core/decimal-text.ts";
import { marketImpact, referencePart } from "../../core/price-impact.ts";
import {
  mostSolRoutes,
  type SolCosts,
  type SolQuotedRoute,
  type SolQuoteQuestion,
  type SolTradeFacts,
} from "../../core/sol/trade-facts.ts";
import { medianOf, unitLimitFor, usualUnits } from "../../core/sol/trade-fees.ts";
import { flagsOf } from "../../core/token-safety.ts";
import { amountOfSale, noRoute, tooSmall } from "../sale-amount.ts";
import { at, feeBpsOfPool, lamportsOfCoin, lookAtToken, maybe, roundTripCalls } from "./look-at-token.ts";

/**
 * Finds the best pools for a trade and its costs, in two rounds of requests. All accounts are of one slot.
 *
 * @throws {DomainError} INVALID_REQUEST, TOKEN_NOT_FOUND, NO_ROUTE, AMOUNT_TOO_SMALL, and INSUFFICIENT_BALANCE for a
 * percentage of nothing
 * @throws {ChainUnavailable}
 */
export async function quoteOnSol(
  ask: Ask,
  { configuration }: Pick<SolReader, "configuration">,
  { trade, wallet, orders }: SolQuoteQuestion,
): Promise<SolTradeFacts> {
  const { side, token } = trade;
  if (token === configuration.wrapped.token) throw noRoute();
  const coins = side === "buy" ? unitsFrom(trade.amount ?? "", coinDecimals.sol, "amount") : undefined;
  const { view, ...first } = await lookAtToken(ask, configuration, token as Address, wallet as Address);
  if (view === undefined) throw tokenNotFound("sol");
  const identity = identify({ chain: "sol", configuration }, token, view.claims);
  const { mint, epoch, holding } = view;
  if (trade.percent !== undefined && payersOf(view, "sell").length === 0) throw noRoute();
  const hindrance = holding?.hindrances[side];
  if (hindrance !== undefined) throw noRoute(hindrance);
  const held = holding && { coins: holding.lamports, tokens: holding.units };
  const amount = coins ?? amountOfSale(trade, identity, held ? availableOf(held, token, orders).tokens : 0n);
  const payments = paymentsOf(view, side, amount).slice(0, mostSolRoutes);
  const [best] = payments;
  if (best === undefined) throw payersOf(view, side).length === 0 ? noRoute() : tooSmall();
  const trial = { mint: token as Address, tokenProgram: mint.program as Address, ...first };
  const { sold, ...costs } = await costsOf(ask, configuration, view, {
    ...{ side, amount, best, trial, wallet: wallet as Address | undefined },
  });
  const safety = safetyOfMint(mint, epoch, sold);
  const ofMint = flagsOfMint(mint);
  const liquidity = greatest(0n, ...view.pools.map(liquidityOf));
  const [reference] = paymentsOf(view, side, amount / referencePart);
  const price = reference && { in: amount / referencePart, out: reference.amountOut };
  return {
    slot: view.slot,
    identity,
    mint: {
      ...{ program: mint.program, decimals: mint.decimals, flags: ofMint },
      transferFeeBps: feeBpsOf(mint, epoch),
    },
    ...{ amount, amountOut: best.amountOut, priceImpact: best.priceImpact },
    ...(price && {
      market: { impact: marketImpact({ in: amount, out: best.amountOut }, price), reference: price },
    }),
    routes: payments.map(routeOf) as [SolQuotedRoute, ...SolQuotedRoute[]],
    costs,
    safety,
    flags: flagsOf(identity, safety, liquidity, { coin: lamportsOfCoin, ofMint }),
    ...(held && { held }),
  };
}

/** Lists the pools that pay for some amount. */
const payersOf = (view: TokenView, side: "buy" | "sell") => paymentsOf(view, side, mostUnits);

const mostUnits = (1n << 64n) - 1n;

const routeOf = ({ pool, amountOut }: Payment): SolQuotedRoute => ({
  ...{ venue: "raydium-cpmm", pool: pool.address, config: pool.pool.config },
  ...{ feeBps: feeBpsOfPool(pool), amountOut },
});

type CostsAsked = {
  side: "buy" | "sell";
  amount: bigint;
  best: Payment;
  trial: Omit<Trial, "wallet" | "pool">;
  wallet: Address | undefined;
};

/** Asks for the costs of an attempt, and whether the token can be sold. */
async function costsOf(
  ask: Ask,
  configuration: SolReader["configuration"],
  view: TokenView,
  { side, amount, best, trial, wallet }: CostsAsked,
): Promise<SolCosts & { sold: boolean | null }> {
  const { pool } = best;
  const { mint, holding } = view;
  const needsAccount = side === "buy" && holding?.hasAccount !== true;
  // Any account can pay for a simulated purchase, but only a holder sells.
  const payer = side === "buy" ? (configuration.payer as Address | undefined) : undefined;
  const isAble = holding !== undefined && canTry(holding, side, amount, trial.rents);
  const tester = isAble ? wallet : payer;
  // The fee of a message does not depend on its payer.
  const trader = tester ?? wallet ?? newStranger();
  const messageOf = (limit?: number) =>
    attemptMessage({ ...trial, wallet: trader, pool }, { side, amountIn: amount }, limit);
  // A base fee may depend on the limit, which follows from the simulation.
  const [message, usual] = await Promise.all([messageOf(), messageOf(usualUnits)]);
  const { fee, tried, prices, rent, trip } = await askTogether(ask, {
    fee: usual ? [messageFeeCall(usual, at)] : [],
    tried: message && tester ? [maybe(simulationCall(message, at))] : [],
    prices: maybe(recentPricesCall([pool.address, ...pool.pool.sides.map(({ vault }) => vault)])),
    rent: needsAccount ? [rentCall(mint.accountBytes, at)] : [],
    trip: await roundTripCalls(configuration, view, trial),
  });
  const { computeUnits = 0, isDone = false } = tried[0] ?? {};
  return {
    computeUnitLimit: unitLimitFor(isDone ? computeUnits : 0),
    baseFee: fee[0] ?? unitsFrom(configuration.baseFee, coinDecimals.sol, "baseFee"),
    rents: { ...trial.rents, tokenAccount: rent[0] ?? 0n },
    medianPrice: medianOf(prices ?? []),
    sold: isSoldIn(trip[0]),
  };
}

const newStranger = () => bs58.encode(randomBytes(32)) as Address;

/** True if a wallet can pay for a simulation, apart from its fee. */
function canTry(
  { lamports, units }: NonNullable<TokenView["holding"]>,
  side: "buy" | "sell",
  amount: bigint,
  { empty, wsol }: Trial["rents"],
): boolean {
  const rents = 2n * wsol + empty;
  return side === "buy" ? lamports > amount + rents : units >= amount && lamports > wsol + empty;
}
