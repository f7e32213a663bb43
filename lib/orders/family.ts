import type * as v from "valibot";
import type { TradingChain } from "../core/chain-facts.ts";
import type { DomainError } from "../core/domain-error.ts";
import type { TokenFlag } from "../core/token-flag.ts";
import type { CoinUnits, TokenUnits } from "../core/units.ts";
import type { IntentTerms, LaneKey } from "./intent.ts";
import type { Need } from "./needs.ts";
import type { OrderDetails, Submission } from "./order-details.ts";
import type { PoolPrice } from "./price-impact.ts";
import type { KeyRules } from "./program-limits.ts";
import type { slotTerms } from "./schemas.ts";
import type { TokenIdentity } from "./token-identity.ts";
import type { TokenSafety } from "./token-safety.ts";
import type { ChainLimits } from "./trading-chain.ts";
import type { OrderRules } from "./wallet-policy.ts";

/** A place in a lane, reserved for the transactions signed for it. At most one of these can take effect. */
export type SlotTerms = v.InferOutput<typeof slotTerms> & {
  state: string;
  attempts: readonly {
    purpose: string;
    hash: string;
    signedAtMs: number;
    /** Time at which a host or a relay first accepted it. */
    sentAtMs?: number | undefined;
  }[];
};

/** Facts that decide whether an order is accepted, in addition to the request and the chain. */
export type TraderTerms = {
  /** The user's settings for the chain. The request may override them. */
  settings: { slippage: number };
  /** True if an operator has stopped trading. */
  isStopped: boolean;
  /**
   * True if an order may lose any part of its value, because the caller has just signed in, or needs no fresh sign-in.
   */
  mayLose: boolean;
  /** True for an order that a resting order places. */
  isChild?: boolean | undefined;
  /** True for a resting order, which spends nothing yet. */
  rests?: boolean | undefined;
  /** Number of exits of a buy. Their sales need coin once it has filled. */
  exits?: number | undefined;
  /** Rules for the wallet's orders. Absent if no wallet is given. */
  rules?: OrderRules | undefined;
  /** Rules for the orders of a program. Absent for orders of users, and if no wallet is given. */
  keyRules?: KeyRules | undefined;
};

/** A chain and the service's configuration for it. */
export type SetupTerms = {
  chain: TradingChain;
  limits: ChainLimits;
  /** Addresses of the listed tokens. */
  listed: readonly string[];
  /** Identifies the configuration of the chain, including its hosts. */
  name: string;
};

/** One host's facts about a trade. */
export type FactsTerms = {
  identity: TokenIdentity;
  /** Amounts that the trade would spend and receive. */
  amount: bigint;
  amountOut: bigint;
  /** Percentage by which the price is worse than the pools' price. */
  priceImpact: number;
  /** Compares the best price with the price for a tenth of the amount. Absent if a tenth pays nothing. */
  market?: {
    /** Percentage by which the best price is worse than the price for a tenth of the amount. */
    impact: number;
    reference: PoolPrice;
  };
  safety: TokenSafety;
  flags: readonly TokenFlag[];
  /** Coins that the fullest pool of the token holds. */
  liquidity: CoinUnits;
  /** The wallet's balances. Absent if no wallet is given. */
  held?: { coins: CoinUnits; tokens: TokenUnits };
};

/** Terms that an order would get, and the reason to refuse it, if there is one. */
export type CheckTerms = {
  chain: TradingChain;
  settings: { slippage: number };
  networkFee: {
    expected: CoinUnits;
    max: CoinUnits;
  };
  /** Minimum amount that may arrive. */
  least: bigint;
  /** The amounts that the order needs, starting with the coin. Empty if no wallet is given. */
  needs: readonly Need[];
  submission: Submission;
  objection?: DomainError;
};

/** Types that differ between the families of chains, each with the fields that all families share. */
export type FamilyTypes = {
  intent: IntentTerms;
  slot: SlotTerms;
  /** One host's view of a chain. */
  snapshot: {
    /** Maps each requested token to the wallet's balance. */
    held?: ReadonlyMap<string, TokenUnits>;
  };
  limits: ChainLimits;
  /** The transactions of an order, as clients see them. */
  details: OrderDetails;
  /** Fields of an order that only this family has. */
  order: object;
  /** Fields of a ledger that record what was signed. */
  signed: object;
  /** Fields of a signing request that identify the transaction. */
  asked: {
    place: number;
    purpose: string;
  };
  /** The unsigned transaction in the form that the private key signs. */
  unsigned: object;
  /** A transaction that also needs a helper key's signature. */
  helped: object;
  /** Fields that this family adds to a question to a host. */
  question: object;
  setup: SetupTerms;
  trader: TraderTerms;
  /** A question to a host about a trade. */
  quoteQuestion: Pick<LaneKey, "chain">;
  facts: FactsTerms;
  check: CheckTerms;
};

/** A host's facts, a reason why every host would refuse the trade, or undefined if the host gave no clear answer. */
export type HostAnswer<F extends FamilyTypes = FamilyTypes> = F["facts"] | DomainError | undefined;

export type HostAnswers<F extends FamilyTypes = FamilyTypes> = readonly [HostAnswer<F>, HostAnswer<F>];
