import { newResting } from "../../../lib/orders/resting/life.ts";
import type { ChildTerms, Leg, Mandate, PricedLeg } from "../../../lib/orders/resting/mandate.ts";
import { newStored, type StoredResting } from "../../../lib/orders/resting/stored.ts";
import type { ChildFacts } from "../../../lib/orders/resting/tally.ts";

export const nowMs = Date.parse("2026-11-29T12:00:00.000Z");
const seconds = nowMs / 1000;

/** Sells at 2 coins a token, if both have the same decimals. */
export const limit: PricedLeg = { kind: "limit", price: { coins: 2n, tokens: 1n } };

/** Sells once a token costs 1 coin, for at least 0.8. */
export const stop: PricedLeg = {
  kind: "stop",
  trigger: { coins: 1n, tokens: 1n },
  worst: { coins: 4n, tokens: 5n },
};

/** Sells a tenth below its mark, for at least 0.72 coins a token. */
export const trailing: Leg = { kind: "trailing", trailPpm: 100_000n, worst: { coins: 18n, tokens: 25n } };

export const mandate = (changes: Partial<Mandate> = {}): Mandate => ({
  chain: "base",
  wallet: "0xf39F",
  userID: "alice",
  orderId: "01KAMZ3Q5T9WJ2M4N6P8R0S1V3",
  side: "sell",
  token: "0x5FbD",
  amount: 1000n,
  legs: [limit, stop],
  isPrivate: false,
  feesLimit: 500n,
  feesStop: 500n,
  maxGasPrice: 10n,
  createdAt: nowMs - 60_000,
  expiresAt: seconds + 3600,
  ...changes,
});

/** Builds a resting order as it is stored, of a token with 18 decimals. */
export const storedOrder = (changes: Partial<Mandate> = {}): StoredResting =>
  newStored(
    newResting(mandate(changes), "mac"),
    {
      clientOrderId: "key-1",
      symbol: "CAT/ETH",
      baseSymbol: "CAT",
      decimals: 18,
      createdAt: new Date(nowMs).toISOString(),
    },
    { tableId: "table", choices: {}, warnings: [] },
  );

export const mandateHash = "ab".repeat(32);

/** Builds a child of the stop. */
export function child(changes: Partial<ChildTerms> = {}, of = mandate()): ChildTerms {
  const { chain, wallet, userID, side, token, amount, isPrivate } = of;
  return {
    chain,
    wallet,
    userID,
    side,
    token,
    amount,
    isPrivate,
    orderId: "C1",
    minAmountOut: 900n,
    quotedOut: 990n,
    validUntil: seconds + 60,
    createdAt: nowMs,
    maxGasPrice: 10n,
    parent: { orderId: of.orderId, mandate: mandateHash, leg: 1, n: 1 },
    ...changes,
  };
}

/** Builds what the signer knows about the first signature of a child's swap, which it accepts. */
export const childFacts = (changes: Partial<ChildFacts> = {}): ChildFacts => ({
  mandate: mandate(),
  child: child(),
  isMandateGenuine: true,
  isChildGenuine: true,
  mandateHash,
  purpose: "swap",
  isFirstSwap: true,
  deadline: seconds + 8,
  tally: undefined,
  ended: undefined,
  isCancelled: false,
  cutoffs: {},
  spends: 1000n,
  fees: { most: 100n, adds: 100n },
  feesOfDay: { adds: 100n, ofLimits: 0n, limit: 10_000n },
  newOfDay: 0,
  ...changes,
});
