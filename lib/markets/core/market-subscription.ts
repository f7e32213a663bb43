import type { TokenName } from "./market.ts";

/** Choices for the interval between two deliveries to a connection, in seconds. */
export const paces = [1, 5] as const;

export type Pace = (typeof paces)[number];

/** A token that a connection follows. */
export type FollowedToken = TokenName & {
  /** True if the connection also gets the token's minute candles. */
  candles?: true;
};

/** A connection's tokens and its pace. */
export type MarketSubscription = { every: Pace; tokens: readonly FollowedToken[] };

/**
 * Maximum number of tokens that a message may name, that a connection may follow, and that it may follow with candles.
 */
export const mostNamedTokens = 50;
export const mostFollowedTokens = 20;

/** Tokens of a connection that the reader keeps: those that it follows, and those that it may have left just before. */
export const mostKeptTokens = 2 * mostFollowedTokens;
export const mostCandleTokens = 5;

export const isSameToken = (one: TokenName, other: TokenName): boolean =>
  one.chain === other.chain && one.token === other.token;

/**
 * Tokens after a change, with the indices of the requested tokens that exceeded the limit, and of those that exceeded
 * only the limit for candles.
 */
export type Followed = { tokens: FollowedToken[]; tooMany: number[]; withoutCandles: number[] };

/**
 * Adds tokens in their order until the limit is reached. A token that is already followed gets the new options. If the
 * limit for candles is reached, the token is followed without candles.
 */
export function following(before: readonly FollowedToken[], added: readonly FollowedToken[]): Followed {
  let tokens = [...before];
  const tooMany: number[] = [];
  const withoutCandles: number[] = [];
  for (const [index, { candles, ...name }] of added.entries()) {
    const others = tokens.filter((other) => !isSameToken(name, other));
    const isNew = others.length === tokens.length;
    if (isNew && tokens.length >= mostFollowedTokens) {
      tooMany.push(index);
      continue;
    }
    const isFull = others.filter((other) => other.candles).length >= mostCandleTokens;
    if (candles && isFull) withoutCandles.push(index);
    const token: FollowedToken = { ...name, ...(candles && !isFull && { candles }) };
    tokens = isNew ? [...tokens, token] : tokens.map((other) => (isSameToken(name, other) ? token : other));
  }
  return { tokens, tooMany, withoutCandles };
}

/** Removes tokens. Ignores tokens that are not followed. */
export const unfollowing = (
  before: readonly FollowedToken[],
  removed: readonly TokenName[],
): FollowedToken[] => before.filter((token) => !removed.some((each) => isSameToken(each, token)));
