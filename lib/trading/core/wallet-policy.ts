import { dayOf } from "../../core/time.ts";
import { least } from "./bigints.ts";
import type { LaneKey } from "./intent.ts";

/** Limits on a wallet's buys. Sales are never limited. Amounts are units of the chain's coin, without network fees. */
export type WalletPolicy = {
  maxPerOrder?: bigint;
  /** Per day in UTC. */
  maxPerDay?: bigint;
  /** The addresses of tokens that may be bought. */
  tokens: readonly string[] | "any";
  tradingEnabled: boolean;
};

/** A policy that the user has asked for, and the time when it takes effect. */
export type PendingPolicy = { policy: WalletPolicy; effectiveAt: string };

/** The policy in force, and the policy that takes effect later. */
export type PolicyState = { policy: WalletPolicy; pending?: PendingPolicy };

/** Identifies a user's wallet by its address, so that its limits outlive the wallet. */
export type PolicyKey = LaneKey & { userID: string };

/** A policy as stored. Only the function that sets policies may write it, so the signer believes it. */
export type PolicyRecord = PolicyKey & PolicyState & { revision: number };

/** The amount signed for a wallet's buys on a day, in units of the chain's coin. Only the signer may write it. */
export type DaySpend = PolicyKey & {
  /** In UTC, such as 2026-11-22. */
  day: string;
  spent: bigint;
  /** The order that was counted last. */
  newestOrderId: string;
  revision: number;
  /** In seconds, long after the day. */
  expiresAt: number;
};

/** A wallet's stored policy, and the count of its buys on a day. */
export type Limits = { stored: PolicyRecord | undefined; count: DaySpend | undefined };

/** Applies until the user sets a policy. */
export const openPolicy: WalletPolicy = { tokens: "any", tradingEnabled: true };

/** A change that allows more takes effect after this time. */
const looserAfterMs = 24 * 60 * 60_000;

const keptDays = 7;
const dayMs = 24 * 60 * 60_000;

/** Returns the policy in force at a time. */
export function policyAt(stored: PolicyState | undefined, nowMs: number): PolicyState {
  if (stored === undefined) return { policy: openPolicy };
  const { policy, pending } = stored;
  if (pending === undefined) return { policy };
  return Date.parse(pending.effectiveAt) <= nowMs ? { policy: pending.policy } : { policy, pending };
}

/**
 * Computes the state after a user asks for another policy. Tighter limits apply at once, field by field, and the whole
 * policy after 24 hours. Asking for less than the pending policy keeps its time.
 *
 * @param state The policy in force now.
 */
export function policyAfter(
  { policy, pending }: PolicyState,
  asked: WalletPolicy,
  nowMs: number,
): PolicyState {
  const tightened = tightest(asked, policy);
  if (isSamePolicy(tightened, asked)) return { policy: asked };
  const isAnnounced = pending !== undefined && isWithin(asked, pending.policy);
  const effectiveAt = isAnnounced ? pending.effectiveAt : new Date(nowMs + looserAfterMs).toISOString();
  return { policy: tightened, pending: { policy: asked, effectiveAt } };
}

/** Takes the stricter value of each field. */
function tightest(a: WalletPolicy, b: WalletPolicy): WalletPolicy {
  const maxPerOrder = stricter(a.maxPerOrder, b.maxPerOrder);
  const maxPerDay = stricter(a.maxPerDay, b.maxPerDay);
  return {
    ...(maxPerOrder !== undefined && { maxPerOrder }),
    ...(maxPerDay !== undefined && { maxPerDay }),
    tokens: inBoth(a.tokens, b.tokens),
    tradingEnabled: a.tradingEnabled && b.tradingEnabled,
  };
}

const stricter = (a: bigint | undefined, b: bigint | undefined): bigint | undefined =>
  a === undefined || b === undefined ? (a ?? b) : least(a, b);

function inBoth(a: WalletPolicy["tokens"], b: WalletPolicy["tokens"]): WalletPolicy["tokens"] {
  if (a === "any") return b;
  return b === "any" ? a : a.filter((token) => b.includes(token));
}

