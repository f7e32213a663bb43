import { likenessTo } from "../../orders/token-likeness.ts";
import type { TokenName } from "./market.ts";

/** A token that a search may find. */
export type SearchedToken = TokenName & { symbol: string; name: string; decimals: number; wrapped?: true };

/** A token whose market somebody has requested. */
export type IndexedToken = SearchedToken & {
  /** Dollars that a sale pays at an impact of at most 2 %. */
  depthUsd: number;
  /** Time when somebody first requested the market, in epoch seconds. */
  firstSeen: number;
  /** Time from which on searches do not find the token, in epoch seconds. */
  knownUntil?: number;
};

export type FoundToken = SearchedToken & {
  isListed: boolean;
  /** True if the token's symbol or name resembles that of a listed token or of a coin. */
  isImitation: boolean;
  /** True if the token was found only because it has a pool of the last day. */
  isNew?: true;
};

export type Searchable = {
  /** Tokens that all users are shown, including the coins. */
  listed: readonly SearchedToken[];
  /** Tokens of the user's open positions. */
  own: readonly SearchedToken[];
  others: readonly IndexedToken[];
  /** Tokens with pools of the last day. Each symbol can be anybody's, so they come last. */
  made: readonly SearchedToken[];
};

const mostFound = 20;

/**
 * Minimum depth in dollars for a token to be found. If it were lower, an attacker could cheaply buy a place in the
 * results.
 */
const leastDepthUsd = 10_000;

const leastAgeSeconds = 24 * 3600;

const [fewestCharacters, mostCharacters] = [2, 64];

const rule = `must have ${fewestCharacters} to ${mostCharacters} characters`;

/**
 * Reads the text of a search. Returns it normalized and in lower case, or the problem with it in words that follow the
 * field's name.
 */
export function readSearch(text: string): { wanted: string } | { problem: string } {
  // Rejects long texts before normalizing, because one character may become 18.
  if (text.length > 4 * mostCharacters) return { problem: rule };
  const wanted = folded(text.trim());
  // Removes invisible characters such as direction marks, which would hide a match.
  if (/[\p{C}\p{Default_Ignorable_Code_Point}\u2028\u2029\u2800]/u.test(wanted))
    return { problem: "must not have invisible characters" };
  const { length } = [...wanted];
  return length < fewestCharacters || length > mostCharacters ? { problem: rule } : { wanted };
}

const folded = (text: string) => text.normalize("NFKC").toLowerCase();

/**
 * Finds tokens by their symbol or name: listed ones first, then the user's own, then others that are not new and can be
 * sold, and then those with pools of the last day.
 *
 * @param wanted The search text as returned by {@link readSearch}
 */
export function searchTokens(
  wanted: string,
  { listed, own, others, made }: Searchable,
  nowMs: number,
): FoundToken[] {
  const known = others.filter(
    ({ depthUsd, firstSeen }) => depthUsd >= leastDepthUsd && nowMs / 1000 - firstSeen >= leastAgeSeconds,
  );
  const groups: readonly (readonly SearchedToken[])[] = [
    listed,
    own,
    known.toSorted((a, b) => b.depthUsd - a.depthUsd),
    made,
  ];
  const seen = new Set<string>();
  const found = groups.flatMap((tokens) =>
    tokens
      .map((token) => ({ token, rank: rankOf(wanted, token) }))
      .filter(({ rank }) => rank !== undefined)
      .toSorted((a, b) => Number(a.rank) - Number(b.rank))
      .map(({ token }) => token)
      .filter(({ chain, token }) => {
        const name = `${chain} ${token}`;
        return !seen.has(name) && seen.add(name);
      }),
  );
  const assessed = assessing(listed);
  return found
    .slice(0, mostFound)
    .map((token) => ({ ...assessed(token), ...(made.includes(token) && { isNew: true as const }) }));
}

/** Returns the rank of a matching token; lower is better. Undefined if the token does not match. */
function rankOf(wanted: string, token: SearchedToken): number | undefined {
  const [symbol, name] = [folded(token.symbol), folded(token.name)];
  const fits = [
    symbol === wanted,
    symbol.startsWith(wanted),
    name.startsWith(wanted) || name.includes(` ${wanted}`),
    symbol.includes(wanted) || name.includes(wanted),
  ];
  const rank = fits.indexOf(true);
  return rank < 0 ? undefined : rank;
}

/** Makes a function that compares a token with the listed tokens of all chains. */
export function assessing(listed: readonly SearchedToken[]): (token: SearchedToken) => FoundToken {
  const isLike = likenessTo(listed);
  return ({ chain, token, symbol, name, decimals, wrapped }) => {
    const isListed = listed.some((each) => each.chain === chain && each.token === token);
    return {
      chain,
      token,
      symbol,
      name,
      decimals,
      ...(wrapped && { wrapped }),
      isListed,
      isImitation: !isListed && isLike({ symbol, name }),
    };
  };
}
