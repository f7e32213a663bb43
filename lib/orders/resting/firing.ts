import type { Network } from "../../core/network.ts";
import type { AttentionCode, Order } from "../execution.ts";
import type { LaneKey } from "../intent.ts";
import type { Bought } from "./exits/entry.ts";
import type { ChildSight, EndFacts, OutChild, RestingOrder } from "./life.ts";
import type { Ended, LegClass, Tally } from "./mandate.ts";
import type { Chosen, Ladders } from "./selection.ts";
import type { PriceWords } from "./touch.ts";

/** A child that is out, as fireOrders has read its records. */
export type ChildView<Signed = unknown> = {
  /** True if the child's order has filled or ended, as executeOrders says. Only a hint to look. */
  hasEnded: boolean;
  /**
   * True if the child makes way for a stop. Read before `signed`: the signer signs no swap of such a child, so one that
   * is unsigned by then stays unsigned.
   */
  yields: boolean;
  /** True if the order is cancelled, so that the signer signs no further swap of its children. Read before `signed`. */
  isRefused: boolean;
  /**
   * True if executeOrders has proved that the child can never fill, or need not, because no other child is ever signed.
   */
  isProvenDead: boolean;
  /** The child's swap in the signer's ledger, with its deadline in seconds. Absent if none is signed. */
  signed?: { swap: Signed; deadline: number } | undefined;
};

/** The buy of an exit, as its records and the book of its token show it. */
export type BuyView = {
  /** The order whose swap buys. Absent while a resting buy has none that has filled. */
  child?: OutChild | undefined;
  /** Id of the order that names its marker on sol. */
  markerId: string;
  /** The records of that order. Undefined if there are none. */
  view: ChildView | undefined;
  /** True if executeOrders says that the buy has filled. */
  isFilled: boolean;
  /** The position that the buy's fill belongs to. Undefined for a settled buy if that position is closed. */
  positionId?: string | undefined;
  /** True if executeOrders says that the buy has its final outcome. */
  isSettled: boolean;
};

/** Facts that an exit depends on besides its buy. */
export type ExitView = {
  /** Undefined once no reorganisation can take the buy back. */
  buy: BuyView | undefined;
  /** The position of the token that is open now. */
  openPositionId: string | undefined;
  /** True if no position is open, which is final. */
  isClosed: boolean;
  /** True if both hosts say that the wallet has next to nothing of what the exit sells. */
  isDust: boolean;
};

/** Result of a buy, the amount that its exit will sell, and what both hosts say that this amount would bring. */
export type Birth = { bought: Bought; amount: bigint; words: PriceWords };

/** A resting order, with everything that fireOrders needs to move it. */
export type ParentView<Signed = unknown> = {
  order: RestingOrder;
  children: ReadonlyMap<string, ChildView<Signed>>;
  end: Omit<EndFacts, "nowMs" | "ofExit">;
  /** Facts that an exit depends on. Absent for other orders. */
  exit?: ExitView | undefined;
  /** The signer's record of the order, undefined before the first signature, and the order's dead children. */
  tally: Tally | undefined;
  ended: Ended | undefined;
  /** Amount that the order can spend now. 0 if the wallet holds less than a thousandth of the order's amount. */
  amount: bigint;
  /** Slippage of the children of each leg, in millionths. */
  slippagePpm: readonly bigint[];
  /** True if the children's transactions are public before they are mined. */
  isPublic: boolean;
  /** The order for whose transaction the wallet's lane waits. Absent where several may be under way. */
  busy?: { orderId: string; kind: LegClass | "market"; yields: boolean } | undefined;
};

/** A child, and what the signer's ledgers say about its transactions. Undefined if none is signed. */
export type AskedChild<Signed = unknown> = { wallet: string; fillId: string; signed: Signed | undefined };

/** Answers of the two hosts. Undefined for a host without a clear answer. */
export type BothWords<Word = unknown> = readonly [Word | undefined, Word | undefined];

/** The parts of firing that depend on the family of the chain. */
export type FiringFamily<Signed = unknown, Word = unknown> = {
  /** True if an order has at most one child out at a time. */
  isOneOut: boolean;
  /** Decides what is certain about a child. */
  sightOf(
    asked: { chain: Network; child: OutChild; view: ChildView<Signed>; nowMs: number },
    words: BothWords<Word>,
  ): ChildSight;
};

