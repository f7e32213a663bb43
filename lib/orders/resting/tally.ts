import { familyOf } from "../../core/chain-facts.ts";
import { dayOf } from "../../core/time.ts";
import { least } from "../bigints.ts";
import type { Cutoffs } from "../cutoffs.ts";
import {
  budgetOf,
  type ChildTerms,
  classOf,
  type Ended,
  keptAfterEndSeconds,
  type Leg,
  type LegClass,
  type Mandate,
  type SignedChild,
  type Tally,
} from "./mandate.ts";
import { mostOwed } from "./schemas.ts";

const hourMs = 3_600_000;

/** Returns the number of the clock hour of a time. */
export const hourOf = (ms: number): number => Math.floor(ms / hourMs);

/** Facts about a child's transaction that the signer needs, besides those about any order's. */
export type ChildFacts = {
  mandate: Mandate;
  child: ChildTerms;
  /** True if placeOrder's MAC over the mandate is valid. */
  isMandateGenuine: boolean;
  /** True if fireOrders' MAC over the child's intent is valid. */
  isChildGenuine: boolean;
  /** Hash of the mandate that the signer has read. */
  mandateHash: string;
  purpose: "swap" | "approve" | "clear";
  /** True if no swap of the child has been signed yet. */
  isFirstSwap: boolean;
  /** Deadline of a swap's call, in seconds. Calls on sol have none. */
  deadline?: number | undefined;
  /** Time of the first signature of the child's swap in milliseconds, and the deadline of that swap. */
  first?: { signedAtMs: number; deadline?: number | undefined } | undefined;
  tally: Tally | undefined;
  ended: Ended | undefined;
  /** True if the user has cancelled the resting order. */
  isCancelled: boolean;
  /** True if the signer has signed a swap of the buy that an exit names. */
  hasBought?: boolean;
  /** The user's cancellations of many orders. */
  cutoffs: Cutoffs;
  /** Coin that a buy's swap spends, as the day's count includes it. */
  spends: bigint;
  /** The most that the child's transactions may pay the network with this signature, and the part that it adds. */
  fees: { most: bigint; adds: bigint };
  /** Network fees of the day: those that this signature adds, those that limits have added before, and the limit. */
  feesOfDay: { adds: bigint; ofLimits: bigint; limit: bigint };
  /** Number of resting orders of the wallet whose first child was signed on this day. */
  newOfDay: number;
};

/** Facts about a child's resting order that the signer reads. */
export type ParentFacts = Pick<
  ChildFacts,
  "mandate" | "mandateHash" | "isMandateGenuine" | "tally" | "ended" | "isCancelled" | "hasBought"
>;

/** Maximum number of dead buys of a wallet that are taken off the count of one day. */
const mostGivenBack = 10;

/** Children that are over, as far as a tally depends on them. */
type Over = Pick<Ended, "dead" | "filled">;

/** Charges each child what it has paid in the end, once that is final, in place of the most that it could pay. */
export function settledTally(before: Tally, ended: Over | undefined): Tally {
  const tally = withDeadOut(before, ended);
  const { dead = [], filled = [] } = ended ?? {};
  const paidBy = new Map(
    [...dead.filter(({ final }) => final), ...filled].flatMap(({ child, paid }) =>
      paid === undefined ? [] : [[child, paid]],
    ),
  );
  const fees = { ...tally.fees };
  for (const { child, kind, most } of tally.owed) {
    const paid = paidBy.get(child);
    if (paid !== undefined && paid < most) fees[kind] -= most - paid;
  }
  return { ...tally, fees, owed: tally.owed.filter(({ child }) => !paidBy.has(child)) };
}

/** Maximum number of swaps of each class of legs in a clock hour. */
const mostInHour = { limit: 12, stop: 60 };

/** True if a class of legs has used up its swaps of this hour. Slices have their times instead. */
export function hasFiredOften(
  { slices }: Pick<Mandate, "slices">,
  tally: Tally | undefined,
  legClass: LegClass,
  nowMs: number,
): boolean {
  if (slices !== undefined) return false;
  const { hour, n } = tally?.counts[legClass] ?? { hour: 0, n: 0 };
  return hour === hourOf(nowMs) && n >= mostInHour[legClass];
}

/** Maximum number of resting orders of a wallet whose first child is signed on one day. */
const mostNewOfDay = 100;

/** True if the first child of an order would exceed the limit of this day. */
export const isOneTooMany = (tally: Tally | undefined, newOfDay: number): boolean =>
  tally === undefined && newOfDay >= mostNewOfDay;

/**
 * True if a limit would use more than half of the day's network fees, which would leave too little for stops and market
 * orders.
 */
export const isBeyondHalf = (
  legClass: LegClass,
  { adds, ofLimits, limit }: ChildFacts["feesOfDay"],
): boolean => legClass === "limit" && adds > 0n && 2n * (ofLimits + adds) > limit;

