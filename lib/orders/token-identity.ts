import type { IsLike } from "./token-likeness.ts";
import { shortAddress, shownName, shownSymbol } from "./token-text.ts";

/** A token's own description. A field is undefined if the token does not answer it in readable form. */
export type TokenClaims = {
  decimals: bigint | undefined;
  /** The token's answer to `balanceOf` for an unused address. */
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
  /** True if the token is on the list of tokens that users are shown, so that its symbol can be trusted. */
  isListed: boolean;
  /** True if the token's symbol or name resembles the symbol or name of a listed token or a coin. */
  isImpersonator: boolean;
  /** True if the token's symbol or name cannot be shown unchanged. */
  isOdd: boolean;
};

export type ListedToken = { token: string; symbol: string; name: string; decimals: number };

const mostDecimals = 36n;

/** Maximum number of digits before an amount's decimal point. */
const mostDigits = 40;

/** True if amounts of the token have few enough digits to write. */
export const isWritable = (units: bigint, decimals: number): boolean =>
  units < 10n ** BigInt(mostDigits + decimals);

/**
 * Identifies a token. Undefined if the address is not a token, or if its amounts have too many digits to write.
 * @param listed Tokens that users are shown. They are described as in the list, even if their contracts state something
 * else.
 * @param isTaken True for names that people could mistake for that of a listed token or a coin.
 */
export function tokenIdentity(
  token: string,
  { decimals, balance, totalSupply, ...texts }: TokenClaims,
  listed: readonly ListedToken[],
  isTaken: IsLike,
): TokenIdentity | undefined {
  const known = listed.find((each) => each.token === token);
  if (known !== undefined) return { ...known, isListed: true, isImpersonator: false, isOdd: false };
  if (decimals === undefined || balance === undefined || decimals > mostDecimals) return undefined;
  if (!isWritable(totalSupply ?? 0n, Number(decimals))) return undefined;
  const symbol = shownSymbol(texts.symbol);
  const name = shownName(texts.name);
  return {
    token,
    symbol: symbol ?? shortAddress(token),
    name: name ?? symbol ?? shortAddress(token),
    decimals: Number(decimals),
    isListed: false,
    isImpersonator: isTaken(texts),
    isOdd: symbol === undefined || name === undefined,
  };
}
