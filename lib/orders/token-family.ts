import type { TradingChain } from "../core/chain-facts.ts";
import type { TokenFlag } from "../core/token-flag.ts";
import { isWritable, type TokenIdentity } from "./token-identity.ts";

/** Questions about tokens. Each family of chains asks its hosts in its own way. */
export type TokenFamily<Reader, Venue extends string> = {
  /**
   * Asks one host to identify a token.
   *
   * @param token in the form that responses have
   * @throws {DomainError} TOKEN_NOT_FOUND
   * @throws {ChainUnavailable}
   */
  identify: (reader: Reader, token: string) => Promise<TokenIdentity>;
  /**
   * Asks one host to describe a token and to simulate a buy and sale of 0.01 coins.
   *
   * @throws {DomainError} TOKEN_NOT_FOUND
   * @throws {ChainUnavailable}
   */
  inspect: (reader: Reader, token: string, now: Date) => Promise<InspectedToken<Venue>>;
  /**
   * Reads the balances of wallets. Each list starts with the coin, followed by the listed tokens and then the others.
   * Addresses that are not tokens are omitted.
   *
   * @throws {ChainUnavailable}
   */
  balances: (reader: Reader, wanted: readonly WalletTokens[]) => Promise<ChainBalances>;
};

/** A token as a host describes it, with the result of a simulated buy and sale. */
export type InspectedToken<Venue extends string = string> = {
  chain: TradingChain;
  token: string;
  symbol: string;
  name: string;
  decimals: number;
  wrapped?: true;
  listed: boolean;
  /** True if the token can be sold. Null if unknown. */
  sellable: boolean | null;
  /** Tax on buying, in percent. Null if unknown. */
  buyTax: number | null;
  sellTax: number | null;
  flags: TokenFlag[];
  /** Pools of the token, first those that hold most. */
  pools: TokenPool<Venue>[];
  block: number;
  asOf: string;
};

type TokenPool<Venue extends string> = {
  venue: Venue;
  pool: string;
  feeBps: number;
  /** The other token of the pool. Absent if it is the wrapped coin. */
  quoteToken?: string;
  /** Value of the coin or quote token in the pool, in coins. */
  liquidity: string;
};

/** A wallet, and the tokens to read in addition to the listed ones. */
export type WalletTokens = { wallet: string; others: readonly string[] };

/** A token in a list of balances. */
export type BalanceToken = { token: string; symbol: string; decimals: number };

export type ChainBalance = BalanceToken & {
  wallet: string;
  units: bigint;
  /** Units that the wallet cannot spend, because they keep the wallet's account alive. */
  kept?: bigint;
};

/** Balances, and the earliest of the blocks at which they were read. */
export type ChainBalances = { block: number; balances: ChainBalance[] };

/** Returns a balance, or nothing if it is unknown or has too many digits to write. */
export function balanceIn(
  wallet: string,
  known: BalanceToken | undefined,
  units: bigint | undefined,
): ChainBalance[] {
  if (known === undefined || units === undefined) return [];
  const { token, symbol, decimals } = known;
  return isWritable(units, decimals) ? [{ wallet, token, symbol, decimals, units }] : [];
}
