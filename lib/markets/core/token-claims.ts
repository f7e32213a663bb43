import type { TokenName } from "./market.ts";

type Claim = {
  userID: string;
  place: number;
  sinceMs: number;
  /** Absent for a claim that holds all the time. */
  wantedMs: number | undefined;
  isHeld: boolean | undefined;
  isProtected: boolean;
};

/**
 * The claims of all users to have a token read. Keeps their counts and minima up to date, because some tokens have
 * thousands of claims of which few change.
 */
export class ClaimsOnToken<Each extends Claim> {
  readonly name: TokenName;
  /** Users who claim the token, in the order of their claims. Always shows the current claims. */
  readonly users: Iterable<string>;
  readonly #claims = new Set<Each>();
  #held = 0;
  #protected = 0;
  #constant = 0;
  #least: { place: number; sinceMs: number } | undefined;

  constructor(name: TokenName) {
    this.name = name;
    const claims = this.#claims;
    this.users = {
      *[Symbol.iterator]() {
        for (const { userID } of claims) yield userID;
      },
    };
  }

  get claims(): Iterable<Each> {
    return this.#claims;
  }

  get size(): number {
    return this.#claims.size;
  }

  get isHeld(): boolean {
    return this.#held > 0;
  }

  get isProtected(): boolean {
    return this.#protected > 0;
  }

  /** First place in any user's list. */
  get place(): number {
    return this.#minima.place;
  }

  /** Time when the oldest claim began. */
  get sinceMs(): number {
    return this.#minima.sinceMs;
  }

  /** Time when the token was last requested. Undefined if somebody wants it all the time. */
  get wantedMs(): number | undefined {
    if (this.#constant > 0) return undefined;
    return Math.max(...[...this.#claims].map(({ wantedMs = 0 }) => wantedMs));
  }

  add(claim: Each): void {
    this.#claims.add(claim);
    this.#count(claim, 1);
    if (this.#least !== undefined) this.#least = least(this.#least, claim);
  }

  delete(claim: Each): void {
    if (!this.#claims.delete(claim)) return;
    this.#count(claim, -1);
    const { place, sinceMs } = this.#least ?? {};
    if (claim.place === place || claim.sinceMs === sinceMs) this.#least = undefined;
  }

  #count({ isHeld, isProtected, wantedMs }: Each, change: 1 | -1): void {
    if (isHeld === true) this.#held += change;
    if (isProtected) this.#protected += change;
    if (wantedMs === undefined) this.#constant += change;
  }

  get #minima(): { place: number; sinceMs: number } {
    if (this.#least === undefined) {
      let found = { place: Number.POSITIVE_INFINITY, sinceMs: Number.POSITIVE_INFINITY };
      for (const claim of this.#claims) found = least(found, claim);
      this.#least = found;
    }
    return this.#least;
  }
}

type Minima = { place: number; sinceMs: number };

const least = (one: Minima, other: Minima): Minima =>
  one.place <= other.place && one.sinceMs <= other.sinceMs
    ? one
    : { place: Math.min(one.place, other.place), sinceMs: Math.min(one.sinceMs, other.sinceMs) };
