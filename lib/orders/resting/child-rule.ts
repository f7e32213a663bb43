import { familyOf } from "../../core/chain-facts.ts";
import { isCutOff } from "../cutoffs.ts";
import type { Objection } from "../effects.ts";
import { later, refused } from "../signing-state.ts";
import { classOf, type Leg, type LegClass } from "./mandate.ts";
import { floorOf } from "./prices.ts";
import { objectionToSlice } from "./slice-rule.ts";
import { amountOfChild } from "./slices.ts";
import { type ChildFacts, feesLeft, hasFiredOften, isBeyondHalf, isOneTooMany } from "./tally.ts";
import { gasPriceOf } from "./terms.ts";
import { lifeSeconds, triggerTimes } from "./times.ts";

/**
 * Returns the reason not to sign a child's transaction, in addition to the rules for all orders. The signer trusts the
 * mandate, cancellations, its own records and the proofs of executeOrders; so no function that is taken over alone can
 * trade beyond a mandate, or twice.
 */
export function objectionToChild(facts: ChildFacts, nowMs: number): Objection | undefined {
  if (facts.purpose === "clear") return objectionToClear(facts);
  return (
    objectionToOrigin(facts) ??
    objectionToSlice(facts.mandate, facts.child, facts.tally, nowMs) ??
    objectionToTerms(facts) ??
    objectionToTimes(facts, nowMs) ??
    objectionToEnd(facts) ??
    objectionToExit(facts) ??
    objectionToNew(facts) ??
    (facts.purpose === "swap" ? objectionToSwap(facts, nowMs) : undefined) ??
    objectionToFees(facts)
  );
}

function objectionToOrigin(facts: ChildFacts): Objection | undefined {
  const { mandate, child, mandateHash, isMandateGenuine, isChildGenuine } = facts;
  if (!isMandateGenuine) return refused("the mandate was not made by placeOrder");
  if (!isChildGenuine) return refused("the child was not made by fireOrders");
  const { parent } = child;
  const isSame =
    parent.mandate === mandateHash &&
    parent.orderId === mandate.orderId &&
    (["userID", "chain", "wallet", "side", "token", "isPrivate", "by"] as const).every(
      (name) => child[name] === mandate[name],
    );
  return isSame ? undefined : refused("the child is of another mandate");
}

function objectionToTerms({ mandate, child }: ChildFacts): Objection | undefined {
  const leg = mandate.legs[child.parent.leg];
  if (leg === undefined) return refused("the mandate has no such leg");
  if (child.amount <= 0n || child.amount > amountOfChild(mandate, child.parent.slice))
    return refused("the amount is above the mandate's");
  if (child.minAmountOut < floorOf(mandate.side, leg, child.amount))
    return refused("the minimum is below the leg's");
  const mostGasPrice = gasPriceOf(mandate, leg);
  return mostGasPrice !== undefined && (child.maxGasPrice === undefined || child.maxGasPrice > mostGasPrice)
    ? refused("the gas price is above the mandate's")
    : undefined;
}

/** Refuses times in the future only for now, because the clock may be behind. */
function objectionToTimes({ mandate, child }: ChildFacts, nowMs: number): Objection | undefined {
  if (Math.max(mandate.createdAt, child.createdAt) > nowMs + triggerTimes.clockMs)
    return later("the order is from the future");
  if (child.validUntil > mandate.expiresAt) return refused("the child outlives its mandate");
  return child.validUntil * 1000 > nowMs + triggerTimes.childSeconds * 1000
    ? later("the child's deadline is too far away")
    : undefined;
}

/** Compares with the mandate's time, because fireOrders chooses that of the child. */
const hasEnded = ({ mandate, isCancelled, cutoffs }: ChildFacts): boolean =>
  isCancelled || isCutOff(mandate, cutoffs);

const objectionToEnd = (facts: ChildFacts): Objection | undefined =>
  hasEnded(facts) ? later("the resting order has ended") : undefined;

/**
 * Lets clears on EVM chains pass, because they only free the wallet. On sol, all children of a resting order share its
 * marker, so the clear of one would keep the order from ever filling, and a stop would be disarmed unseen.
 */
function objectionToClear(facts: ChildFacts): Objection | undefined {
  if (familyOf(facts.child.chain) === "evm") return undefined;
  // Only the cancellation names the resting order, and holds even if the mandate has become void.
  const isOver = facts.isCancelled || (objectionToOrigin(facts) === undefined && hasEnded(facts));
  return isOver ? undefined : later("the resting order has not ended");
}

/** Keeps the exit of a buy that never came about from selling tokens that the wallet has from elsewhere. */
const objectionToExit = ({ mandate, hasBought }: ChildFacts): Objection | undefined =>
  mandate.exit === undefined || hasBought ? undefined : later("the buy of the exit was never signed");

const objectionToNew = ({ tally, newOfDay }: ChildFacts): Objection | undefined =>
  isOneTooMany(tally, newOfDay) ? later("too many resting orders have fired today") : undefined;

function objectionToSwap(facts: ChildFacts, nowMs: number): Objection | undefined {
  const { mandate, child, tally, ended, isFirstSwap } = facts;
  const legClass = classIn(facts);
  const isDead = (orderId: string) => ended?.dead.some((each) => each.child === orderId) ?? false;
  if (isDead(child.orderId)) return later("the child is dead");
  const { out } = tally ?? {};
  // Also requires that fireOrders itself has found out: executeOrders could keep an unsigned child back until another
  // one has gone, and then let both be signed.
  const isProvenDead = out && isDead(out.child) && child.parent.after === out.child;
  if (familyOf(mandate.chain) === "evm" && out && out.child !== child.orderId && !isProvenDead)
    return later("another child may still fill");
  const late = objectionToDeadline(facts, lifeSeconds(mandate.chain, legOf(facts)), nowMs);
  if (late !== undefined || !isFirstSwap) return late;
  return hasFiredOften(mandate, tally, legClass, nowMs) ? later("the leg has fired too often") : undefined;
}

/** A deadline starts at the first signature, so children do not lapse unsigned while hosts are slow. */
function objectionToDeadline(
  { child, deadline, first }: ChildFacts,
  life: number,
  nowMs: number,
): Objection | undefined {
  if (familyOf(child.chain) === "sol")
    return first !== undefined && nowMs > first.signedAtMs + life * 1000
      ? later("the first message is too old for another one")
      : undefined;
  if (deadline === undefined || deadline > child.validUntil)
    return refused("the swap's deadline is too late");
  // The lane's clock may be ahead. A final refusal ends an order.
  if (deadline > Math.floor(nowMs / 1000) + life + triggerTimes.signingSeconds)
    return later("the swap's deadline is too far away");
  return first !== undefined && deadline !== first.deadline
    ? refused("the swap's deadline has changed")
    : undefined;
}

function objectionToFees(facts: ChildFacts): Objection | undefined {
  const { mandate, tally, ended, fees, feesOfDay } = facts;
  const legClass = classIn(facts);
  if (fees.adds > 0n && fees.adds > feesLeft(mandate, tally, ended, legClass))
    return later("the fees are above the mandate's");
  return isBeyondHalf(legClass, feesOfDay)
    ? later("limits have used their part of the day's network fees")
    : undefined;
}

const legOf = ({ mandate, child }: ChildFacts) => mandate.legs[child.parent.leg] as Leg;

const classIn = (facts: ChildFacts): LegClass => classOf(legOf(facts));
