import { readAddress } from "../chains/families/address.ts";
import type { Chains } from "../chains/families/open-chains.ts";
import type { TradeQuote } from "../chains/families/quote.ts";
import { quoteOn } from "../chains/families/quote.ts";
import type { TradingChain } from "../core/chain-facts.ts";
import { DomainError } from "../core/domain-error.ts";
import { isFreshSignIn } from "../core/sign-in.ts";
import { dayOf } from "../core/time.ts";
import { parseAmount } from "../orders/decimal-text.ts";
import type { TraderTerms } from "../orders/family.ts";
import type { LaneKey } from "../orders/intent.ts";
import { chainFor, limitsOf, walletNotFound } from "../orders/requests.ts";
import { keyRulesBeside, rulesBeside } from "../orders/reserved.ts";
import type { AnyOrder } from "../orders/trade-order.ts";
import type { QuoteRequest } from "../orders/trade-request.ts";
import type { ChainLimits } from "../orders/trading-chain.ts";
import type { Table } from "../table/table.ts";
import { find } from "./items/found-items.ts";
import { keysOfItems } from "./items/items.ts";
import { laneOrdersOf } from "./items/lane-records.ts";
import { ownsWallet, readOrderTerms } from "./items/trader-records.ts";
import type { Placement } from "./place-order.ts";
import type { ReportMissed } from "./report-missed.ts";

type Deps = { table: Table; chains: Chains; lossSignIn: boolean; reportMissed: ReportMissed };
type Asked = Pick<Placement<QuoteRequest>, "userID" | "now" | "signedInAt" | "by" | "body">;

/**
 * Quotes an order of the user. A quote reserves nothing and is not binding.
 *
 * @throws {DomainError} UNSUPPORTED_CHAIN, WALLET_NOT_FOUND, INVALID_REQUEST, TOKEN_NOT_FOUND, NO_ROUTE,
 * AMOUNT_TOO_SMALL, and INSUFFICIENT_BALANCE for a percentage of an empty balance
 * @throws {ChainUnavailable}
 */
export async function quoteOrder(
  deps: Deps,
  { userID, now, signedInAt, by, body }: Asked,
): Promise<{ quote: TradeQuote }> {
  const { table, chains, lossSignIn } = deps;
  const reader = chainFor(chains, body.chain);
  const chainLimits = limitsOf(reader.chain, reader.configuration);
  const wallet = body.wallet === undefined ? undefined : readAddress(reader.chain, body.wallet, "wallet");
  const mayLose = !lossSignIn || isFreshSignIn(signedInAt, now);
  const asked = { userID, wallet, now, chainLimits, mayLose, by };
  const seller = body.side === "sell" && wallet ? { chain: reader.chain, wallet, userID } : undefined;
  try {
    const pool = body.pool === undefined ? undefined : readAddress(reader.chain, body.pool, "pool");
    const trade = { ...body, wallet, token: readAddress(reader.chain, body.token, "token"), pool };
    const trader = await traderOf(table, reader.chain, asked);
    const quote = await quoteOn(reader, trade, trader, now);
    const balance = quote.balances?.find(({ token }) => token === quote.token);
    if (seller && balance) void reportLack(deps, seller, balance);
    return { quote };
  } catch (error) {
    if (seller && error instanceof DomainError && error.code === "INSUFFICIENT_BALANCE")
      void reportLack(deps, seller, (error as DomainError<"INSUFFICIENT_BALANCE">).details);
    throw error;
  }
}

/** Reports a wallet that has fewer tokens than the user's position counts. Runs in the background and never fails. */
async function reportLack(
  { table, reportMissed }: Pick<Deps, "table" | "reportMissed">,
  { chain, wallet, userID }: LaneKey & { userID: string },
  { token, available }: { token: string; available: string },
): Promise<void> {
  try {
    const name = { chain, wallet, userID, token };
    const book = (await find(table, [keysOfItems.book(name)])).get("book", name);
    const units = book && (available === "0" ? 0n : parseAmount(available, book.decimals));
    if (typeof units === "bigint" && book && book.events.length === 0 && book.base.amount > units)
      reportMissed({ chain, wallet }, { userID, token });
  } catch {
    // Ignores the failure: the next read repeats the report.
  }
}

type AskedTrader = Pick<Asked, "userID" | "now" | "by"> & {
  wallet: string | undefined;
  chainLimits: ChainLimits;
} & Pick<TraderTerms, "mayLose">;

/** @throws {DomainError} WALLET_NOT_FOUND */
async function traderOf(
  table: Table,
  chain: TradingChain,
  { userID, wallet, now, chainLimits, mayLose, by }: AskedTrader,
): Promise<TraderTerms & { orders: readonly AnyOrder[] }> {
  const lane = wallet === undefined ? undefined : { chain, wallet };
  const [isOwn, orders, { settings, isStopped, limits, program }] = await Promise.all([
    lane === undefined || ownsWallet(table, lane, userID),
    lane === undefined ? [] : laneOrdersOf(table, lane),
    readOrderTerms(table, { chain, userID, wallet, by, day: dayOf(now) }),
  ]);
  if (!isOwn) throw walletNotFound(chain);
  const nowMs = now.getTime();
  const rules = limits && rulesBeside(limits, orders, { userID, nowMs, chainLimits });
  const keyRules = wallet && keyRulesBeside(program, orders, { by, userID, wallet, nowMs });
  return { settings, isStopped, orders, rules, ...(keyRules && { keyRules }), mayLose };
}
