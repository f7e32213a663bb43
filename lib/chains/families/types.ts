import type { Call, Fees, Intent, SwapCall } from "../../orders/intent.ts";
import type { ChainLimits } from "../../orders/trading-chain.ts";
import type { HostSnapshot } from "../evm/rules/host-snapshot.ts";
import type { SignedFee, Slot } from "../evm/rules/slot.ts";
import type { SolSnapshot } from "../sol/rules/host-snapshot.ts";
import type { SolIntent } from "../sol/rules/intent.ts";
import type { SolLimits } from "../sol/rules/limits.ts";
import type { SolMessage } from "../sol/rules/message.ts";
import type { SolPurpose, SolSlot } from "../sol/rules/slot.ts";

/** The types that differ between the families of chains. */
export type Families = {
  evm: {
    intent: Intent;
    slot: Slot;
    snapshot: HostSnapshot;
    limits: ChainLimits;
    order: {
      approveNonces: readonly number[];
      /** The only nonce that its swap may have. */
      swapNonce?: number | undefined;
    };
    signed: {
      approveNonces: readonly number[];
      /** The last fees signed at each nonce, and the most that any transaction there may pay the network, in wei. */
      fees: Readonly<Record<number, Fees & SignedFee>>;
      /** The only nonce and calldata that the order's swap may ever have. */
      swap?: { nonce: number; call: SwapCall };
    };
    asked: { nonce: number; purpose: Call["purpose"]; fees: Fees };
    question: {
      /** The signed calls, by hash. */
      calls?: ReadonlyMap<string, Call>;
      /** The blocks of the swaps on whose amounts both hosts have agreed, by the hash of the transaction. */
      agreed?: ReadonlyMap<string, string>;
      /** The numbers of the blocks whose hashes are wanted. */
      blocks?: readonly number[];
    };
  };
  sol: {
    intent: SolIntent;
    slot: SolSlot;
    snapshot: SolSnapshot;
    limits: SolLimits;
    order: Record<never, never>;
    signed: {
      /** What each of its messages may pay, in the order of signing. */
      messages: readonly SignedMessage[];
    };
    asked: {
      place: number;
      /** Its number among the order's messages, from 1. */
      attempt: number;
      purpose: SolPurpose;
      message: SolMessage;
      /** The signature of Jupiter's helper key over the message, in base58. The run that has the key adds it. */
      helperSignature?: string;
    };
    question: {
      /** The orders whose markers are wanted. */
      marked: readonly string[];
      /** True if a message may have to be signed. */
      wantsBlockhash: boolean;
    };
  };
};

/** A message in the ledger: the signatures that it pays for, and the most that it may pay in all, in lamports. */
export type SignedMessage = {
  purpose: SolPurpose;
  hash: string;
  signatures: number;
  mostFeeLamports: bigint;
};

export type Family = keyof Families;

/** An intent on a chain of any family. */
export type AnyIntent = Families[Family]["intent"];

export type AnySlot = Families[Family]["slot"];

/** Returns the number that names a slot in its lane: a nonce on EVM chains. */
export const slotPlace = (slot: { nonce: number } | { place: number }): number =>
  "nonce" in slot ? slot.nonce : slot.place;
