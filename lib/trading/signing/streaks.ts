import type { LaneKey } from "../../orders/intent.ts";

/**
 * Maximum number of postponed requests in a row for one wallet, and for all wallets together. More raise an alarm,
 * because a healthy caller reads the state again after one request for a transaction that is not possible.
 */
const longest = { wallet: 5, caller: 20 };

/** Time without postponed requests after which a series ends. */
const restMs = 10 * 60_000;

/** Maximum number of wallets to remember. The oldest series is forgotten first. */
const mostWallets = 1000;

type Streak = { length: number; lastMs: number };

/** Counts postponed requests for signatures in a row. Each running instance of the function counts separately. */
export class Streaks {
  readonly #ofWallets = new Map<string, Streak>();
  #ofCaller: Streak | undefined;

  /** Notes a postponed request. If a series has now become too long, returns it. */
  postponed({ chain, wallet }: LaneKey, nowMs: number): keyof typeof longest | undefined {
    const key = `${chain} ${wallet}`;
    const ofWallet = longer(this.#ofWallets.get(key), nowMs);
    this.#ofCaller = longer(this.#ofCaller, nowMs);
    this.#ofWallets.delete(key);
    this.#ofWallets.set(key, ofWallet);
    const [oldest] = this.#ofWallets.keys();
    if (this.#ofWallets.size > mostWallets && oldest !== undefined) this.#ofWallets.delete(oldest);
    if (ofWallet.length % longest.wallet === 0) return "wallet";
    return this.#ofCaller.length % longest.caller === 0 ? "caller" : undefined;
  }

  /** Notes a new signature, which ends the series of postponed requests. */
  signed({ chain, wallet }: LaneKey): void {
    this.#ofWallets.delete(`${chain} ${wallet}`);
    this.#ofCaller = undefined;
  }
}

const longer = (streak: Streak | undefined, nowMs: number): Streak => ({
  length: streak === undefined || nowMs - streak.lastMs > restMs ? 1 : streak.length + 1,
  lastMs: nowMs,
});
