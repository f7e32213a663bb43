import type * as v from "valibot";
import { dayOf } from "../core/time.ts";
import type { CoinUnits } from "../core/units.ts";
import { greatest, least } from "./bigints.ts";
import type { IntentTerms, LaneKey } from "./intent.ts";
import { minimumOf, shortfallOf } from "./percent.ts";
import type { daySpend, pendingPolicy, policyRecord, walletPolicy } from "./schemas.ts";
import type { ChainLimits } from "./trading-chain.ts";

/** Limits on a wallet's orders. The amounts limit only buys. */
export type WalletPolicy = v.InferOutput<typeof walletPolicy>;

/** A looser policy that the user has requested, and the time when it takes effect. */
export type PendingPolicy = v.InferOutput<typeof pendingPolicy>;

/** The policy in force, and the policy that will replace it, if there is one. */
export type PolicyState = { policy: WalletPolicy; pending?: PendingPolicy };

/** Identifies a user's wallet by its address, so that its limits outlive the wallet. */
export type PolicyKey = LaneKey & { userID: string };

/**
 * A policy as stored. The signer trusts it, because only loosenGuards writes policies, and it announces each looser
 * policy before the policy takes effect.
 */
export type PolicyRecord = v.InferOutput<typeof policyRecord>;

/**
 * Sum of what was signed for a wallet on a day: the amounts of buys, and the most that all transactions may pay the
 * network. Only the signer may write it.
 */
export type DaySpend = v.InferOutput<typeof daySpend>;

/** A wallet's stored policy, and its count for one day. */
export type Limits = { stored: PolicyRecord | undefined; count: DaySpend | undefined };

/** Stored limits of a wallet that has no policy, on a day without signatures. */
export const noStoredLimits: Limits = { stored: undefined, count: undefined };

/** The policy that applies to a wallet until its user sets one. */
export const openPolicy: WalletPolicy = { tokens: "any", tradingEnabled: true };

/** Delay before a change that allows more takes effect. */
const looserAfterMs = 24 * 60 * 60_000;

const keptDays = 7;
const dayMs = 24 * 60 * 60_000;

/**
 * Puts a pending policy in force once it is due. Only loosenGuards calls this; all other functions use the stored
 * policy.
 */
export function policyAt(stored: PolicyState | undefined, nowMs: number): PolicyState {
  if (stored === undefined) return { policy: openPolicy };
  const { policy, pending } = stored;
  if (pending === undefined) return { policy };
  return Date.parse(pending.effectiveAt) <= nowMs ? { policy: pending.policy } : { policy, pending };
}

/** Returns the policy in force, and the pending one if its announcement names a table. */
export function announcedState(stored: PolicyState | undefined): PolicyState {
  const { policy, pending } = stored ?? { policy: openPolicy };
  return { policy, ...(pending?.tableId !== undefined && { pending }) };
}

/**
 * Computes the state after a user requests a new policy. Each limit that becomes tighter applies at once, and the whole
 * new policy after 24 hours. If the request allows no more than the pending policy, it takes effect when that policy
 * would have. A new limit of network fees applies at once, because traders may reach the old one within a day.
 * @param state The policy in force now.
 */
export function policyAfter(
  { policy, pending }: PolicyState,
  asked: WalletPolicy,
  nowMs: number,
): PolicyState {
  const tightened = withFees(tightest(asked, policy), asked);
  if (isSamePolicy(tightened, asked)) return { policy: asked };
  const isAnnounced = pending !== undefined && isWithin(asked, withFees(pending.policy, asked));
  const effectiveAt = isAnnounced ? pending.effectiveAt : new Date(nowMs + looserAfterMs).toISOString();
  return { policy: tightened, pending: { policy: asked, effectiveAt } };
}

/** Replaces a policy's limit of network fees by that of another policy. */
export function withFees(
  { maxNetworkFeesPerDay: _, ...policy }: WalletPolicy,
  { maxNetworkFeesPerDay }: WalletPolicy,
): WalletPolicy {
  return { ...policy, ...(maxNetworkFeesPerDay !== undefined && { maxNetworkFeesPerDay }) };
}

/**
 * True if a change lets the wallet do more, now or later. A request to freeze the wallet need not repeat the other
 * limits, because a frozen wallet may do nothing.
 */
export function loosens(before: PolicyState, { policy, pending }: PolicyState): boolean {
  const { tradingEnabled } = pending?.policy ?? policy;
  if (mayRaiseFees(before.policy, policy)) return tradingEnabled || policy.maxNetworkFeesPerDay !== undefined;
  return tradingEnabled && pending !== undefined && pending.effectiveAt !== before.pending?.effectiveAt;
}

