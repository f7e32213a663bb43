import type { SolMessage } from "../../../../lib/chains/sol/rules/message.ts";
import { packed } from "../../../../lib/trading/items/items.ts";

/** Keeps Jupiter's helper keys. An order has the same key in every look until the key has signed. */
export class ModelHelpers {
  private readonly unused = new Map<string, string>();
  private made = 0;

  /** Returns the helper key of the order's next message. */
  of(orderId: string): string {
    const helper = this.unused.get(orderId) ?? `helper${++this.made}`;
    this.unused.set(orderId, helper);
    return helper;
  }

  /** Signs once with a helper key. Returns undefined if the key no longer exists. */
  sign(orderId: string, message: SolMessage): string | undefined {
    const helper = "build" in message ? message.build.helper : undefined;
    if (helper === undefined || this.unused.get(orderId) !== helper) return undefined;
    this.unused.delete(orderId);
    return signatureOf(helper, message);
  }
}

const signatureOf = (helper: string, message: SolMessage): string =>
  `${helper} over ${JSON.stringify(packed(message))}`;

/** Returns true if a message has all required signatures except the wallet's, and no others. */
export const isSignedByHelper = (message: SolMessage, signature: string | undefined): boolean =>
  signature === ("build" in message ? signatureOf(message.build.helper, message) : undefined);
