import type { Address } from "@solana/web3.js";
import bs58 from "bs58";
import type { Objection } from "../../../orders/effects.ts";
import { markIdOf, type SolIntent } from "../rules/intent.ts";
import type { SolMessage } from "../rules/message.ts";
import type { MessageRoute, PoolMessageRoute } from "../rules/message-route.ts";
import type { MessageTerms, SolPoolVenue, SolVenue, VenueAccount } from "../venues/message-terms.ts";
import { composeMessage } from "./compose-message.ts";
import { isSignatureOf } from "./signed-message.ts";

/** An order's terms in the form that its messages need. */
type OrderTerms = Pick<
  SolIntent,
  "wallet" | "orderId" | "parent" | "side" | "token" | "tokenProgram" | "minAmountOut"
>;

/**
 * Composes a message of an order. Everything that the request does not state follows from the intent. Addresses are
 * checked during composing.
 */
export const composeFor = (
  intent: OrderTerms,
  message: SolMessage,
): Promise<{ message: Uint8Array } | Objection> =>
  // Needs no check of the tip account, because the order's message has already passed it.
  composeMessage(termsOf(intent, message), message.tip ? [message.tip.account as Address] : []);

/**
 * Returns the signatures that a composed message needs in addition to the wallet's: that of the helper key, if the
 * message contains a swap by Jupiter.
 *
 * @param helperSignature In base58.
 */
export function signaturesBeside(
  composed: Uint8Array,
  message: SolMessage,
  helperSignature: string | undefined,
): readonly Uint8Array[] | { refused: string } {
  const helper = "build" in message ? message.build.helper : undefined;
  if (helper === undefined)
    return helperSignature === undefined
      ? []
      : { refused: "a helper has signed that the message does not have" };
  if (helperSignature === undefined) return { refused: "the helper's signature is absent" };
  const signature = bs58.decode(helperSignature);
  return isSignatureOf(signature, composed, helper as Address)
    ? [signature]
    : { refused: "the helper has not signed this message" };
}

function termsOf(intent: OrderTerms, message: SolMessage): MessageTerms {
  const { side, minAmountOut } = intent;
  const orderId = markIdOf(intent);
  const { wallet, mint, tokenProgram } = addressesIn(intent);
  const { blockhash, computeUnitLimit, microLamportsPerUnit, markerRentLamports, tip } = message;
  const common = { wallet, orderId, blockhash, computeUnitLimit, microLamportsPerUnit, markerRentLamports };
  if (message.purpose === "clear") return { ...common, purpose: "clear" };
  const { amountIn } = message;
  return {
    ...common,
    purpose: "swap",
    side,
    mint,
    tokenProgram,
    amountIn,
    minAmountOut,
    ...("wsolRentLamports" in message && { wsolRentLamports: message.wsolRentLamports }),
    ...(tip && { tip: { account: tip.account as Address, lamports: tip.lamports } }),
    venue: venueOf(message),
  };
}

function venueOf(routed: MessageRoute): SolVenue {
  if ("build" in routed) {
    const { helper, sourceDecimals, accounts, data } = routed.build;
    return {
      kind: "jupiter",
      helper: helper as Address,
      sourceDecimals,
      accounts: accounts as readonly VenueAccount[],
      data: Uint8Array.from(Buffer.from(data, "base64")),
    };
  }
  return venueOfPool(routed);
}

/** Returns the part of a message's terms that depends on its pool. */
export function venueOfPool(routed: PoolMessageRoute): SolPoolVenue {
  const pool = routed.route.pool as Address;
  if ("curve" in routed) return { kind: "pump", pool, ...withAddresses(routed.curve) };
  if ("pumpPool" in routed) return { kind: "pumpswap", pool, ...withAddresses(routed.pumpPool) };
  return { kind: "cpmm", pool, config: routed.route.config as Address };
}

const withAddresses = <Market extends { table: string; vault: string }>(market: Market) => ({
  ...market,
  table: market.table as Address,
  vault: market.vault as Address,
});

/** Returns the addresses of an order under the names that Solana's instructions use. */
export const addressesIn = ({
  wallet,
  token,
  tokenProgram,
}: Pick<SolIntent, "wallet" | "token" | "tokenProgram">) =>
  ({ wallet, mint: token, tokenProgram }) as Record<"wallet" | "mint" | "tokenProgram", Address>;
