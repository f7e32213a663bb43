import type { TradingChain } from "../../core/chain-facts.ts";
import { nativeToken } from "../../orders/trading-chain.ts";
import { nameOf, type TokenName } from "./market.ts";
import { mostKeptTokens } from "./market-subscription.ts";
import { ClaimsOnToken } from "./token-claims.ts";

/**
 * Tokens that a connection follows, or a token that was requested over REST. Callers pass the same object as long as
 * the wish stays the same.
 */
export type Wish = {
  userID: string;
  tokens: readonly TokenName[];
  /** Time when the tokens were last requested. Absent for a connection, which wants its tokens all the time. */
  wantedMs?: number;
};

/** Reasons for reading a token for a user. Such tokens are still read when users want too many tokens. */
export type WishRules = {
  /** True if the token is shown to all users. */
  isListed: (name: TokenName) => boolean;
  /**
   * Returns the names of the tokens in which the user has open positions. Undefined while they are unknown. Returns the
   * same object as long as the positions stay the same.
   */
  heldBy: (userID: string) => Pick<ReadonlySet<string>, "has"> | undefined;
};

/**
 * Maximum number of tokens to read for a user, of refusals that a user is told, and of new tokens per minute that
 * nobody else wants. Listed and held tokens do not count as new.
 */
export const mostOfUser = 50;
const mostNewOfUser = 20;
const newMs = 60_000;

/**
 * Number of tokens to read on a chain if the context sets none. With the listed and held ones, twice as many are read.
 * Each token has up to two pools.
 */
export const mostOnChain = 150;
const protectedFactor = 2;

/** A user's claim to have a token read. */
type Claim = {
  userID: string;
  name: TokenName;
  key: string;
  /** Time when the claim began. */
  sinceMs: number;
  wantedMs: number | undefined;
  isHeld: boolean | undefined;
  /** True if the token has priority because it is listed or held. */
  isProtected: boolean;
  /** Place in the user's list. */
  place: number;
};

/** A user's wishes with the claims that follow from them: those with priority first, then followed ones, then the oldest. */
type User = {
  wishes: readonly Wish[];
  held: ReturnType<WishRules["heldBy"]>;
  claims: readonly Claim[];
};

/** The tokens that each user is told are not read. */
export type RefusedTokens = ReadonlyMap<string, readonly TokenName[]>;

/**
 * Decides which tokens are read, so that no user can have too many tokens read. Remembers since when each user has
 * wanted each token. Looks only at users whose wishes or positions have changed, because there are thousands of others.
 */
export class WantedTokens {
  readonly #users = new Map<string, User>();
  /** Claims within the limits of users, by token. */
  readonly #tokens = new Map<string, ClaimsOnToken<Claim>>();
  /** Times at which tokens that nobody else wanted were first read, by user. */
  readonly #news = new Map<string, number[]>();
  readonly #refused = new Map<string, readonly TokenName[]>();
  #granted: ReadonlySet<string> = new Set();
  readonly #mostOn: (chain: TradingChain) => number;
  #isFirst = true;
  #againMs = Number.POSITIVE_INFINITY;

  /** @param mostOn Number of tokens to read on a chain, without the listed and held ones. */
  constructor(mostOn: (chain: TradingChain) => number = () => mostOnChain) {
    this.#mostOn = mostOn;
  }

  /** Time from which the same wishes may be granted more tokens. */
  get againMs(): number {
    return this.#againMs;
  }

  /**
   * Grants requests for tokens, within the limits of users and chains.
   *
   * @returns the tokens to read, and the refused ones. A refused token may be granted later. No token is refused as
   * long as it is unknown whether a user holds it.
   */
  grant(wishes: Iterable<Wish>, rules: WishRules, nowMs: number) {
    const changed = this.#update(
      Map.groupBy(wishes, ({ userID }) => userID),
      rules,
      nowMs,
    );
    const wanted = this.#choose(nowMs);
    const before = this.#granted;
    this.#granted = new Set(wanted.map(nameOf));
    this.#isFirst = false;
    const isSame = before.size === this.#granted.size && [...before].every((key) => this.#granted.has(key));
    for (const userID of isSame ? changed : this.#users.keys()) this.#refuse(userID);
    return { wanted, refused: this.#refused as RefusedTokens };
  }

  /** Updates the claims of users whose wishes or positions have changed. Returns these users. */
  #update(users: ReadonlyMap<string, readonly Wish[]>, rules: WishRules, nowMs: number): string[] {
    for (const [userID, { claims }] of this.#users) {
      if (users.has(userID)) continue;
      this.#withdraw(claims);
      this.#users.delete(userID);
      this.#news.delete(userID);
      this.#refused.delete(userID);
    }
    const changed: string[] = [];
    for (const [userID, wishes] of users) {
      const held = rules.heldBy(userID);
      const known = this.#users.get(userID);
      if (known !== undefined && known.held === held && isSameList(known.wishes, wishes)) continue;
      const before = new Map(known?.claims.map(({ key, sinceMs }) => [key, sinceMs]));
      const claims = claimsOf(userID, wishes, { isListed: rules.isListed, held, before, nowMs });
      if (known !== undefined) this.#withdraw(known.claims);
      for (const claim of claims.slice(0, mostOfUser)) {
        const token = this.#tokens.get(claim.key) ?? new ClaimsOnToken<Claim>(claim.name);
        this.#tokens.set(claim.key, token);
        token.add(claim);
      }
      this.#users.set(userID, { wishes, held, claims });
      changed.push(userID);
    }
    return changed;
  }

