import { looksLike, shortAddress, shownName, shownSymbol } from "./token-text.ts";

/** What a token says of itself. Undefined where it gives no answer that can be read. */
export type TokenClaims = {
  decimals: bigint | undefined;
  /** Of an address that has none. */
  balance: bigint | undefined;
  totalSupply: bigint | undefined;
  symbol: string | undefined;
  name: string | undefined;
};

/** A token as users see it. */
export type TokenIdentity = {
  token: string;
  symbol: string;
  name: string;
  decimals: number;
  /** Whether users are shown it, so that its symbol can be trusted. */
  isListed: boolean;
  /** Whether it has the symbol of a listed token, or of the chain's coin. */
  isImpersonator: boolean;
  /** Whether its symbol or name cannot be shown as it is. */
  isOdd: boolean;
};

type Known = { token: string; symbol: string; name: string; decimals: number };

const mostDecimals = 36n;

/** The most digits of an amount before the point. */
const mostDigits = 40;

/** Whether an amount of a token can be written. */
export const isWritable = (units: bigint, decimals: number): boolean =>
  units < 10n ** BigInt(mostDigits + decimals);

/**
 * Undefined if an address is no token, or one whose amounts cannot be written.
 *
 * @param listed The tokens that users are shown. What is known of them counts, whatever they say.
 * @param symbols Of the chain's coin and the like, which no other token may have either.
 */
export function tokenIdentity(
  token: string,
  { decimals, balance, totalSupply, ...texts }: TokenClaims,
  listed: readonly Known[],
  symbols: readonly string[],
): TokenIdentity | undefined {
  const known = listed.find((each) => each.token === token);
  if (known !== undefined) return { ...known, isListed: true, isImpersonator: false, isOdd: false };
  if (decimals === undefined || balance === undefined || decimals > mostDecimals) return undefined;
  if (!isWritable(totalSupply ?? 0n, Number(decimals))) return undefined;
  const symbol = shownSymbol(texts.symbol);
  const name = shownName(texts.name);
  const taken = [...symbols, ...listed.map((each) => each.symbol)];
  return {
    token,
    symbol: symbol ?? shortAddress(token),
    name: name ?? symbol ?? shortAddress(token),
    decimals: Number(decimals),
    isListed: false,
    isImpersonator: texts.symbol !== undefined && taken.some((each) => looksLike(texts.symbol ?? "", each)),
    isOdd: symbol === undefined || name === undefined,
  };
}
