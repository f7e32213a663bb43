import type { PoolVenue } from "../../chains/families/venue.ts";
import type { TokenFlag } from "../../core/token-flag.ts";
import type { SearchedToken } from "./token-search.ts";

/** A pool that was made in the last day. */
export type NewTokenPool = {
  pool: string;
  venue: PoolVenue;
  token: string;
  /** Time when the pool was made, in epoch seconds. */
  time: number;
  /** True if two hosts have shown the same event. */
  isConfirmed: boolean;
};

/** Facts from one host about a token that has a new pool. */
export type TokenLook = {
  symbol: string;
  name: string;
  decimals: number;
  listed: boolean;
  sellable: boolean | null;
  buyTax: number | null;
  sellTax: number | null;
  flags: readonly TokenFlag[];
  /** Depth of the token's reference pool, in coins. */
  liquidity: string;
};

/** The new pools of a chain, and the tokens in them. */
export type NewTokens<Pool extends NewTokenPool = NewTokenPool, State = unknown> = {
  /** Pools, the newest first. */
  pools: readonly Pool[];
  /** Looks at tokens, with their times in epoch seconds. A look without content found no price. */
  looks: Readonly<Record<string, { at: number; found?: TokenLook }>>;
  /** Time when the newest block was read, in epoch seconds. 0 if none has been. */
  readAt: number;
  /** Time from which on pools are known, in epoch seconds. */
  since: number;
  /** State for the next reading. */
  state: State;
};

/** Reads a range of blocks for new pools, and looks at some of their tokens. */
export type ReadNewPools = (before: NewTokens | undefined, nowMs: number) => Promise<NewTokens>;

/** Seconds for which a pool is new. */
export const newSeconds = 86_400;

/** A token with a new pool that a sale can be priced in. */
export type NewToken = TokenLook & {
  token: string;
  /** The newest pool. */
  pool: NewTokenPool;
};

/** Lists the tokens whose price is known, those with the newest pools first. */
export function newTokensIn({ pools, looks }: NewTokens, nowSeconds: number): NewToken[] {
  const newest = new Map<string, NewTokenPool>();
  for (const pool of pools)
    if (nowSeconds - pool.time < newSeconds && !newest.has(pool.token)) newest.set(pool.token, pool);
  return [...newest.values()].flatMap((pool) => {
    const { found } = looks[pool.token] ?? {};
    return found === undefined ? [] : [{ ...found, token: pool.token, pool }];
  });
}

/** A token with a new pool, as a search finds it. */
export const searchedIn = (chain: SearchedToken["chain"], tokens: readonly NewToken[]): SearchedToken[] =>
  tokens.map(({ token, symbol, name, decimals }) => ({ chain, token, symbol, name, decimals }));

/**
 * Seconds between two looks on a chain, because they ask the hosts that orders need, and seconds after which a token is
 * looked at again.
 */
export const lookSeconds = { between: 4, fresh: 60, later: 600 };

/** Chooses a token to look at: first one that was never looked at, the newest. Undefined so soon after another look. */
export function dueLook(
  pools: readonly NewTokenPool[],
  looks: NewTokens["looks"],
  nowSeconds: number,
): string | undefined {
  if (Object.values(looks).some(({ at }) => nowSeconds - at < lookSeconds.between)) return undefined;
  const madeAt = new Map<string, number>();
  for (const { token, time } of pools) if (!madeAt.has(token)) madeAt.set(token, time);
  const lastAt = (token: string) => looks[token]?.at ?? 0;
  const [due] = [...madeAt]
    .filter(([token, time]) => {
      const pause = nowSeconds - time < lookSeconds.later ? lookSeconds.fresh : lookSeconds.later;
      return nowSeconds - lastAt(token) >= pause;
    })
    .map(([token]) => token)
    .toSorted((a, b) => lastAt(a) - lastAt(b));
  return due;
}
