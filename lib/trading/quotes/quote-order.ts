import type { QuoteRequest, TradeQuote } from "../../api/quote-schema.ts";
import { dayOf } from "../../core/time.ts";
import type { Table } from "../../table/table.ts";
import { type Chains, chainFor, unsupportedChain, walletNotFound } from "../chains/requests.ts";
import { readAddress } from "../core/address.ts";
import { rulesBeside } from "../core/reserved.ts";
import { laneOrdersOf } from "../items/lane-records.ts";
import { ownsWallet, readOrderTerms } from "../items/trader-records.ts";
import { quoteTrade } from "./quote-trade.ts";

/**
 * Quotes an order of the user. A quote reserves nothing and is not binding.
 *
 * @throws {DomainError} UNSUPPORTED_CHAIN, WALLET_NOT_FOUND, INVALID_REQUEST, TOKEN_NOT_FOUND, NO_ROUTE,
 * AMOUNT_TOO_SMALL, and INSUFFICIENT_BALANCE for a percentage of an empty balance
 * @throws {ChainUnavailable}
 */
export async function quoteOrder(
  { table, chains }: { table: Table; chains: Chains },
  { userID, now, body }: { userID: string; now: Date; body: QuoteRequest },
): Promise<{ quote: TradeQuote }> {
  const reader = chainFor(chains, body.chain);
  if (reader.chain === "sol") throw unsupportedChain(chains);
  const { chain } = reader;
  const wallet = body.wallet === undefined ? undefined : readAddress(chain, body.wallet, "wallet");
  const lane = wallet === undefined ? undefined : { chain, wallet };
  const day = dayOf(now);
  const [isOwn, orders, { settings, isStopped, limits }] = await Promise.all([
    lane === undefined || ownsWallet(table, lane, userID),
    lane === undefined ? [] : laneOrdersOf(table, lane),
    readOrderTerms(table, { chain, userID, wallet, day }),
  ]);
  if (!isOwn) throw walletNotFound(chain);
  const trader = {
    settings,
    isStopped,
    orders,
    rules: limits && rulesBeside(limits, orders, userID, now.getTime()),
  };
  return { quote: await quoteTrade(reader, body, trader, now) };
}
