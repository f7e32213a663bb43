import type { Address } from "@solana/web3.js";
import { referenceAmount } from "../../../orders/price-impact.ts";
import { newOrderId } from "../messages/trial-messages.ts";
import { newHelper } from "../venues/helper-keys.ts";
import { type BuiltSwap, JupiterFault } from "../venues/jupiter-client.ts";
import { buildQuestion, jupiterVenue, type SwapByJupiter } from "../venues/jupiter-venue.ts";
import type { JupiterVenue } from "../venues/message-terms.ts";
import type { SolReader } from "../venues/reader.ts";

/** A swap as Jupiter has built it. */
export type JupiterOffer = { venue: JupiterVenue; swap: BuiltSwap };

/** Offers for an amount, and for the part of it that determines the reference price. */
export type OffersForQuote = { whole: JupiterOffer; part: JupiterOffer };

/** Jupiter's answers for one quote. All hosts simulate the same offers, which are made for an order with this id. */
export type JupiterForQuote = {
  orderId: string;
  /** Asks for offers that will probably be needed. Only the first call counts. */
  begin(swap: Omit<SwapByJupiter, "orderId">): void;
  /** Offers for the amount and for its reference part. Undefined if Jupiter has no usable answer for one of them. */
  offers(swap: SwapByJupiter): Promise<OffersForQuote | undefined>;
  /** Receives the reason why an offer is unusable. */
  onFault: (fault: unknown) => void;
};

/**
 * Asks Jupiter for a swap that a helper key signs. If Jupiter has no usable answer, reports the reason and returns
 * undefined.
 *
 * @param helper The address of the helper key.
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

type Asked = { text: string; offers: Promise<OffersForQuote | undefined> };

/**
 * Asks for the amount and its reference part only once, for all hosts that simulate the offers, and once more if those
 * that were begun are not needed. If a host asks about a different swap, it gets no offer.
 */
export function jupiterForQuote(
  reader: Pick<SolReader, "jupiter" | "onJupiterFault">,
): JupiterForQuote | undefined {
  if (reader.jupiter === undefined) return undefined;
  const orderId = newOrderId();
  let begun: Asked | undefined;
  let asked: Asked | undefined;
  const textOf = ({ wallet, side, mint, tokenProgram, decimals, amountIn }: Omit<SwapByJupiter, "orderId">) =>
    [wallet, side, mint, tokenProgram, decimals, amountIn].join();
  async function ask(swap: SwapByJupiter): Promise<OffersForQuote | undefined> {
    const amounts = [swap.amountIn, referenceAmount(swap.amountIn)];
    const [whole, part] = await Promise.all(
      amounts.map((amountIn) => offerOf(reader, { ...swap, amountIn }, newHelper().address)),
    );
    return whole && part && { whole, part };
  }
  return {
    orderId,
    onFault: reader.onJupiterFault,
    begin(swap) {
      if (begun !== undefined) return;
      begun = { text: textOf(swap), offers: ask({ ...swap, orderId }) };
      begun.offers.catch(() => undefined);
    },
    async offers(swap) {
      const text = textOf(swap);
      asked ??= begun?.text === text ? begun : { text, offers: ask(swap) };
      return asked.text === text ? asked.offers : undefined;
    },
  };
}