/**
 * True if the limit of network fees may have been raised. Removing the limit counts as raising it, because the
 * operators' usual limit is not known to this function.
 */
export function mayRaiseFees(
  { maxNetworkFeesPerDay: before }: WalletPolicy,
  { maxNetworkFeesPerDay: after }: WalletPolicy,
): boolean {
  if (before === undefined || after === undefined) return before !== after;
  return after > before;
}

/** Combines two policies: takes the stricter value of each field. */
export function tightest(a: WalletPolicy, b: WalletPolicy): WalletPolicy {
  const maxPerOrder = stricter(a.maxPerOrder, b.maxPerOrder);
  const maxPerDay = stricter(a.maxPerDay, b.maxPerDay);
  const maxSlippage = stricter(a.maxSlippage, b.maxSlippage);
  const maxNetworkFeesPerDay = stricter(a.maxNetworkFeesPerDay, b.maxNetworkFeesPerDay);
  return {
    ...(maxPerOrder !== undefined && { maxPerOrder }),
    ...(maxPerDay !== undefined && { maxPerDay }),
    ...(maxNetworkFeesPerDay !== undefined && { maxNetworkFeesPerDay }),
    tokens: inBoth(a.tokens, b.tokens),
    ...(maxSlippage !== undefined && { maxSlippage }),
    ...(a.anyLoss && b.anyLoss && { anyLoss: true }),
    tradingEnabled: a.tradingEnabled && b.tradingEnabled,
  };
}

const stricter = (a: bigint | undefined, b: bigint | undefined): bigint | undefined =>
  a === undefined || b === undefined ? (a ?? b) : least(a, b);

function inBoth(a: WalletPolicy["tokens"], b: WalletPolicy["tokens"]): WalletPolicy["tokens"] {
  if (a === "any") return b;
  return b === "any" ? a : a.filter((token) => b.includes(token));
}

/** True if the first policy allows nothing that the second one forbids. */
export const isWithin = (policy: WalletPolicy, other: WalletPolicy): boolean =>
  isSamePolicy(tightest(policy, other), policy);

/** True if two policies allow the same orders. */
export const isSamePolicy = (a: WalletPolicy, b: WalletPolicy): boolean =>
  a.maxPerOrder === b.maxPerOrder &&
  a.maxPerDay === b.maxPerDay &&
  a.maxNetworkFeesPerDay === b.maxNetworkFeesPerDay &&
  a.maxSlippage === b.maxSlippage &&
  a.anyLoss === b.anyLoss &&
  a.tradingEnabled === b.tradingEnabled &&
  isSameList(a.tokens, b.tokens);

/** True if both states have the same policy in force, and the same policy pending until the same time. */
export const isSameState = (a: PolicyState, b: PolicyState): boolean =>
  isSamePolicy(a.policy, b.policy) &&
  a.pending?.effectiveAt === b.pending?.effectiveAt &&
  (a.pending === undefined || b.pending === undefined || isSamePolicy(a.pending.policy, b.pending.policy));

function isSameList(a: WalletPolicy["tokens"], b: WalletPolicy["tokens"]): boolean {
  if (a === "any" || b === "any") return a === b;
  return a.length === b.length && a.every((token) => b.includes(token));
}

/** The data of an order that a policy checks. */
export type CheckedOrder = {
  side: "buy" | "sell";
  token: string;
  /** The coin that a buy spends. For a sale, the amount is not checked. */
  amount?: bigint | undefined;
  /** Amount that a buy would add to the day's count. Absent if the count already includes the buy. */
  adds?: CoinUnits | undefined;
  /** Network fees that the order would add to the day's count. Absent if they are unknown or already counted. */
  networkFees?: CoinUnits | undefined;
} & Partial<CheckedMinimum>;

/** An order's minimum, and the quote to compare it with. Absent while there is no quote. */
type CheckedMinimum = { minAmountOut: bigint; quotedOut: bigint };

/**
 * The rule of the policy that forbids an order, the rule's limit, and the value that the order would reach. Both are in
 * units of the coin, or in millionths for `maxSlippage`.
 */
export type PolicyObjection =
  | { rule: "tradingEnabled" }
  | {
      rule: Exclude<keyof WalletPolicy, "tradingEnabled" | "anyLoss" | "maxNetworkFeesPerDay">;
      limit: bigint;
      requested: bigint;
    }
  | FeesObjection;

