import { composeFor } from "../messages/order-message.ts";
import { type JupiterOffer, offerOf } from "../quotes/ask-jupiter.ts";
import type { SolIntent } from "../rules/intent.ts";
import type { SolMessage } from "../rules/message.ts";
import { HelperKeys } from "../venues/helper-keys.ts";
import type { SolReader } from "../venues/reader.ts";
import type { OfferForOrder } from "./snapshot-of-host.ts";

/** Time for which an unsigned offer is reused, so that Jupiter need not be asked for every snapshot. */
const keptMs = 5000;

/** Maximum number of orders whose offers are kept. */
const mostKept = 100;

type Kept = { text: string; atMs: number; helper: string; offer: Promise<JupiterOffer | undefined> };

/**
 * Jupiter's offers for orders. Each offer has its own helper key, which signs one message and is then forgotten, so an
 * attempt never uses the offer of an earlier one.
 */
export class JupiterOffers {
  readonly #reader: Pick<SolReader, "jupiter" | "onJupiterFault">;
  readonly #nowMs: () => number;
  readonly #keys = new HelperKeys();
  readonly #offers = new Map<string, Kept>();

  constructor(reader: Pick<SolReader, "jupiter" | "onJupiterFault">, nowMs: () => number = Date.now) {
    this.#reader = reader;
    this.#nowMs = nowMs;
  }

  /**
   * Asks Jupiter at most once for each order in a snapshot. If a second host needs a different swap, it gets no offer.
   */
  forLook(): OfferForOrder {
    const asked = new Set<string>();
    return async (swap) => {
      const { orderId } = swap;
      const text = Object.values(swap).join();
      const known = this.#offers.get(orderId);
      const isUsable =
        known?.text === text && this.#nowMs() - known.atMs < keptMs && this.#keys.has(known.helper);
      if (isUsable || asked.has(orderId)) return known?.text === text ? known.offer : undefined;
      asked.add(orderId);
      const helper = this.#keys.make();
      const offer = offerOf(this.#reader, swap, helper);
      this.#keep(orderId, { text, atMs: this.#nowMs(), helper, offer });
      return offer;
    };
  }

  /**
   * Signs a message with its helper key. Returns the signature in base58, or undefined if the message has no helper,
   * the key no longer exists, or the signer would not compose such a message.
   */
  async sign(intent: SolIntent, message: SolMessage): Promise<string | undefined> {
    if (message.purpose !== "swap" || !("build" in message)) return undefined;
    const composed = await composeFor(intent, message);
    return "message" in composed ? this.#keys.sign(message.build.helper, composed.message) : undefined;
  }

  #keep(orderId: string, kept: Kept): void {
    this.#offers.delete(orderId);
    this.#offers.set(orderId, kept);
    const [oldest] = this.#offers.keys();
    if (this.#offers.size > mostKept && oldest !== undefined) this.#offers.delete(oldest);
  }
}
