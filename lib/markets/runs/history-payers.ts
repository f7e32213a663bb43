import { Attempts, historyPauses } from "../core/attempts.ts";

/**
 * Number of users who are offered for a token's history, to bound the work on a token that thousands want. One of them
 * pays for it. Users who cannot pay leave their places to others, so in time all who want the token are offered.
 */
const mostOffered = 100;

const dayMs = 86_400_000;

/**
 * Knows which users cannot pay for a history at the moment: their number for the day is used up, or one has just
 * failed.
 */
export class HistoryPayers {
  /** Users whose number is used up on the last of these days in UTC. */
  #spent: { day: number; users: Set<string> } = { day: 0, users: new Set() };
  readonly #failures = new Map<string, Attempts>();

  /** Selects the users who can pay, in their order. Undefined if users want the token, but none of them can. */
  among(users: Iterable<string>, nowMs: number): readonly string[] | undefined {
    const offered: string[] = [];
    let isWanted = false;
    for (const userID of users) {
      isWanted = true;
      if (this.#canPay(userID, nowMs) && offered.push(userID) === mostOffered) break;
    }
    return isWanted && offered.length === 0 ? undefined : offered;
  }

  /** Notes that a user's number is used up until the end of the day. */
  spend(userID: string, nowMs: number): void {
    const day = Math.floor(nowMs / dayMs);
    if (day !== this.#spent.day) this.#spent = { day, users: new Set() };
    this.#spent.users.add(userID);
    this.#failures.delete(userID);
  }

  /**
   * Notes that a history begins. If nothing follows, it has failed, and the user pauses for up to ten minutes. Failed
   * histories count for nobody, so the pauses bound their number in a long outage.
   */
  begin(userID: string, nowMs: number): void {
    const attempts = this.#failures.get(userID) ?? new Attempts(historyPauses);
    this.#failures.set(userID, attempts);
    attempts.begin(nowMs);
  }

  /** Notes that a history has been loaded. */
  succeed(userID: string): void {
    this.#failures.delete(userID);
  }

  #canPay(userID: string, nowMs: number): boolean {
    const { day, users } = this.#spent;
    const isSpent = day === Math.floor(nowMs / dayMs) && users.has(userID);
    return !isSpent && (this.#failures.get(userID)?.isDue(nowMs) ?? true);
  }
}
