import type * as v from "valibot";
import type { SolSetup, SolTradeCheck, SolTrader } from "./check-trade.ts";
import type { SolSnapshot } from "./host-snapshot.ts";
import type { SolIntent } from "./intent.ts";
import type { SolLimits } from "./limits.ts";
import type { SolMessage } from "./message.ts";
import type { signedMessage } from "./schemas.ts";
import type { SolDetails } from "./shown-details.ts";
import type { SolPurpose, SolSlot } from "./slot.ts";
import type { SolLaneQuestion, SolTradeFacts } from "./trade-facts.ts";

/** The types of Solana's family. */
export type Sol = {
  intent: SolIntent;
  slot: SolSlot;
  snapshot: SolSnapshot;
  limits: SolLimits;
  details: SolDetails;
  order: Record<never, never>;
  signed: {
    /** Lists the order's signed messages and the most that each may pay, oldest first. */
    messages: readonly SignedMessage[];
    /** Time of the first swap's signature. Kept only for children. */
    swapSignedAtMs?: number;
  };
  asked: {
    place: number;
    /** Number of the message within its order, starting at 1. */
    attempt: number;
    purpose: SolPurpose;
    message: SolMessage;
    /** The signature of Jupiter's helper key over the message, in base58. Added by the run that has the key. */
    helperSignature?: string;
  };
  unsigned: {
    message: SolMessage;
    helperSignature?: string | undefined;
  };
  helped: SolMessage;
  question: {
    /** Orders whose markers the hosts must read. */
    marked: readonly string[];
    /** Ids of resting orders, by those of their children. A child makes its resting order's marker. */
    parents?: ReadonlyMap<string, string> | undefined;
    /** True if the run may have to sign a message. */
    wantsBlockhash: boolean;
  };
  setup: SolSetup;
  trader: SolTrader;
  quoteQuestion: SolLaneQuestion;
  facts: SolTradeFacts;
  check: SolTradeCheck;
};

/** A message in the ledger, with the number of its signatures and the most that it may pay. */
export type SignedMessage = v.InferOutput<typeof signedMessage>;
