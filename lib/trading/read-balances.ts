import { addressProblem, readAddress } from "../chains/families/address.ts";
import type { Chains } from "../chains/families/open-chains.ts";
import { balancesOnChain } from "../chains/families/token.ts";
import type { TradingChain } from "../core/chain-facts.ts";
import { forEachConcurrently } from "../core/concurrency.ts";
import { DomainError } from "../core/domain-error.ts";
import type { Network } from "../core/network.ts";
import { formatAmount } from "../orders/decimal-text.ts";
import { type Execution, isOpen, type Position } from "../orders/execution.ts";
import { chainFor, listedTokens, tokenNotFound, walletNotFound } from "../orders/requests.ts";
import { reservedBy } from "../orders/reserved.ts";
import type { WalletTokens } from "../orders/token-family.ts";
import { nativeToken } from "../orders/trading-chain.ts";
import type { Table } from "../table/table.ts";
import { readExecutions } from "./items/execution-records.ts";
import { laneOrdersOf } from "./items/lane-records.ts";
import { ownsWallet } from "./items/trader-records.ts";
import { countsMore, type ReportMissed } from "./report-missed.ts";

/** One balance of a wallet. Amounts are decimal text. */
type Balance = {
  wallet: string;
  token: string;
  symbol: string;
  decimals: number;
  amount: string;
  /** Amount that open orders will spend, including network fees. */
  reserved: string;
  available: string;
};

export type Balances = { chain: TradingChain; block: number; asOf: string; balances: Balance[] };

export type BalanceDeps = {
  table: Table;
  chains: Chains;
  /** Lists the addresses of the user's wallets on a chain, except retired ones. */
  addressesOf: (userID: string, chain: TradingChain) => Promise<readonly string[]>;
  reportMissed: ReportMissed;
};

type Asked = { chain: Network; wallet?: string | undefined; token?: string | undefined };

/** Maximum number of pairs of a wallet and a token in one response. */
const mostPairs = 1000;

/** Number of lanes that are read at a time. */
const concurrency = 10;

/**
 * Reads the balances of a user's wallets on a chain: the coin, the listed tokens, the tokens of open positions, and, if
 * requested, one more token.
 *
 * @throws {DomainError} UNSUPPORTED_CHAIN, WALLET_NOT_FOUND, TOKEN_NOT_FOUND, and INVALID_REQUEST if there are too many
 * balances
 * @throws {ChainUnavailable}
 */
export async function readBalances(
  { table, chains, addressesOf, reportMissed }: BalanceDeps,
  { userID, now, asked }: { userID: string; now: Date; asked: Asked },
): Promise<Balances> {
  const reader = chainFor(chains, asked.chain);
  const { chain, configuration } = reader;
  const listed = listedTokens(configuration);
  const token =
    asked.token === undefined || asked.token === nativeToken
      ? undefined
      : readAddress(chain, asked.token, "token");
  const [wallets, positions] = await Promise.all([
    asked.wallet === undefined ? addressesOf(userID, chain) : ownWallet(table, chain, userID, asked.wallet),
    readExecutions(table, userID, "position"),
  ]);
  const wanted = wallets.map((wallet): WalletTokens => {
    const traded = positions
      .filter((position) => isOpen(position) && position.chain === chain && position.wallet === wallet)
      .flatMap((position) =>
        isToken(chain, position.token) ? [readAddress(chain, position.token, "token")] : [],
      );
    const others = [...traded, ...(token === undefined ? [] : [token])];
    const isListed = (each: string) => listed.some((known) => known.token === each);
    return { wallet, others: [...new Set(others)].filter((each) => !isListed(each)) };
  });
  const pairs = wanted.reduce((sum, { others }) => sum + 1 + listed.length + others.length, 0);
  if (pairs > mostPairs) {
    const message = `Name one wallet: together, the wallets have more than ${mostPairs} balances`;
    throw new DomainError("INVALID_REQUEST", message, { field: "wallet" });
  }
  const [reserved, { block, balances }] = await Promise.all([
    reservations(table, chain, wallets),
    balancesOnChain(reader, wanted),
  ]);
  const isAnswered = balances.some((balance) => balance.token === token);
  if (token !== undefined && wallets.length > 0 && !isAnswered) throw tokenNotFound(chain);
  for (const { wallet, token, units, decimals } of balances) {
    const isOf = (each: Execution): each is Position =>
      "positionId" in each && each.chain === chain && each.wallet === wallet && each.token === token;
    if (positions.some((each) => isOpen(each) && isOf(each) && countsMore(each, units, decimals)))
      reportMissed({ chain, wallet }, { userID, token });
  }
  return {
    chain,
    block,
    asOf: now.toISOString(),
    balances: balances.map(({ units, kept = 0n, ...balance }): Balance => {
      const taken = reserved.get(balance.wallet);
      const promised =
        (balance.token === nativeToken ? taken?.coins : taken?.tokens.get(balance.token)) ?? 0n;
      const bound = promised + kept;
      const text = (value: bigint) => formatAmount(value, balance.decimals);
      return {
        ...balance,
        amount: text(units),
        reserved: text(promised),
        available: text(units > bound ? units - bound : 0n),
      };
    }),
  };
}

const isToken = (chain: TradingChain, text: string | undefined): text is string =>
  text !== undefined && addressProblem(chain, text) === undefined;

/** @throws {DomainError} WALLET_NOT_FOUND if the user has no wallet with this address. */
async function ownWallet(table: Table, chain: TradingChain, userID: string, text: string): Promise<[string]> {
  const wallet = readAddress(chain, text, "wallet");
  if (await ownsWallet(table, { chain, wallet }, userID)) return [wallet];
  throw walletNotFound(chain);
}

/** Computes the amounts that each wallet's open orders will spend. */
async function reservations(table: Table, chain: TradingChain, wallets: readonly string[]) {
  const reserved = new Map<string, ReturnType<typeof reservedBy>>();
  const faults: unknown[] = [];
  await forEachConcurrently(wallets, { concurrency }, async (wallet) => {
    try {
      reserved.set(wallet, reservedBy(await laneOrdersOf(table, { chain, wallet })));
    } catch (error) {
      faults.push(error);
    }
  });
  if (faults.length > 0) throw faults[0];
  return reserved;
}
