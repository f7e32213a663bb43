import type { Address } from "@solana/web3.js";
import type { Objection } from "../../core/effects.ts";
import type { SolIntent } from "../../core/sol/sol-intent.ts";
import type { SolMessage } from "../../core/sol/sol-message.ts";
import { composeMessage } from "./compose-message.ts";
import type { MessageTerms } from "./message-terms.ts";

/** An order's terms as its messages need them. */
type OrderTerms = Pick<SolIntent, "wallet" | "orderId" | "side" | "token" | "tokenProgram" | "minAmountOut">;

/**
 * Composes a message of an order. Whatever the message does not say follows from the intent. Addresses are checked in
 * composing.
 */
export const composeFor = (
  intent: OrderTerms,
  message: SolMessage,
): Promise<{ message: Uint8Array } | Objection> =>
  // An order's message has checked the account before.
  composeMessage(termsOf(intent, message), message.tip ? [message.tip.account as Address] : []);

function termsOf(intent: OrderTerms, message: SolMessage): MessageTerms {
  const { orderId, side, minAmountOut } = intent;
  const { wallet, mint, tokenProgram } = addressesIn(intent);
  const { blockhash, computeUnitLimit, microLamportsPerUnit, markerRentLamports, tip } = message;
  const common = { wallet, orderId, blockhash, computeUnitLimit, microLamportsPerUnit, markerRentLamports };
  if (message.purpose === "clear") return { ...common, purpose: "clear" };
  const { amountIn, wsolRentLamports, route } = message;
  const [pool, config] = [route.pool as Address, route.config as Address];
  return {
    ...common,
    ...{ purpose: "swap", side, mint, tokenProgram, amountIn, minAmountOut, wsolRentLamports },
    ...(tip && { tip: { account: tip.account as Address, lamports: tip.lamports } }),
    venue: { kind: "cpmm", pool, config },
  };
}

/** Names the addresses of an order by what Solana's instructions call them. */
export const addressesIn = ({
  wallet,
  token,
  tokenProgram,
}: Pick<SolIntent, "wallet" | "token" | "tokenProgram">) =>
  ({ wallet, mint: token, tokenProgram }) as Record<"wallet" | "mint" | "tokenProgram", Address>;
