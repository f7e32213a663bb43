import { forEachConcurrently } from "../core/concurrency.ts";
import type { TokenName } from "./core/market.ts";

/**
 * Time after which a user's positions are read again. Until then, the client itself follows the token of a new
 * position.
 */
const readMs = 5 * 60_000;

/** Maximum number of users whose positions are read in one round, and at the same time. */
const mostInRound = 20;
const atOnce = 4;

/** Tokens in which users have open positions. */
export class HeldTokens {
  readonly #read: (userID: string) => Promise<readonly TokenName[]>;
  readonly #known = new Map<string, { tokens: ReadonlySet<string>; readMs: number }>();

  /** @param read Reads the tokens of a user's open positions. */
  constructor(read: (userID: string) => Promise<readonly TokenName[]>) {
    this.#read = read;
  }

  /** True if the user has an open position in a token. Undefined while the user's positions are unknown. */
  has(userID: string, { chain, token }: TokenName): boolean | undefined {
    return this.#known.get(userID)?.tokens.has(`${chain} ${token}`);
  }

  /**
   * Reads the positions of some of these users if their positions are unknown or outdated. Forgets all users who are
   * not in the list.
   */
  async refresh(users: readonly string[], nowMs: number): Promise<void> {
    const wanted = new Set(users);
    for (const userID of this.#known.keys()) if (!wanted.has(userID)) this.#known.delete(userID);
    const isDue = (userID: string) =>
      nowMs - (this.#known.get(userID)?.readMs ?? Number.NEGATIVE_INFINITY) >= readMs;
    const due = users.filter(isDue).slice(0, mostInRound);
    const failures: unknown[] = [];
    await forEachConcurrently(due, { concurrency: atOnce }, async (userID) => {
      try {
        const names = await this.#read(userID);
        const tokens = new Set(names.map(({ chain, token }) => `${chain} ${token}`));
        this.#known.set(userID, { tokens, readMs: nowMs });
      } catch (error) {
        failures.push(error);
      }
    });
    if (failures.length > 0) throw failures[0];
  }
}
