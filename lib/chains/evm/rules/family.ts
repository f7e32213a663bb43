import type { Wei } from "../../../core/units.ts";
import type { ChainLimits } from "../../../orders/trading-chain.ts";
import type { EvmSetup, EvmTradeCheck, EvmTrader } from "./check-trade.ts";
import type { EvmSnapshot } from "./host-snapshot.ts";
import type { EvmCall, EvmFees, EvmIntent, SwapCall, UnsignedEvmTransaction } from "./intent.ts";
import type { EvmDetails } from "./shown-details.ts";
import type { EvmSlot, SignedFee } from "./slot.ts";
import type { EvmQuoteQuestion, EvmTradeFacts } from "./trade-facts.ts";

/** The types of the EVM family. */
export type Evm = {
  intent: EvmIntent;
  slot: EvmSlot;
  snapshot: EvmSnapshot;
  limits: ChainLimits<Wei>;
  details: EvmDetails;
  order: {
    approveNonces: readonly number[];
    /** The only nonce allowed for the order's swap. */
    swapNonce?: number | undefined;
  };
  signed: {
    approveNonces: readonly number[];
    /** The last fees signed for each nonce, and the most that any transaction with that nonce may pay the network. */
    fees: Readonly<Record<number, EvmFees & SignedFee>>;
    /** The only nonce and calldata that the order's swap may ever have. */
    swap?: { nonce: number; call: SwapCall };
    /** Time of the swap's first signature. Kept only for children, as are the hashes. */
    swapSignedAtMs?: number;
    signatures?: readonly { nonce: number; purpose: EvmCall["purpose"]; hash: string }[];
  };
  asked: {
    place: number;
    purpose: EvmCall["purpose"];
    fees: EvmFees;
    /** Gas limit of a clear. Absent if it is the usual one. */
    clearGas?: bigint;
  };
  unsigned: UnsignedEvmTransaction;
  helped: never;
  question: {
    /** The signed calls, by hash. */
    calls?: ReadonlyMap<string, EvmCall>;
    /** Maps the transaction hash of each swap whose amounts both hosts agree on to its block. */
    agreed?: ReadonlyMap<string, string>;
    /** Numbers of the blocks whose hashes the hosts must read. */
    blocks?: readonly number[];
  };
  setup: EvmSetup;
  trader: EvmTrader;
  quoteQuestion: EvmQuoteQuestion;
  facts: EvmTradeFacts;
  check: EvmTradeCheck;
};
