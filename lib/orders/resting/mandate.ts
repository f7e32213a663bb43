import type * as v from "valibot";
import { hashedId } from "../../core/record-ids.ts";
import type { IntentTerms } from "../intent.ts";
import type { endedTerms, mandateTerms, parentTerms, tallyTerms } from "./schemas.ts";

/** The standing instruction of a resting order. */
export type Mandate = v.InferOutput<typeof mandateTerms>;

/** A way in which a resting order can fire. Only one leg of an order ever fills. */
export type Leg = Mandate["legs"][number];

/** A leg with the price at which it fires now. */
export type PricedLeg = Extract<Leg, { kind: LegClass }>;

/**
 * The class of a leg decides its budgets, rates, pauses, gas and slippage, and for how long its price must have held.
 */
export type LegClass = "limit" | "stop";

const classes: Readonly<Record<Leg["kind"], LegClass>> = {
  limit: "limit",
  stop: "stop",
  trailing: "stop",
  gain: "limit",
  loss: "stop",
  slice: "limit",
};

export const classOf = ({ kind }: Pick<Leg, "kind">): LegClass => classes[kind];

/** True if a leg ends a loss. Such a leg is never kept waiting by a limit. */
export const isStop = (leg: Pick<Leg, "kind">): boolean => classOf(leg) === "stop";

/** Returns the id of a child. Two runs that fire the same order make the same id. */
export const childIdOf = ({ userID, orderId }: Pick<Mandate, "userID" | "orderId">, n: number): string =>
  hashedId(["child", userID, orderId, n]);

/** The intent of an order that a resting order places when it fires. */
export type ChildTerms = IntentTerms & {
  /** Time of placing, in milliseconds. */
  createdAt: number;
  parent: v.InferOutput<typeof parentTerms>;
  /** Highest gas price. Absent on chains without gas. */
  maxGasPrice?: bigint;
};

export type Tally = v.InferOutput<typeof tallyTerms>;

export type SignedChild = Tally["owed"][number];

export type Ended = v.InferOutput<typeof endedTerms>;

export type DeadChild = Ended["dead"][number];

/** How long the records of a resting order's children are kept after its mandate has expired, in seconds. */
export const keptAfterEndSeconds = 86_400;

/** True if the records of a resting order's children may be gone. Nothing is signed for the order any more. */
export const isLongOver = ({ expiresAt }: Pick<Mandate, "expiresAt">, nowMs: number): boolean =>
  nowMs >= (expiresAt + keptAfterEndSeconds) * 1000;

/** True if an order has a stop. Its limits then need a longer look at the price. */
export const hasStop = ({ legs }: Pick<Mandate, "legs">): boolean => legs.some(isStop);

export const budgetOf = ({ feesLimit, feesStop }: Mandate, legClass: LegClass): bigint =>
  legClass === "limit" ? feesLimit : feesStop;
