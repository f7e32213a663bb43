import type { QuoteRequest, TradeQuote } from "../../api/quote-schema.ts";
import { isFreshSignIn } from "../../core/sign-in.ts";
import { dayOf } from "../../core/time.ts";
import type { Table } from "../../table/table.ts";
import { type Chains, chainFor, limitsOf, walletNotFound } from "../chains/requests.ts";
import { readAddress } from "../core/address.ts";
import type { Trader } from "../core/check-trade.ts";
import { rulesBeside } from "../core/reserved.ts";
import type { ChainLimits, TradingChain } from "../core/trading-chain.ts";
import { laneOrdersOf } from "../items/lane-records.ts";
import { type OrderTerms, ownsWallet, readOrderTerms } from "../items/trader-records.ts";
import { quoteTrade } from "./quote-trade.ts";
import { quoteSolTrade } from "./sol/quote-sol-trade.ts";

type Asked = { userID: string; now: Date; signedInAt: Date | undefined; body: QuoteRequest };

/**
 * Quotes an order of the user. A quote reserves nothing and is not binding.
 *
 * @throws {DomainError} UNSUPPORTED_CHAIN, WALLET_NOT_FOUND, INVALID_REQUEST, TOKEN_NOT_FOUND, NO_ROUTE,
 * AMOUNT_TOO_SMALL, and INSUFFICIENT_BALANCE for a percentage of an empty balance
 * @throws {ChainUnavailable}
 */
export async function quoteOrder(
  { table, chains, lossSignIn }: { table: Table; chains: Chains; lossSignIn: boolean },
  { userID, now, signedInAt, body }: Asked,
): Promise<{ quote: TradeQuote }> {
  const reader = chainFor(chains, body.chain);
  const chainLimits = limitsOf(reader.chain, reader.configuration);
  const wallet = body.wallet === undefined ? undefined : readAddress(reader.chain, body.wallet, "wallet");
  const mayLose = !lossSignIn || isFreshSignIn(signedInAt, now);
  const asked = { userID, wallet, now, chainLimits, mayLose };
  return {
    quote:
      reader.chain === "sol"
        ? await quoteSolTrade(reader, body, await traderOf(table, reader.chain, asked), now)
        : await quoteTrade(reader, body, await traderOf(table, reader.chain, asked), now),
  };
}

type AskedTrader = Pick<Asked, "userID" | "now"> & {
  wallet: string | undefined;
  chainLimits: ChainLimits;
} & Pick<Trader, "mayLose">;

/** @throws {DomainError} WALLET_NOT_FOUND */
async function traderOf<Chain extends TradingChain>(
  table: Table,
  chain: Chain,
  { userID, wallet, now, chainLimits, mayLose }: AskedTrader,
): Promise<Omit<Trader, "settings"> & Pick<OrderTerms<Chain>, "settings">> {
  const lane = wallet === undefined ? undefined : { chain, wallet };
  const [isOwn, orders, { settings, isStopped, limits }] = await Promise.all([
    lane === undefined || ownsWallet(table, lane, userID),
    lane === undefined ? [] : laneOrdersOf(table, lane),
    readOrderTerms(table, { chain, userID, wallet, day: dayOf(now) }),
  ]);
  if (!isOwn) throw walletNotFound(chain);
  const rules = limits && rulesBeside(limits, orders, { userID, nowMs: now.getTime(), chainLimits });
  return { settings, isStopped, orders, rules, mayLose };
}
