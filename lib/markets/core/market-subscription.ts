import type { TokenName } from "./market.ts";

/** Choices for the interval between two deliveries to a connection, in seconds. */
export const paces = [1, 5] as const;

export type Pace = (typeof paces)[number];

/** A token that a connection follows. */
export type FollowedToken = TokenName & {
  /** True if its minutes come too. */
  candles?: true;
};

/** The tokens and the pace of a connection. */
export type MarketSubscription = { every: Pace; tokens: readonly FollowedToken[] };

/** The most tokens that a message may name, and that a connection may follow, and those of them with candles. */
export const mostNamedTokens = 50;
export const mostFollowedTokens = 20;
export const mostCandleTokens = 5;

export const isSameToken = (one: TokenName, other: TokenName): boolean =>
  one.chain === other.chain && one.token === other.token;

/** The tokens after a change, and the indices of those that found no place, or none with candles. */
export type Followed = { tokens: FollowedToken[]; tooMany: number[]; withoutCandles: number[] };

/**
 * Adds tokens in their order, as long as there is a place. A token that is followed already gets the new options. Without a
 * place for candles, it is followed without them.
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

/** Removes tokens. Ignores those that are not followed. */
export const unfollowing = (
  before: readonly FollowedToken[],
  removed: readonly TokenName[],
): FollowedToken[] => before.filter((token) => !removed.some((each) => isSameToken(each, token)));
