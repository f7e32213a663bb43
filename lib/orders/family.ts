import type * as v from "valibot";
import type { TradingChain } from "../core/chain-facts.ts";
import type { DomainError } from "../core/domain-error.ts";
import type { TokenFlag } from "../core/token-flag.ts";
import type { IntentTerms, LaneKey } from "./intent.ts";
import type { Need } from "./needs.ts";
import type { OrderDetails, Submission } from "./order-details.ts";
import type { PoolPrice } from "./price-impact.ts";
import type { slotTerms } from "./schemas.ts";
import type { TokenIdentity } from "./token-identity.ts";
import type { TokenSafety } from "./token-safety.ts";
import type { ChainLimits } from "./trading-chain.ts";
import type { OrderRules } from "./wallet-policy.ts";

/** A place of a lane, with the transactions that are signed for it. At most one of them can have an effect. */
export type SlotTerms = v.InferOutput<typeof slotTerms> & {
  state: string;
  attempts: readonly { purpose: string; hash: string; signedAtMs: number }[];
};

/** Facts that decide whether an order is accepted, beside the request and the chain. */
export type TraderTerms = {
  /** The user's settings for the chain. The request may override them. */
  settings: { slippage: number };
  /** True if an operator has stopped trading. */
  isStopped: boolean;
  /** True if an order may lose any part of its value: the caller has just signed in, or needs no fresh sign-in. */
  mayLose: boolean;
  /** The rules for the wallet's orders. Absent without a wallet. */
  rules?: OrderRules | undefined;
};

/** A chain as the service is configured for it. */
export type SetupTerms = {
  chain: TradingChain;
  limits: ChainLimits;
  /** The addresses of the listed tokens. */
  listed: readonly string[];
  /** Names the configuration of the chain, with its hosts. */
  name: string;
};

/** One host's facts about a trade. Amounts are in units. */
export type FactsTerms = {
  identity: TokenIdentity;
  /** The amounts that would be spent and would arrive. */
  amount: bigint;
  amountOut: bigint;
  /** Percentage by which the price is worse than the pools' price. */
  priceImpact: number;
  /** Compares the best price with that of a tenth of the amount. Absent if that pays nothing. */
  market?: {
    /** Percentage by which the best price is worse. */
    impact: number;
    reference: PoolPrice;
  };
  safety: TokenSafety;
  flags: readonly TokenFlag[];
  /** The wallet's balances. Absent without a wallet. */
  held?: { coins: bigint; tokens: bigint };
};

/** The terms that an order would get, and the reason to refuse it. */
export type CheckTerms = {
  chain: TradingChain;
  settings: { slippage: number };
  networkFee: {
    expected: bigint;
    max: bigint;
  };
  /** The lowest amount that may arrive. */
  least: bigint;
  /** The needs, the coin's first. Empty without a wallet. */
  needs: readonly Need[];
  submission: Submission;
  objection?: DomainError;
};

/** The types that differ between the families of chains, each with the fields that all families share. */
export type FamilyTypes = {
  intent: IntentTerms;
  slot: SlotTerms;
  /** One host's view of a chain. */
  snapshot: {
    /** Maps each requested token to the wallet's balance. */
    held?: ReadonlyMap<string, bigint>;
  };
  limits: ChainLimits;
  /** Clients' view of an order's transactions. */
  details: OrderDetails;
  /** Additional fields of an order. */
  order: object;
  /** Fields of a ledger that record the signatures. */
  signed: object;
  /** Fields of a signing request that name the transaction. */
  asked: {
    place: number;
    purpose: string;
  };
  /** The unsigned transaction, as the signer's key gets it. */
  unsigned: object;
  /** A transaction that a helper key signs, too. */
  helped: object;
  /** Additional fields of a question to a host. */
  question: object;
  setup: SetupTerms;
  trader: TraderTerms;
  /** A question about a trade. */
  quoteQuestion: Pick<LaneKey, "chain">;
  facts: FactsTerms;
  check: CheckTerms;
};

/** A host's facts, a reason why every host would refuse the trade, or undefined if the host gave no clear answer. */
export type HostAnswer<F extends FamilyTypes = FamilyTypes> = F["facts"] | DomainError | undefined;

export type HostAnswers<F extends FamilyTypes = FamilyTypes> = readonly [HostAnswer<F>, HostAnswer<F>];
