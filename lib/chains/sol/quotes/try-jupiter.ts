import type { Address } from "@solana/web3.js";
import type { Lamports } from "../../../core/units.ts";
import type { Objection } from "../../../orders/effects.ts";
import type { Order } from "../../../orders/execution.ts";
import { type PoolPrice, referenceAmount } from "../../../orders/price-impact.ts";
import type { RpcCall } from "../../hosts/rpc-call.ts";
import { tokenAccountOf } from "../calls/addresses.ts";
import {
  type Accounts,
  accountsCall,
  final,
  messageFeeCall,
  type Simulation,
  simulationCall,
} from "../calls/rpc-call.ts";
import { readTokenAccount } from "../calls/token-account.ts";
import { composeTrial, type Trial } from "../messages/trial-messages.ts";
import { signaturesFor } from "../rules/intent.ts";
import { JupiterFault } from "../venues/jupiter-client.ts";
import { enforcing } from "../venues/jupiter-venue.ts";
import type { JupiterOffer, OffersForQuote } from "./ask-jupiter.ts";
import { maybe } from "./look-at-token.ts";

/** A swap by Jupiter that hosts can simulate: its message, and the account that receives the output. */
export type JupiterTrial = {
  offer: JupiterOffer;
  side: Order["side"];
  message: Uint8Array;
  account: Address;
  markerRent: Lamports;
};

type Asked = {
  trial: Trial;
  side: Order["side"];
  amountIn: bigint;
  orderId: string;
  offer: JupiterOffer | undefined;
  /**
   * The relay's tip account, if there is a relay. Simulated messages include a tip, because attempts must have room for
   * one.
   */
  tipAccount: string | undefined;
  onFault: (fault: unknown) => void;
};

/**
 * Composes a simulation of an offer. Undefined if there is no offer, or if the signer would refuse it; the refusal is
 * reported.
 */
export async function jupiterTrial({
  trial,
  side,
  amountIn,
  orderId,
  offer,
  tipAccount,
  onFault,
}: Asked): Promise<JupiterTrial | undefined> {
  if (offer === undefined) return undefined;
  const attempt = { side, amountIn, orderId, venue: enforcing(offer.venue, 1n) };
  const [composed, largest] = await Promise.all([
    composeTrial(trial, attempt),
    composeTrial(trial, { ...attempt, tipAccount: tipAccount as Address | undefined }),
  ]);
  if (!("message" in composed) || !("message" in largest)) {
    onFault(new JupiterFault(reasonIn(composed) ?? reasonIn(largest) ?? ""));
    return undefined;
  }
  const { wallet, mint, tokenProgram, rents } = trial;
  const account = side === "buy" ? await tokenAccountOf(wallet, mint, tokenProgram) : wallet;
  return { offer, side, message: composed.message, account, markerRent: rents.marker };
}

const reasonIn = (composed: { message: Uint8Array } | Objection): string | undefined =>
  "message" in composed ? undefined : "refused" in composed ? composed.refused : composed.later;

/** A host's answers about a simulated swap. */
export type JupiterTried = {
  before: Accounts;
  fee: Lamports | undefined;
  simulation: Simulation | undefined;
};

/**
 * Makes the calls that simulate a swap. The account that receives the output is read at about the same slot, before the
 * swap.
 */
export const jupiterCalls = ({ message, account }: JupiterTrial) => ({
  before: accountsCall([account], final),
  fee: messageFeeCall(message, final),
  simulation: maybe(simulationCall(message, final, [account])) satisfies RpcCall<Simulation | undefined>,
});

/** Simulations of an amount, and of the part of it that sets the reference price. */
export type QuoteTrial = { amountIn: bigint; whole: JupiterTrial; part: JupiterTrial };

/** Prices of an amount and of its reference part, according to a host's simulations. */
export type ShownByTrial = { whole: PoolPrice; part: PoolPrice };

/**
 * Composes the messages for an amount and for its reference part. Undefined if there are no offers. Offers that the
 * signer would refuse are reported and dropped.
 */
export async function quoteTrial(
  offers: OffersForQuote | undefined,
  asked: Omit<Asked, "offer">,
): Promise<QuoteTrial | undefined> {
  const { amountIn } = asked;
  const [whole, part] = await Promise.all([
    jupiterTrial({ ...asked, offer: offers?.whole }),
    jupiterTrial({ ...asked, amountIn: referenceAmount(amountIn), offer: offers?.part }),
  ]);
  return whole && part && { amountIn, whole, part };
}

/**
 * Makes the calls that simulate an amount and its reference part. The base fee and the accounts before the swap are
 * requested once for both.
 */
export const quoteCalls = ({ whole, part }: QuoteTrial) => ({
  ...jupiterCalls(whole),
  ofPart: jupiterCalls(part).simulation,
});

/** Computes the prices from both simulations. Undefined if one of them failed. */
export function shownIn(
  { amountIn, whole, part }: QuoteTrial,
  { ofPart, ...tried }: JupiterTried & { ofPart: Simulation | undefined },
): ShownByTrial | undefined {
  const arrived = arrivedIn(whole, tried);
  const arrivedOfPart = arrivedIn(part, { ...tried, simulation: ofPart });
  if (arrived === undefined || arrivedOfPart === undefined) return undefined;
  return {
    whole: { in: amountIn, out: arrived },
    part: { in: referenceAmount(amountIn), out: arrivedOfPart },
  };
}

/**
 * Computes the output of a simulation, in units of the token or in lamports. Undefined if the simulation does not show
 * it.
 */
export function arrivedIn(
  { side, markerRent }: JupiterTrial,
  { before, fee, simulation }: JupiterTried,
): bigint | undefined {
  if (simulation?.isDone !== true) return undefined;
  const [old] = before.accounts;
  const [made] = simulation.accounts ?? [];
  if (made === undefined) return undefined;
  if (side === "buy") {
    const bought = (readTokenAccount(made)?.amount ?? 0n) - ((old && readTokenAccount(old)?.amount) ?? 0n);
    return bought > 0n ? bought : undefined;
  }
  const received = made.lamports - (old?.lamports ?? 0n) + markerRent + (fee ?? 0n);
  return received > 0n ? received : undefined;
}

/** Returns the fee per signature of a message by Jupiter, without priority. */
export const baseFeeIn = (fee: Lamports): Lamports => fee / BigInt(signaturesFor({ venue: "jupiter-metis" }));