/** A child's order that is made and proved, but not yet written. */
export type PreparedChild = {
  /** Price of one token at which the leg fires, as decimal text. */
  price: string;
  validUntil: number;
};

/** The token of some orders, and the wallets whose coins or tokens limit what they can spend. */
export type HeldQuestion = { token: string; buyers: readonly string[]; sellers: readonly string[] };

/** Amounts that wallets hold. A wallet without a clear answer is missing. */
export type HeldUnits = { coins: ReadonlyMap<string, bigint>; tokens: ReadonlyMap<string, bigint> };

/** Why a child was not made. Without a code, the next look at its order shows the reason. */
export type ChildRefusal = { attention: AttentionCode | undefined };

export type AskedChildOrder = {
  order: RestingOrder;
  orderId: string;
  leg: number;
  validUntil: number;
  chosen: Chosen;
};

/** A question about the price of a leg, now and at some distances from the head. */
export type LegQuestion = {
  side: Order["side"];
  token: string;
  amount: bigint;
  distances: readonly number[];
};

/** A question about at most 16 sums. */
export type SumsQuestion = { side: Order["side"]; token: string; sums: readonly bigint[] };

/** The effects of firing on the outside world. */
export type FiringEffects<Signed = unknown, Word = unknown> = {
  now: { ask: Record<never, never>; answer: number };
  readParents: {
    ask: { chain: Network; orderIds: readonly string[] };
    answer: {
      parents: readonly ParentView<Signed>[];
      /** Amount of the token's children on each side that are signed and in no block. */
      out: Readonly<Record<Order["side"], bigint>>;
    };
  };
  /** Asks both hosts about the transactions of some children at once. */
  childWords: {
    ask: { questions: readonly (AskedChild<Signed> & { child: OutChild })[] };
    answer: readonly BothWords<Word>[];
  };
  /** Asks both hosts some questions at once: what an amount brings at one block, and at earlier ones. */
  priceWords: {
    ask: { questions: readonly LegQuestion[] };
    answer: readonly PriceWords[];
  };
  /**
   * Asks both hosts for the receipt of a buy, what the wallet holds now, and what the sale of an exit's share, or of what
   * is left of it, would bring. Undefined while the hosts do not agree on the receipt.
   */
  birthWords: { ask: { order: RestingOrder; signed: Signed }; answer: Birth | undefined };
  /** Asks both hosts what some sums bring, at one block. */
  quoteSums: {
    ask: SumsQuestion;
    answer: Ladders;
  };
  /** Makes orders of children by the rules of placing, and proves them. Writes nothing. */
  prepareChildren: {
    ask: { children: readonly AskedChildOrder[] };
    answer: readonly (PreparedChild | ChildRefusal)[];
  };
  /** Moves a parent if its revision is unchanged, and raises the revision. */
  moveParent: { ask: { order: RestingOrder }; answer: boolean };
  /**
   * Writes the parent's move, and the prepared child with its job, in one transaction. Fails if the parent, a
   * cancellation or the lane has changed since it was read.
   */
  fire: {
    ask: { order: RestingOrder; orderId: string; child: PreparedChild };
    answer: boolean;
  };
  /** Makes a limit's child make way for a stop, and wakes its lane. */
  yieldToStop: { ask: { lane: LaneKey; orderId: string }; answer: undefined };
};

export type FiringEffect = {
  [Name in keyof FiringEffects]: { do: Name } & FiringEffects[Name]["ask"];
}[keyof FiringEffects];

/** A generator that yields effects of firing one by one, and resumes with each answer. */
export type FiringProcedure<Result> = Generator<
  FiringEffect,
  Result,
  FiringEffects[keyof FiringEffects]["answer"]
>;

/** Yields one effect and returns its answer. */
export function* performFiring<Name extends keyof FiringEffects, Signed = unknown, Word = unknown>(
  effect: { do: Name } & FiringEffects<Signed, Word>[Name]["ask"],
): FiringProcedure<FiringEffects<Signed, Word>[Name]["answer"]> {
  return (yield effect as FiringEffect) as FiringEffects<Signed, Word>[Name]["answer"];
}
