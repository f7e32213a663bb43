import { compare, type Decimal, multiply } from "../../../core/decimal.ts";
import type { TokenWithPools } from "../../core/market-book.ts";
import type { SolPool, SolToken } from "../pools.ts";

/** Share of the deepest pool's depth that the other host's deepest pool must have at least. */
const leastShare: Decimal = { mantissa: 7n, exponent: -1 };

/** Minimum share of the greater supply that the smaller one must have. */
const nearShare: Decimal = { mantissa: 99n, exponent: -2 };

/**
 * Number of a token's pools that are considered, the deepest first. Strangers can make more, but no further one could
 * become the reference.
 */
const mostPools = 8;

/**
 * Joins what two hosts show of a token. A pool counts with the lower of both depths, and only if both show it. The
 * hosts do not agree if one of them shows another token, or hides a pool that the other one would choose.
 *
 * @returns Undefined if both show that the address is not a token.
 */
export function agreedToken(
  one: SolToken | undefined,
  other: SolToken | undefined,
): TokenWithPools<SolPool> | undefined | "not agreed" {
  if (one === undefined && other === undefined) return undefined;
  if (one === undefined || other === undefined || !isSameToken(one, other)) return "not agreed";
  const pools = one.pools
    .flatMap(({ amounts: _, price: __, ...pool }) => {
      const again = other.pools.find((each) => each.pool === pool.pool);
      const isLess = again && compare(again.depth, pool.depth) < 0;
      return again ? [{ ...pool, depth: isLess ? again.depth : pool.depth }] : [];
    })
    .toSorted((a, b) => compare(b.depth, a.depth))
    .slice(0, mostPools);
  const deepest = pools[0]?.depth;
  const isHidden = [one.pools[0], other.pools[0]].some(
    (pool) => pool && (deepest === undefined || compare(deepest, multiply(pool.depth, leastShare)) < 0),
  );
  return isHidden ? "not agreed" : { token: withAgreedSupply(one, other), pools };
}

/** Leaves out a supply on which the hosts do not agree. It may have changed a little between their slots. */
function withAgreedSupply({ token: { supply, ...token } }: SolToken, { token: again }: SolToken) {
  const [less, more] = [supply, again.supply].flatMap((each) => each ?? []).toSorted(compare);
  const isAgreed = less && more && compare(less, multiply(more, nearShare)) >= 0;
  return isAgreed ? { ...token, supply: less } : token;
}

const isSameToken = ({ token: a }: SolToken, { token: b }: SolToken) =>
  a.symbol === b.symbol && a.name === b.name && a.decimals === b.decimals;
