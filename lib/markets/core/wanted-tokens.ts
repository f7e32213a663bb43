import type { TradingChain } from "../../core/chain-facts.ts";
import { nativeToken } from "../../orders/trading-chain.ts";
import type { TokenName } from "./market.ts";
import { mostFollowedTokens } from "./market-subscription.ts";

/** Tokens that a connection follows, or a token that was requested over REST. */
export type Wish = {
  userID: string;
  tokens: readonly TokenName[];
  /** Time when the tokens were last requested. */
  wantedMs: number;
};

/** Reasons for reading a token for a user. Such tokens are still read when users want too many tokens. */
export type WishRules = {
  /** True if the token is shown to all users. */
  isListed: (name: TokenName) => boolean;
  /** True if the user has an open position in the token. Undefined while the user's positions are unknown. */
  isHeld: (userID: string, name: TokenName) => boolean | undefined;
};

/**
 * Maximum number of tokens to read for a user, and of new ones per minute that nobody else wants. Listed and held
 * tokens do not count as new.
 */
export const mostOfUser = 50;
const mostNewOfUser = 20;
const newMs = 60_000;

/**
 * Maximum number of tokens to read on a chain, without and with the listed or held ones. Each token has up to two
 * pools.
 */
export const mostOnChain = 150;
const mostProtectedOnChain = 300;

/** A user's claim to have a token read. */
type Claim = TokenName & {
  userID: string;
  /** Time when the claim began. */
  sinceMs: number;
  wantedMs: number;
  isHeld: boolean | undefined;
  /** True if the token has priority because it is listed or held. */
  isProtected: boolean;
};

const keyOf = ({ chain, token }: TokenName) => `${chain} ${token}`;

/**
 * Decides which tokens are read, so that no user can have too many tokens read. Remembers since when each user has
 * wanted each token.
 */
export class WantedTokens {
  /** Start times of each user's claims, by token. */
  #claims = new Map<string, Map<string, number>>();
  /** For each user, the times at which tokens that nobody else wanted were first read. */
  #news = new Map<string, number[]>();
  #granted: ReadonlySet<string> = new Set();
  #isFirst = true;

  /**
   * Grants requests for tokens, within the limits of users and chains.
   *
   * @returns the tokens to read, and the refused ones. A refused token may be granted later. No token is refused as
   * long as it is unknown whether a user holds it.
   */
  grant(wishes: readonly Wish[], rules: WishRules, nowMs: number) {
    const users = Map.groupBy(wishes, ({ userID }) => userID);
    const claims = [...users].map(([userID, those]) => this.#claimsOf(userID, those, rules, nowMs));
    this.#claims = new Map(
      claims.map((own) => [own[0]?.userID ?? "", new Map(own.map((claim) => [keyOf(claim), claim.sinceMs]))]),
    );
    // Ranks claims by their place in the user's list, so that users with many tokens do not displace those with few.
    const kept = claims.flatMap((own) => own.slice(0, mostOfUser).map((claim, place) => ({ claim, place })));
    const tokens = [...Map.groupBy(kept, ({ claim }) => keyOf(claim)).values()].map((same) => ({
      claims: same.map(({ claim }) => claim),
      isProtected: same.some(({ claim }) => claim.isProtected),
      place: Math.min(...same.map(({ place }) => place)),
      sinceMs: Math.min(...same.map(({ claim }) => claim.sinceMs)),
    }));
    tokens.sort(
      (a, b) => Number(b.isProtected) - Number(a.isProtected) || a.place - b.place || a.sinceMs - b.sinceMs,
    );
    const counts = new Map<TradingChain, number>();
    const wanted = tokens.flatMap(({ claims: own, isProtected }) => {
      const [{ chain, token }] = own as [Claim, ...Claim[]];
      const count = counts.get(chain) ?? 0;
      const isFull = count >= (isProtected ? mostProtectedOnChain : mostOnChain);
      if (isFull || !(isProtected || this.#mayBeRead(own, nowMs))) return [];
      counts.set(chain, count + 1);
      const wantedMs = Math.max(...own.map((claim) => claim.wantedMs));
      return [{ chain, token, wantedMs, isHeld: own.some(({ isHeld }) => isHeld === true) }];
    });
    this.#granted = new Set(wanted.map(keyOf));
    this.#isFirst = false;
    for (const userID of this.#news.keys()) if (!users.has(userID)) this.#news.delete(userID);
    const decided = claims.flat().filter(({ isHeld }) => isHeld !== undefined);
    const refused = new Map(
      decided.map(({ chain, token }) => [keyOf({ chain, token }), { chain, token }] as const),
    );
    for (const key of this.#granted) refused.delete(key);
    return { wanted, refused: [...refused.values()] };
  }

  /** Lists a user's claims: those with priority first, then the oldest. */
  #claimsOf(userID: string, wishes: readonly Wish[], rules: WishRules, nowMs: number): Claim[] {
    const claims = new Map<string, Claim>();
    for (const { tokens, wantedMs } of wishes) {
      for (const name of tokens.slice(0, mostFollowedTokens)) {
        const { chain, token } = name;
        // Skips coins, whose prices are not read from chains.
        if (token === nativeToken) continue;
        const key = keyOf(name);
        const isHeld = rules.isHeld(userID, name);
        claims.set(key, {
          chain,
          token,
          userID,
          isHeld,
          sinceMs: this.#claims.get(userID)?.get(key) ?? nowMs,
          wantedMs: Math.max(wantedMs, claims.get(key)?.wantedMs ?? 0),
          isProtected: isHeld === true || rules.isListed(name),
        });
      }
    }
    return [...claims.values()].toSorted(
      (a, b) => Number(b.isProtected) - Number(a.isProtected) || a.sinceMs - b.sinceMs,
    );
  }

  /** True if a token is already read, or may be read for one of these users now. */
  #mayBeRead(claims: readonly Claim[], nowMs: number): boolean {
    const [first] = claims;
    // Continues with the tokens of the last run.
    if (first === undefined || this.#isFirst || this.#granted.has(keyOf(first))) return true;
    for (const { userID } of claims) {
      const recent = (this.#news.get(userID) ?? []).filter((ms) => nowMs - ms < newMs);
      this.#news.set(userID, recent);
      if (recent.length >= mostNewOfUser) continue;
      recent.push(nowMs);
      return true;
    }
    return false;
  }
}