  #withdraw(claims: readonly Claim[]): void {
    for (const claim of claims.slice(0, mostOfUser)) {
      const token = this.#tokens.get(claim.key);
      token?.delete(claim);
      if (token?.size === 0) this.#tokens.delete(claim.key);
    }
  }

  /**
   * Chooses the tokens to read. Ranks tokens by their place in users' lists, so that users with many tokens do not
   * displace those with few.
   */
  #choose(nowMs: number) {
    this.#againMs = Number.POSITIVE_INFINITY;
    const counts = new Map<TradingChain, number>();
    const hasRoom = ({ name: { chain }, isProtected }: ClaimsOnToken<Claim>) =>
      (counts.get(chain) ?? 0) < this.#mostOn(chain) * (isProtected ? protectedFactor : 1);
    const ranks: ClaimsOnToken<Claim>[][] = Array.from({ length: 2 * mostOfUser }, () => []);
    for (const token of this.#tokens.values())
      ranks[(token.isProtected ? 0 : mostOfUser) + token.place]?.push(token);
    const chosen: ClaimsOnToken<Claim>[] = [];
    for (const rank of ranks) {
      // Sorts only tokens that may find a place, because most of many thousands find none.
      for (const token of rank.filter(hasRoom).toSorted((a, b) => a.sinceMs - b.sinceMs)) {
        if (!hasRoom(token) || !(token.isProtected || this.#mayBeRead(token, nowMs))) continue;
        const { chain } = token.name;
        counts.set(chain, (counts.get(chain) ?? 0) + 1);
        chosen.push(token);
      }
    }
    return chosen.map(({ name: { chain, token }, wantedMs, isHeld, users }) => ({
      chain,
      token,
      wantedMs: wantedMs ?? nowMs,
      isHeld,
      users,
    }));
  }

  /** True if a token is already read, or may be read for one of its users now. */
  #mayBeRead(token: ClaimsOnToken<Claim>, nowMs: number): boolean {
    // Continues with the tokens of the last run.
    if (this.#isFirst || this.#granted.has(nameOf(token.name))) return true;
    for (const { userID } of token.claims) {
      const recent = (this.#news.get(userID) ?? []).filter((ms) => nowMs - ms < newMs);
      this.#news.set(userID, recent);
      if (recent.length >= mostNewOfUser) {
        this.#againMs = Math.min(this.#againMs, (recent[0] ?? nowMs) + newMs);
        continue;
      }
      recent.push(nowMs);
      return true;
    }
    return false;
  }

  /** Notes the tokens that a user is told are not read. Keeps the list if it is the same as before. */
  #refuse(userID: string): void {
    const { claims = [] } = this.#users.get(userID) ?? {};
    const refused: TokenName[] = [];
    for (const { key, name, isHeld } of claims) {
      if (refused.length === mostOfUser) break;
      if (isHeld !== undefined && !this.#granted.has(key)) refused.push(name);
    }
    const before = this.#refused.get(userID);
    if (refused.length === 0) this.#refused.delete(userID);
    else if (before === undefined || !isSameList(before.map(nameOf), refused.map(nameOf)))
      this.#refused.set(userID, refused);
  }
}

const isSameList = <Each>(one: readonly Each[], other: readonly Each[]): boolean =>
  one.length === other.length && one.every((each, index) => each === other[index]);

/** Lists a user's claims: those with priority first, then those of connections, then the oldest. */
function claimsOf(
  userID: string,
  wishes: readonly Wish[],
  {
    isListed,
    held,
    before,
    nowMs,
  }: Pick<WishRules, "isListed"> & {
    held: User["held"];
    before: ReadonlyMap<string, number>;
    nowMs: number;
  },
): Claim[] {
  const claims = new Map<string, Claim>();
  for (const { tokens, wantedMs } of wishes) {
    for (const { chain, token } of tokens.slice(0, mostKeptTokens)) {
      // Skips coins, whose prices are not read from chains.
      if (token === nativeToken) continue;
      const name = { chain, token };
      const key = nameOf(name);
      const known = claims.get(key);
      const isHeld = held?.has(key);
      claims.set(key, {
        userID,
        name,
        key,
        isHeld,
        sinceMs: before.get(key) ?? nowMs,
        wantedMs: known === undefined ? wantedMs : latest(known.wantedMs, wantedMs),
        isProtected: isHeld === true || isListed(name),
        place: 0,
      });
    }
  }
  return [...claims.values()]
    .toSorted(
      (a, b) =>
        Number(b.isProtected) - Number(a.isProtected) ||
        Number(isFollowed(b)) - Number(isFollowed(a)) ||
        a.sinceMs - b.sinceMs,
    )
    .map((claim, place) => ({ ...claim, place }));
}

/** True if a connection wants the token, so that pages which the user has opened over REST do not displace it. */
const isFollowed = ({ wantedMs }: Pick<Claim, "wantedMs">): boolean => wantedMs === undefined;

/** Returns the later of two times. Undefined, which is now, if one of them is. */
const latest = (one: number | undefined, other: number | undefined): number | undefined =>
  one === undefined || other === undefined ? undefined : Math.max(one, other);
