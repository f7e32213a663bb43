import type { Address } from "@solana/web3.js";
import { chainFacts } from "../../../core/chain-facts.ts";
import { DomainError } from "../../../core/domain-error.ts";
import { greatest } from "../../../orders/bigints.ts";
import { coinUnitsFrom } from "../../../orders/decimal-text.ts";
import { type Need, shortage } from "../../../orders/needs.ts";
import { betterPrice, marketImpact, type PoolPrice, referenceAmount } from "../../../orders/price-impact.ts";
import { identify, tokenNotFound } from "../../../orders/requests.ts";
import { amountOfSale, noRoute, tooLarge, tooSmall } from "../../../orders/sale-amount.ts";
import type { TokenIdentity } from "../../../orders/token-identity.ts";
import { flagsOf } from "../../../orders/token-safety.ts";
import { availableOf } from "../../../orders/trade-check.ts";
import { nativeToken } from "../../../orders/trading-chain.ts";
import type { Ask } from "../../hosts/ask-together.ts";
import { type BlockhashExchange, confirming } from "../calls/blockhash-exchange.ts";
import { feeBpsOf } from "../calls/mint.ts";
import { flagsOfMint, safetyOfMint } from "../calls/mint-safety.ts";
import { type Payment, paymentsOf, type TokenView } from "../calls/token-view.ts";
import {
  mostSolRoutes,
  type SolQuotedRoute,
  type SolQuoteQuestion,
  type SolTradeFacts,
} from "../rules/trade-facts.ts";
import type { SolReader } from "../venues/reader.ts";
import type { JupiterForQuote } from "./ask-jupiter.ts";
import { lookForSolQuote, type SolLook, type TrialMemory } from "./early-trial.ts";
import { feeBpsOfPool, lamportsOfCoin } from "./look-at-token.ts";
import { costsOf, planningOf, testerOf } from "./trade-costs.ts";
import type { AskedTrial } from "./trade-trial.ts";
import { type QuoteTrial, quoteTrial, type ShownByTrial } from "./try-jupiter.ts";

type Asked = SolQuoteQuestion & {
  /** The first request, if it has been made already. */
  look?: Promise<SolLook> | undefined;
  /** The memory of the host. Absent for a quote that places no order. */
  memory?: TrialMemory | undefined;
};

/**
 * Finds the best routes for a trade and their costs, in two rounds of requests, or in one if the host's answers about a
 * purchase show what was expected. All accounts are read at one slot. A pool's payment is computed from its accounts, and
 * Jupiter's is taken from a simulation.
 *
 * @param router Absent if only pools are considered.
 * @param exchange Exchanges blockhashes with another host between the two rounds. Absent for a quote that places no
 * order.
 * @throws {DomainError} INVALID_REQUEST, TOKEN_NOT_FOUND, NO_ROUTE, AMOUNT_TOO_SMALL, and INSUFFICIENT_BALANCE for a
 * percentage of nothing
 * @throws {ChainUnavailable}
 */
export async function quoteOnSol(
  ask: Ask,
  reader: Pick<SolReader, "configuration" | "taken">,
  { trade, wallet, orders, look, memory }: Asked,
  router?: JupiterForQuote,
  exchange?: BlockhashExchange,
): Promise<SolTradeFacts> {
  const { configuration, taken } = reader;
  const { side, token, pool } = trade;
  const jupiter = pool === undefined ? router : undefined;
  if (token === configuration.wrapped.token) throw noRoute();
  const coins = side === "buy" ? coinUnitsFrom("sol", trade.amount ?? "", "amount") : undefined;
  const begun = look ?? lookForSolQuote(ask, reader, { trade, wallet }, memory);
  const { view: seen, recent, early, blockhash, rents } = await begun;
  const naming = exchange?.give(recent);
  if (seen === undefined) throw tokenNotFound("sol");
  const view = pool === undefined ? seen : viewOfPool(seen, pool);
  const identity = identify({ chain: "sol", configuration, taken }, token, view.claims);
  const { mint, epoch, holding } = view;
  if (trade.percent !== undefined && !jupiter && !isPaid(view, "sell")) throw noRoute();
  const hindrance = holding?.hindrances[side];
  if (hindrance !== undefined) throw noRoute(hindrance);
  const held = holding && { coins: holding.lamports, tokens: holding.units };
  const amount = coins ?? amountOfSale(trade, identity, held ? availableOf(held, token, orders).tokens : 0n);
  const payments = paymentsOf(view, side, amount).slice(0, mostSolRoutes);
  const trial = { mint: token as Address, tokenProgram: mint.program as Address, blockhash, rents };
  const asked = { side, amount, trial, wallet: wallet as Address | undefined };
  const offered = await offeredBy(jupiter, configuration, view, asked);
  if (payments.length === 0 && offered === undefined)
    throw jupiter ? noneByJupiter(view, asked, identity) : noneOf(view, side);
  const [payment] = payments;
  const { sold, shown, tried, agreed, ...costs } = await costsOf(ask, configuration, view, {
    ...asked,
    payment,
    offered,
    confirm: confirming(await naming, recent),
    early,
    memory: pool === undefined ? memory : undefined,
  });
  const forPlanning = payment && planningOf(view, side, payment, { tried, agreed, costs });
  const paying = [...(shown ? [byJupiter(shown)] : []), ...payments.map(byPool)].toSorted((a, b) =>
    a.route.amountOut < b.route.amountOut ? 1 : -1,
  );
  const safety = safetyOfMint(mint, epoch, sold);
  const ofMint = flagsOfMint(mint);
  const liquidity = greatest(0n, ...view.pools.map(({ coins }) => coins));
  // Does not judge the depth of Jupiter's pools, because Jupiter does not state it.
  const coin = view.pools.length === 0 ? 0n : lamportsOfCoin;
  const part = referenceAmount(amount);
  const references = paymentsOf(seen, side, part);
  const [reference] = references;
  const price = reference && { in: part, out: reference.amountOut };
  const deep = references.find((each) => each.pool.isUsual && each.pool.reserves.coins >= lamportsOfCoin);
  /** Describes the trade on the best of these routes. The reference is the best price for a tenth of the amount. */
  const factsBy = (routes: readonly Paying[], price?: PoolPrice): SolTradeFacts | DomainError => {
    const [best, ...others] = routes.slice(0, mostSolRoutes);
    if (best === undefined) return noneOf(view, side);
    const { route, priceImpact } = best;
    return {
      slot: view.slot,
      identity,
      mint: {
        program: mint.program,
        decimals: mint.decimals,
        flags: ofMint,
        transferFeeBps: feeBpsOf(mint, epoch),
      },
      amount,
      amountOut: route.amountOut,
      priceImpact,
      ...(price && {
        market: { impact: marketImpact({ in: amount, out: route.amountOut }, price), reference: price },
      }),
      lacksReference:
        deep === undefined || (route.venue === "jupiter-metis" && deep.priceImpact > mostOfReference),
      routes: [route, ...others.map((each) => each.route)],
      costs,
      safety,
      flags: flagsOf(identity, safety, { liquidity, coin }, ofMint),
      liquidity,
      ...(held && { held }),
      ...(forPlanning && { forPlanning }),
    };
  };
  const facts = factsBy(paying, shown && price ? betterPrice(price, shown.part) : (price ?? shown?.part));
  if (facts instanceof DomainError) throw facts;
  return shown ? { ...facts, byPools: factsBy(payments.map(byPool), price) } : facts;
}