/**
 * Reason to refuse an order that would exceed the day's limit of network fees. The order may be allowed on the next
 * day.
 */
export type FeesObjection = {
  rule: "networkFeesPerDay";
  limit: CoinUnits;
  requested: CoinUnits;
  resetsAt: string;
};

/** The network fees of a wallet on one day, and their limit. */
export type FeesOfDay = { counted: CoinUnits; limit: CoinUnits; resetsAt: string };

/** The rules for an order: a policy, and how much of the day's limits the wallet's other orders use. */
export type OrderRules = { policy: WalletPolicy; spent: CoinUnits; fees: FeesOfDay };

/** The operators' limits for network fees per day. */
export type DayFeeLimits = Pick<ChainLimits, "maxNetworkFee" | "maxNetworkFeesPerDay">;

/** Computes the amounts that an unsigned order adds to the day's count. */
export const addedBy = (side: CheckedOrder["side"], amount: bigint, networkFee: CoinUnits): CoinUnits =>
  side === "buy" ? amount + networkFee : networkFee;

/** Returns the rules that apply while an order rests. The others, of days and slippage, apply to its children. */
export function rulesAtRest({ policy, fees, ...rules }: OrderRules): OrderRules {
  const { maxPerDay: _, maxSlippage: __, ...lasting } = policy;
  return { ...rules, policy: lasting, fees: { ...fees, counted: 0n } };
}

/** Returns the reason why the policy forbids an order. */
export function objectionOf(
  rules: OrderRules,
  { side, token, amount, adds, networkFees, minAmountOut, quotedOut }: CheckedOrder,
): PolicyObjection | undefined {
  // Only `true` allows trading; any other stored value forbids it.
  if (rules.policy.tradingEnabled !== true) return { rule: "tradingEnabled" };
  return (
    (side === "sell" || amount === undefined ? undefined : objectionToBuy(rules, { token, amount, adds })) ??
    (minAmountOut === undefined || quotedOut === undefined
      ? undefined
      : objectionToMinimum(rules.policy, { minAmountOut, quotedOut })) ??
    (networkFees === undefined ? undefined : objectionToFees(rules.fees, networkFees))
  );
}

/**
 * Returns the reason why a transaction may not add its network fees to the day's count. A transaction that adds none is
 * always allowed, so that it can replace a signed one even after the limit is reached.
 */
export const objectionToFees = (
  { counted, limit, resetsAt }: FeesOfDay,
  adds: CoinUnits,
): FeesObjection | undefined =>
  adds <= 0n || counted + adds <= limit
    ? undefined
    : { rule: "networkFeesPerDay", limit, requested: counted + adds, resetsAt };

function objectionToBuy(
  { policy: { maxPerOrder, maxPerDay, tokens }, spent }: OrderRules,
  { token, amount, adds }: { token: string; amount: CoinUnits; adds: CoinUnits | undefined },
): PolicyObjection | undefined {
  if (tokens !== "any" && !tokens.includes(token)) return { rule: "tokens", limit: 0n, requested: amount };
  if (maxPerOrder !== undefined && amount > maxPerOrder)
    return { rule: "maxPerOrder", limit: maxPerOrder, requested: amount };
  if (maxPerDay === undefined || adds === undefined || spent + adds <= maxPerDay) return undefined;
  return { rule: "maxPerDay", limit: maxPerDay, requested: spent + adds };
}

function objectionToMinimum(
  { maxSlippage: limit }: WalletPolicy,
  { minAmountOut, quotedOut }: CheckedMinimum,
): PolicyObjection | undefined {
  if (limit === undefined || minAmountOut >= minimumOf(quotedOut, limit)) return undefined;
  return { rule: "maxSlippage", limit, requested: shortfallOf(minAmountOut, quotedOut) };
}

/** Returns the amounts that were signed on the day of the given time. */
export const signedOn = (
  count: DaySpend | undefined,
  nowMs: number,
): { spent: CoinUnits; networkFees: CoinUnits } => {
  const { spent, networkFees = 0n } = count?.day === dayOf(nowMs) ? count : { spent: 0n };
  return { spent, networkFees };
};

/** The part of a day's count that concerns children of resting orders. */
type ChildCount = Pick<DaySpend, "limitFees" | "newResting" | "givenBack">;

/** Returns what children of resting orders have added to the count of the day of the given time. */
export const childrenOn = (count: DaySpend | undefined, nowMs: number): Required<ChildCount> => {
  const of: ChildCount = count?.day === dayOf(nowMs) ? count : {};
  return { limitFees: of.limitFees ?? 0n, newResting: of.newResting ?? 0, givenBack: of.givenBack ?? 0 };
};

