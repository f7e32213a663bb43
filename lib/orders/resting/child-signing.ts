import { greatest } from "../bigints.ts";
import type { Objection, SigningView } from "../effects.ts";
import type { FamilyTypes } from "../family.ts";
import { refused } from "../signing-state.ts";
import { revisionOf } from "../signing-step.ts";
import type { TradeStep } from "../table-step.ts";
import { childrenOn, type DaySpend, feesOfDay, type Limits } from "../wallet-policy.ts";
import { objectionToChild } from "./child-rule.ts";
import { isStop } from "./mandate.ts";
import { type ChildFacts, dueBack, type ParentFacts, tallyAfter } from "./tally.ts";

/** A family's facts about a transaction of a child. */
export type ChildTransaction = Pick<
  ChildFacts,
  "isChildGenuine" | "purpose" | "isFirstSwap" | "deadline" | "first" | "spends" | "fees"
> & {
  /** Coin that the transaction adds to the day's network fees. */
  feesOfDay: bigint;
};

type View = Pick<SigningView, "order" | "parent" | "cutoffs" | "limits"> & {
  chainLimits: FamilyTypes["limits"];
};

/** Returns the reason not to sign a transaction of a child. Undefined for orders of users. */
export function objectionOfParent(
  view: View,
  transaction: ChildTransaction,
  nowMs: number,
): Objection | undefined {
  if (view.order?.intent.parent === undefined) return undefined;
  const facts = factsOf(view, transaction, nowMs);
  return facts === undefined ? refused("the child names no mandate") : objectionToChild(facts, nowMs);
}

/** Returns a wallet's limits as they are once the next swap of a child has taken dead buys off the day's count. */
export function limitsGivenBack(
  { stored, count }: Limits,
  parent: Pick<ParentFacts, "tally" | "ended"> | undefined,
  nowMs: number,
): Limits {
  if (parent === undefined || count === undefined) return { stored, count };
  const { amount } = dueBack(parent.tally, parent.ended, nowMs, childrenOn(count, nowMs).givenBack);
  return { stored, count: { ...count, spent: greatest(count.spent - amount, 0n) } };
}

/** Returns the coin that {@link limitsGivenBack} has taken off a day's count. */
export const takenOff = (before: Limits, after: Limits): bigint =>
  (before.count?.spent ?? 0n) - (after.count?.spent ?? 0n);

/** Changes of records by a signature for a child, besides those by a signature for any order. */
export type ChildEntry = {
  /** Coin that the day's count loses. */
  givenBack: bigint;
  children: Pick<DaySpend, "limitFees" | "newResting" | "givenBack">;
  step: TradeStep;
};

/** Records a signature in the tally of the resting order. Undefined for orders of users. */
export function childEntry(view: View, transaction: ChildTransaction, nowMs: number): ChildEntry | undefined {
  const facts = factsOf(view, transaction, nowMs);
  // A clear that costs nothing more needs no record, and must never fail because of one.
  if (facts === undefined || (facts.purpose === "clear" && !isOnRecord(facts))) return undefined;
  const of = childrenOn(view.limits.count, nowMs);
  const { tally, givenBack } = tallyAfter(facts, nowMs, of.givenBack);
  const leg = facts.mandate.legs[facts.child.parent.leg];
  const isOfLimit = leg !== undefined && !isStop(leg);
  return {
    givenBack: givenBack.amount,
    children: {
      limitFees: of.limitFees + (isOfLimit ? facts.feesOfDay.adds : 0n),
      newResting: of.newResting + (facts.tally === undefined ? 1 : 0),
      givenBack: of.givenBack + givenBack.buys,
    },
    step: [{ kind: "put", of: "tally", item: tally, when: revisionOf(facts.tally) }],
  };
}

const isOnRecord = (facts: ChildFacts): boolean =>
  facts.isMandateGenuine &&
  facts.isChildGenuine &&
  facts.child.parent.mandate === facts.mandateHash &&
  facts.tally !== undefined &&
  facts.fees.adds > 0n;

function factsOf(
  { order, parent: read, cutoffs, limits, chainLimits }: View,
  { feesOfDay: adds, ...transaction }: ChildTransaction,
  nowMs: number,
): ChildFacts | undefined {
  const { parent, createdAt } = order?.intent ?? {};
  if (order === undefined || read === undefined || parent === undefined || createdAt === undefined)
    return undefined;
  return {
    ...read,
    ...transaction,
    child: { ...order.intent, parent, createdAt },
    cutoffs,
    ...dayOfChildren(limits, adds, chainLimits, nowMs),
  };
}

/** Returns what children have used up of the day. */
export function dayOfChildren(
  limits: Limits,
  adds: bigint,
  chainLimits: FamilyTypes["limits"],
  nowMs: number,
): Pick<ChildFacts, "feesOfDay" | "newOfDay"> {
  const { limitFees: ofLimits, newResting: newOfDay } = childrenOn(limits.count, nowMs);
  return { feesOfDay: { adds, ofLimits, limit: feesOfDay(limits, nowMs, chainLimits).limit }, newOfDay };
}
