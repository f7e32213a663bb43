import { createHash } from "node:crypto";
import { forEachConcurrently } from "../core/concurrency.ts";
import { nameOf, type TokenName } from "./core/market.ts";
import type { HeldNote } from "./items/held-notes.ts";

/**
 * Time after which a user's positions are read again. Until then, the client itself follows the token of a new
 * position.
 */
const readMs = 5 * 60_000;

/** Time after which a failed reading is repeated. Until then, other users take their turn. */
const failedMs = 30_000;

/** Minimum number of users whose positions may be read in one round, if more are due. */
const leastInRound = 20;

/** Rounds in which all users are read: a round takes a second, and so all are read before the first are due again. */
const roundsForAll = 240;

const atOnce = 4;

/** Tokens in which users have open positions. */
export class HeldTokens {
  readonly #read: (userID: string) => Promise<readonly TokenName[]>;
  readonly #known = new Map<string, ReadonlySet<string>>();
  /** Time from which each user is due again. */
  readonly #dueMs = new Map<string, number>();
  /** Notes of the previous run about users whom this one does not know yet, by digest. */
  readonly #inherited = new Map<string, HeldNote>();
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
    return this.#known.get(userID);
  }

  /** Describes what is known, for the next run. */
  notes(): HeldNote[] {
    return [...this.#known].map(([userID, tokens]) => ({
      user: digestOf(userID),
      tokens: [...tokens],
      readMs: (this.#dueMs.get(userID) ?? 0) - readMs,
    }));
  }

  /** Takes over what the previous run knew about these users, and about others who come later. */
  inherit(notes: readonly HeldNote[], users: readonly string[]): void {
    for (const note of notes) this.#inherited.set(note.user, note);
    this.#adopt(users);
  }

  #adopt(users: readonly string[]): void {
    if (this.#inherited.size === 0) return;
    for (const userID of users) {
      if (this.#known.has(userID)) continue;
      const digest = digestOf(userID);
      const note = this.#inherited.get(digest);
      if (note === undefined) continue;
      this.#inherited.delete(digest);
      this.#note(userID, new Set(note.tokens));
      this.#dueMs.set(userID, note.readMs + readMs);
    }
  }

  /**
   * Reads the positions of some of these users if their positions are unknown or outdated, those that have been due for
   * the longest time first. Forgets all users who are not in the list.
   */
  async refresh(users: readonly string[], nowMs: number): Promise<void> {
    const wanted = new Set(users);
    for (const map of [this.#known, this.#dueMs])
      for (const userID of map.keys()) if (!wanted.has(userID)) map.delete(userID);
    this.#adopt(users);
    const dueMs = (userID: string) => this.#dueMs.get(userID) ?? 0;
    const due = users
      .filter((userID) => dueMs(userID) <= nowMs)
      .toSorted((one, other) => dueMs(one) - dueMs(other))
      .slice(0, Math.max(leastInRound, Math.ceil(users.length / roundsForAll)));
    const failures: unknown[] = [];
    await forEachConcurrently(due, { concurrency: atOnce }, async (userID) => {
      try {
        this.#note(userID, new Set((await this.#read(userID)).map(nameOf)));
        this.#dueMs.set(userID, nowMs + readMs);
      } catch (error) {
        this.#dueMs.set(userID, nowMs + failedMs);
        failures.push(error);
      }
    });
    if (failures.length > 0) throw failures[0];
  }

  #note(userID: string, tokens: ReadonlySet<string>): void {
    const before = this.#known.get(userID);
    const isSame = before?.size === tokens.size && [...tokens].every((name) => before.has(name));
    if (!isSame) this.#revision++;
    this.#known.set(userID, isSame ? before : tokens);
  }
}

const digestOf = (userID: string): string =>
  createHash("sha256").update(userID).digest("base64url").slice(0, 22);