/**
 * Maximum percentage by which a tenth of the amount may move a pool's price. A pool whose price moves more is too small
 * to price a trade by Jupiter.
 */
const mostOfReference = 5;

/**
 * Keeps only the pool that the request names.
 *
 * @throws {DomainError} INVALID_REQUEST if it is no such pool, and NO_ROUTE if it is closed or opens later
 */
function viewOfPool(view: TokenView, address: string): TokenView {
  const pools = view.pools.filter((each) => each.address === address);
  const [pool] = pools;
  if (pool === undefined) {
    const message =
      "pool must be a Raydium CPMM pool of this token and SOL, with one of the first 16 fee configurations";
    throw new DomainError("INVALID_REQUEST", message, { field: "pool" });
  }
  if (!pool.isOpen) throw noRoute("The pool is closed, or opens later");
  return { ...view, pools };
}

/** True if a pool pays for some amount. A curve buys no more tokens than its coins pay for. */
const isPaid = (view: TokenView, side: "buy" | "sell") =>
  amountsOfAllSizes.some((amount) => paymentsOf(view, side, amount).length > 0);

const amountsOfAllSizes = Array.from({ length: 16 }, (_, index) => (1n << BigInt(64 - 4 * index)) - 1n);

const noneOf = (view: TokenView, side: "buy" | "sell") => (isPaid(view, side) ? tooSmall() : noRoute());

/**
 * Explains why Jupiter has no route either. Hosts can simulate Jupiter's routes only for a wallet that has the amount,
 * and Jupiter offers none for more tokens than exist.
 */
function noneByJupiter(
  view: TokenView,
  { side, amount, wallet }: AskedTrial,
  { token, symbol, decimals }: TokenIdentity,
): DomainError {
  const { holding, mint } = view;
  if (isPaid(view, side)) return tooSmall();
  const isBuy = side === "buy";
  const need: Need = isBuy
    ? {
        token: nativeToken,
        symbol: chainFacts.sol.coin.symbol,
        decimals: chainFacts.sol.coin.decimals,
        needed: amount,
        available: holding?.lamports ?? 0n,
      }
    : { token, symbol, decimals, needed: amount, available: holding?.units ?? 0n };
  const short = wallet === undefined ? undefined : shortage([need]);
  return short ?? (amount > (isBuy ? mostLamports : mint.supply) ? tooLarge() : noRoute());
}

/** An amount that exceeds all existing lamports. */
const mostLamports = 10n ** 9n * lamportsOfCoin;

type Paying = { route: SolQuotedRoute; priceImpact: number };

const byPool = ({ pool, amountOut, priceImpact }: Payment): Paying => ({
  route: {
    ...pool.route,
    feeBps: feeBpsOfPool(pool),
    ...(pool.next && { next: pool.next }),
    amountOut,
  },
  priceImpact,
});

const byJupiter = ({ whole, part }: ShownByTrial): Paying => ({
  route: { venue: "jupiter-metis", amountOut: whole.out },
  priceImpact: marketImpact(whole, part),
});

/** Asks Jupiter for swaps that hosts can simulate. */
async function offeredBy(
  jupiter: JupiterForQuote | undefined,
  configuration: SolReader["configuration"],
  view: TokenView,
  asked: AskedTrial,
): Promise<QuoteTrial | undefined> {
  const { side, amount: amountIn, trial } = asked;
  const { mint } = view;
  const tester = testerOf(configuration, view, asked);
  if (jupiter === undefined || tester === undefined) return undefined;
  const { orderId, onFault } = jupiter;
  const { mint: token, tokenProgram } = trial;
  const swap = { wallet: tester, orderId, side, mint: token, tokenProgram, amountIn };
  const offers = await jupiter.offers({ ...swap, decimals: mint.decimals });
  const tipAccount = configuration.relay?.tipAccounts[0];
  return quoteTrial(offers, {
    trial: { ...trial, wallet: tester },
    side,
    amountIn,
    orderId,
    tipAccount,
    onFault,
  });
}