/** True if a policy allows nothing that the other one forbids. */
const isWithin = (policy: WalletPolicy, other: WalletPolicy): boolean =>
  isSamePolicy(tightest(policy, other), policy);

/** True if two policies allow the same. */
const isSamePolicy = (a: WalletPolicy, b: WalletPolicy): boolean =>
  a.maxPerOrder === b.maxPerOrder &&
  a.maxPerDay === b.maxPerDay &&
  a.tradingEnabled === b.tradingEnabled &&
  isSameList(a.tokens, b.tokens);

/** True if both have the same policy in force, and the same one pending for the same time. */
export const isSameState = (a: PolicyState, b: PolicyState): boolean =>
  isSamePolicy(a.policy, b.policy) &&
  a.pending?.effectiveAt === b.pending?.effectiveAt &&
  (a.pending === undefined || b.pending === undefined || isSamePolicy(a.pending.policy, b.pending.policy));

function isSameList(a: WalletPolicy["tokens"], b: WalletPolicy["tokens"]): boolean {
  if (a === "any" || b === "any") return a === b;
  return a.length === b.length && a.every((token) => b.includes(token));
}

/** The data of a buy that a policy checks. */
export type Buy = { token: string; amount: bigint };

/** The policy's rule that forbids a buy, its limit, and the amount that the buy would reach. */
export type PolicyObjection = { rule: keyof WalletPolicy; limit: bigint; requested: bigint };

/**
 * The rules for a buy: a policy, and the amount that the day's other buys have spent. That amount is absent if the day
 * has already counted this buy.
 */
export type BuyRules = { policy: WalletPolicy; spent?: bigint };

/** Returns the policy's objection to a buy. */
export function objectionToBuy(
  { policy: { maxPerOrder, maxPerDay, tokens, tradingEnabled }, spent }: BuyRules,
  { token, amount }: Buy,
): PolicyObjection | undefined {
  // Any other stored value forbids buying.
  if (tradingEnabled !== true) return { rule: "tradingEnabled", limit: 0n, requested: amount };
  if (tokens !== "any" && !tokens.includes(token)) return { rule: "tokens", limit: 0n, requested: amount };
  if (maxPerOrder !== undefined && amount > maxPerOrder)
    return { rule: "maxPerOrder", limit: maxPerOrder, requested: amount };
  if (maxPerDay === undefined || spent === undefined || spent + amount <= maxPerDay) return undefined;
  return { rule: "maxPerDay", limit: maxPerDay, requested: spent + amount };
}

/** Returns the amount signed on the day of a time. */
const spentOn = (count: DaySpend | undefined, nowMs: number): bigint =>
  count?.day === dayOf(nowMs) ? count.spent : 0n;

/**
 * Returns the policy's objection to a buy now.
 *
 * @param isCounted True if the day has already counted the buy.
 */
export function objectionNow(
  limits: Limits,
  buy: Buy,
  { isCounted, nowMs }: { isCounted: boolean; nowMs: number },
): PolicyObjection | undefined {
  const { policy, spent } = rulesAt(limits, nowMs);
  return objectionToBuy(isCounted ? { policy } : { policy, spent }, buy);
}

/** Returns the rules for a wallet's buys now. */
export const rulesAt = ({ stored, count }: Limits, nowMs: number): Required<BuyRules> => ({
  policy: policyAt(stored, nowMs).policy,
  spent: spentOn(count, nowMs),
});

/** Adds an order to the day's count. */
export function counted(
  { userID, chain, wallet }: PolicyKey,
  count: DaySpend | undefined,
  { orderId, amount, nowMs }: { orderId: string; amount: bigint; nowMs: number },
): DaySpend {
  const day = dayOf(nowMs);
  return {
    userID,
    chain,
    wallet,
    day,
    spent: spentOn(count, nowMs) + amount,
    newestOrderId: orderId,
    revision: (count?.revision ?? 0) + 1,
    expiresAt: (Date.parse(day) + (1 + keptDays) * dayMs) / 1000,
  };
}