/** Returns the amount that the day's limit still allows for buys. Undefined if there is no limit. */
export function restOfDay({ stored, count }: Limits, nowMs: number): CoinUnits | undefined {
  const { maxPerDay } = stored?.policy ?? openPolicy;
  return maxPerDay === undefined ? undefined : greatest(maxPerDay - signedOn(count, nowMs).spent, 0n);
}

/**
 * Returns a wallet's limits for an order in its lane. When the signer signs a child, it takes dead buys of the same
 * resting order off the day's count, so that count must not hold a child back before.
 */
export function limitsInLane(
  limits: ReadonlyMap<string, Limits>,
  { userID, parent }: Pick<IntentTerms, "userID" | "parent">,
): Limits | undefined {
  const known = limits.get(userID);
  if (parent === undefined || known?.stored === undefined) return known;
  const { maxPerDay: _, ...policy } = known.stored.policy;
  return { ...known, stored: { ...known.stored, policy } };
}

/** Returns the rules that apply to a wallet's orders now. */
export const rulesAt = (limits: Limits, nowMs: number, chainLimits: DayFeeLimits): OrderRules => ({
  policy: limits.stored?.policy ?? openPolicy,
  spent: signedOn(limits.count, nowMs).spent,
  fees: feesOfDay(limits, nowMs, chainLimits),
});

/** Default limit for network fees per day, as a multiple of the limit for one transaction. */
const usualFees = 10n;

/**
 * Maximum that a policy can set, as a multiple of the usual limit. There is a maximum because a policy may be forged.
 */
const mostRaised = 100n;

const usualLimit = ({ maxNetworkFee, maxNetworkFeesPerDay }: DayFeeLimits): CoinUnits =>
  maxNetworkFeesPerDay ?? usualFees * maxNetworkFee;

/**
 * Returns the limits for clears. For a clear, a policy can only raise the usual limit of network fees, so that no
 * policy prevents a stuck wallet from being freed.
 */
export const limitsOfClears = ({ stored, count }: Limits, chainLimits: DayFeeLimits): Limits => ({
  stored: (stored?.policy.maxNetworkFeesPerDay ?? 0n) > usualLimit(chainLimits) ? stored : undefined,
  count,
});

/**
 * Returns the network fees that were signed on a day, and their limit: the policy's limit, or the usual one if the
 * policy has none.
 */
export function feesOfDay({ stored, count }: Limits, nowMs: number, chainLimits: DayFeeLimits): FeesOfDay {
  const usual = usualLimit(chainLimits);
  return {
    counted: signedOn(count, nowMs).networkFees,
    limit: least(stored?.policy.maxNetworkFeesPerDay ?? usual, mostRaised * usual),
    resetsAt: new Date(Date.parse(dayOf(nowMs)) + dayMs).toISOString(),
  };
}

/** Returns the network fees that the day's limit still allows. */
export const restOfFees = (...asked: Parameters<typeof feesOfDay>): CoinUnits => {
  const { limit, counted } = feesOfDay(...asked);
  return greatest(limit - counted, 0n);
};

/**
 * Adds a signature to the day's count.
 * @param fees The network fees, including coin that stays in accounts.
 * @param swapOf The order whose swap is signed for the first time.
 * @param children The new part of the count that concerns children. If absent, that part stays.
 */
export function counted(
  { userID, chain, wallet }: PolicyKey,
  count: DaySpend | undefined,
  {
    adds,
    fees,
    swapOf,
    nowMs,
    children,
  }: {
    adds: CoinUnits;
    fees: CoinUnits;
    swapOf?: string | undefined;
    nowMs: number;
    children?: ChildCount | undefined;
  },
): DaySpend {
  const day = dayOf(nowMs);
  const newestOrderId = swapOf ?? count?.newestOrderId;
  const { spent, networkFees } = signedOn(count, nowMs);
  const known: ChildCount = children ?? (count?.day === day ? count : {});
  const { limitFees, newResting, givenBack } = known;
  return {
    userID,
    chain,
    wallet,
    day,
    spent: greatest(spent + adds, 0n),
    networkFees: networkFees + fees,
    ...(limitFees !== undefined && { limitFees }),
    ...(newResting !== undefined && { newResting }),
    ...(givenBack !== undefined && { givenBack }),
    ...(newestOrderId !== undefined && { newestOrderId }),
    revision: (count?.revision ?? 0) + 1,
    expiresAt: (Date.parse(day) + (1 + keptDays) * dayMs) / 1000,
  };
}