/** Computes the coin that children of a class of legs may still pay the network. */
export function feesLeft(
  mandate: Mandate,
  tally: Tally | undefined,
  ended: Ended | undefined,
  legClass: LegClass,
): bigint {
  const spent = tally === undefined ? 0n : settledTally(tally, ended).fees[legClass];
  return budgetOf(mandate, legClass) - spent;
}

/** Returns how much of an amount can be spent, given what the wallet has. 0 if the wallet has next to nothing of it. */
export const spendable = (amount: bigint, held: bigint): bigint =>
  held * 1000n < amount ? 0n : least(amount, held);

/** Changes that a signature makes to the signer's records of a resting order. */
export type TallyChange = {
  tally: Tally;
  /** Coin of dead buys to take off the day's count, and their number. */
  givenBack: { amount: bigint; buys: number };
};

/**
 * Records a signature.
 *
 * @param givenBackOfDay Number of dead buys already taken off the day's count of the wallet.
 */
export function tallyAfter(facts: ChildFacts, nowMs: number, givenBackOfDay: number): TallyChange {
  const { mandate, child, purpose, ended, fees, isFirstSwap } = facts;
  const kind = classOf(mandate.legs[child.parent.leg] as Leg);
  const old = facts.tally ?? emptyTally(facts);
  const before = settledTally(old, ended);
  const charged = { ...before.fees, [kind]: before.fees[kind] + fees.adds };
  const rest = { ...before, fees: charged, revision: old.revision + 1 };
  if (purpose !== "swap") return { tally: withMost(rest, child.orderId, fees.most), givenBack: nothing };
  const signed: SignedChild = {
    child: child.orderId,
    kind,
    amount: mandate.side === "buy" ? facts.spends : 0n,
    most: fees.most,
    day: signedDay(old, child.orderId) ?? dayOf(nowMs),
  };
  const counts = isFirstSwap
    ? { ...rest.counts, [kind]: oneMore(rest.counts[kind], hourOf(nowMs)) }
    : rest.counts;
  const { slice } = child.parent;
  const tally = { ...rest, counts, ...(slice !== undefined && { slices: withSlice(rest, slice, child) }) };
  return {
    tally:
      familyOf(mandate.chain) === "evm" && slice === undefined
        ? { ...tally, out: signed }
        : withOwed(tally, signed),
    givenBack: dueBack(facts.tally, ended, nowMs, givenBackOfDay),
  };
}

/** Raises the most that a child may pay, if its swap has been signed, so that nothing stays overcharged in the end. */
function withMost({ out, owed, ...tally }: Tally, child: string, most: bigint): Tally {
  const raised = (signed: SignedChild) => (signed.child === child ? { ...signed, most } : signed);
  return { ...tally, owed: owed.map(raised), ...(out && { out: raised(out) }) };
}

const withSlice = (
  { slices = [] }: Tally,
  slice: number,
  { orderId: child }: ChildTerms,
): NonNullable<Tally["slices"]> =>
  slices.some((each) => each.slice === slice) ? slices : [...slices, { slice, child }];

/** Moves the child that is out to the dead ones, if it is dead. */
const withDeadOut = (tally: Tally, ended: Over | undefined): Tally =>
  tally.out && ended?.dead.some(({ child }) => child === tally.out?.child)
    ? withOwed(tally, tally.out)
    : tally;

/**
 * Returns the buys of this day that the next swap of an order takes off the day's count, because their deaths are
 * final.
 */
export function dueBack(
  tally: Tally | undefined,
  ended: Ended | undefined,
  nowMs: number,
  givenBackOfDay: number,
): TallyChange["givenBack"] {
  if (tally === undefined) return nothing;
  const { owed } = settledTally(tally, { dead: ended?.dead ?? [] });
  const gone = withDeadOut(tally, ended).owed.filter(
    (each) => each.day === dayOf(nowMs) && each.amount > 0n && !owed.includes(each),
  );
  const given = gone.slice(0, Math.max(0, mostGivenBack - givenBackOfDay));
  return { amount: given.reduce((sum, { amount }) => sum + amount, 0n), buys: given.length };
}

const nothing = { amount: 0n, buys: 0 };

const emptyTally = ({ mandate: { orderId, expiresAt } }: ChildFacts): Tally => ({
  orderId,
  owed: [],
  counts: { limit: { hour: 0, n: 0 }, stop: { hour: 0, n: 0 } },
  fees: { limit: 0n, stop: 0n },
  revision: 0,
  expiresAt: expiresAt + keptAfterEndSeconds,
});

/**
 * Adds a child, or replaces what is known of it. Forgets the oldest children, which then count at the most that they
 * could cost.
 */
const withOwed = ({ out: _, ...tally }: Tally, signed: SignedChild): Tally => ({
  ...tally,
  owed: [...tally.owed.filter(({ child }) => child !== signed.child), signed].slice(-mostOwed),
});

const signedDay = ({ out, owed }: Tally, orderId: string): string | undefined =>
  [...owed, ...(out ? [out] : [])].find(({ child }) => child === orderId)?.day;

const oneMore = ({ hour, n }: Tally["counts"]["limit"], now: number) =>
  hour === now ? { hour, n: n + 1 } : { hour: now, n: 1 };
