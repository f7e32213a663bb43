import type { RelayState, SendAnswer } from "./chain-under-test.ts";

type Held = { hash: string; wallet: string; nonce: number };

type At = { number: number; time: number };

/** Number of blocks after which a relay drops a transaction. */
const heldBlocks = 25;

/** Time in seconds for which a relay remembers transactions. */
const rememberedSeconds = 600;

/** Simulates a relay with the rules of Flashbots Protect. */
export class Relay<Transaction extends Held> {
  state: RelayState = "up";
  private readonly held = new Map<string, { transaction: Transaction; lastBlock: number }>();
  private readonly gotAt = new Map<string, number>();
  /** Newest transaction of each sender and nonce. */
  private readonly newest = new Map<string, string>();

  /**
   * Takes each transaction once. A transaction without data that its sender sends to itself is never included, and
   * cancels the newest transaction with the same nonce.
   */
  take(transaction: Transaction, isToOneself: boolean, { number, time }: At): "held" | "cancelled" | "lost" {
    if (!this.isAtWork()) return "lost";
    const { hash, wallet, nonce } = transaction;
    const remembers = (each = "") =>
      time - (this.gotAt.get(each) ?? Number.NEGATIVE_INFINITY) < rememberedSeconds;
    const name = `${wallet}/${nonce}`;
    const newest = this.newest.get(name);
    if (isToOneself && remembers(newest)) {
      this.held.delete(newest ?? "");
      this.gotAt.set(hash, time);
      return "cancelled";
    }
    if (remembers(hash)) return "held";
    this.gotAt.set(hash, time);
    this.newest.set(name, hash);
    this.held.set(hash, { transaction, lastBlock: number + heldBlocks });
    return "held";
  }

  /** Lists the transactions that the next block may include. */
  waiting({ number }: At): Transaction[] {
    for (const [hash, { lastBlock }] of this.held) if (lastBlock <= number) this.held.delete(hash);
    return this.isAtWork() ? [...this.held.values()].map(({ transaction }) => transaction) : [];
  }

  private isAtWork(): boolean {
    return this.state === "up" || this.state === "mute";
  }

  /** Returns the relay's answer to a sender. */
  answer(): SendAnswer {
    return this.state === "up" || this.state === "silent" ? "reached" : "unreached";
  }

  has(hash: string): boolean {
    return this.held.has(hash);
  }

  /** Drops transactions whose nonce is already used in a final block. */
  forget(isUsed: (transaction: Transaction) => boolean): void {
    for (const [hash, { transaction }] of this.held) if (isUsed(transaction)) this.held.delete(hash);
  }

  clear(): void {
    this.held.clear();
  }
}
