import { forEachConcurrently } from "../core/concurrency.ts";
import { nameOf, type TokenName } from "./core/market.ts";

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
  #revision = 0;

  /** @param read Reads the tokens of a user's open positions. */
  constructor(read: (userID: string) => Promise<readonly TokenName[]>) {
    this.#read = read;
  }

  /** Number that grows when the positions of any user have changed. */
  get revision(): number {
    return this.#revision;
  }

  /**
   * Returns the names of the tokens in which the user has open positions: the same set until the positions change.
   * Undefined while they are unknown.
   */
  heldBy(userID: string): ReadonlySet<string> | undefined {
    return this.#known.get(userID)?.tokens;
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
        this.#note(userID, new Set((await this.#read(userID)).map(nameOf)), nowMs);
      } catch (error) {
        failures.push(error);
      }
    });
    if (failures.length > 0) throw failures[0];
  }

  #note(userID: string, tokens: ReadonlySet<string>, nowMs: number): void {
    const before = this.#known.get(userID)?.tokens;
    const isSame = before?.size === tokens.size && [...tokens].every((name) => before.has(name));
    if (!isSame) this.#revision++;
    this.#known.set(userID, { tokens: isSame ? before : tokens, readMs: nowMs });
  }
}
