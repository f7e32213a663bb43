import type { Address } from "@solana/web3.js";
import type { SolReader } from "../../chains/open-chains.ts";
import { newHelper } from "../../chains/sol/helper-keys.ts";
import { type BuiltSwap, JupiterFault } from "../../chains/sol/jupiter-client.ts";
import { buildQuestion, jupiterVenue, type SwapByJupiter } from "../../chains/sol/jupiter-venue.ts";
import type { JupiterVenue } from "../../chains/sol/message-terms.ts";
import { newOrderId } from "../../chains/sol/trial-messages.ts";

/** A swap as Jupiter has built it. */
export type JupiterOffer = { venue: JupiterVenue; swap: BuiltSwap };

/** Jupiter, for one quote. All hosts try the same offer, for an order with this id. */
export type JupiterForQuote = {
  orderId: string;
  /** Undefined if Jupiter has no usable answer. */
  offer(swap: SwapByJupiter): Promise<JupiterOffer | undefined>;
  /** Is called with the reason why an offer cannot be used. */
  onFault(fault: unknown): void;
};

/**
 * Asks Jupiter for a swap by a helper key. Undefined, after a note, if it has no usable answer.
 *
 * @param helper The address of the key.
 */
export async function offerOf(
  { jupiter, onJupiterFault }: Pick<SolReader, "jupiter" | "onJupiterFault">,
  swap: SwapByJupiter,
  helper: Address,
): Promise<JupiterOffer | undefined> {
  if (jupiter === undefined) return undefined;
  try {
    const built = await jupiter.build(await buildQuestion(swap, helper));
    return { swap: built, venue: await jupiterVenue(swap, helper, built) };
  } catch (error) {
    if (!(error instanceof JupiterFault)) throw error;
    if (!error.isNoRoute) onJupiterFault(error);
    return undefined;
  }
}

/** Asks at most once, however many hosts are to try the answer. Those with another swap in mind get none. */
export function jupiterForQuote(
  reader: Pick<SolReader, "jupiter" | "onJupiterFault">,
): JupiterForQuote | undefined {
  if (reader.jupiter === undefined) return undefined;
  let asked: { text: string; offer: Promise<JupiterOffer | undefined> } | undefined;
  return {
    orderId: newOrderId(),
    onFault: reader.onJupiterFault,
    async offer(swap) {
      const text = Object.values(swap).join();
      asked ??= { text, offer: offerOf(reader, swap, newHelper().address) };
      return asked.text === text ? asked.offer : undefined;
    },
  };
}
