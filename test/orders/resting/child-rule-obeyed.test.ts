import fc from "fast-check";
import { expect, it } from "vitest";
import { objectionToChild } from "../../../lib/orders/resting/child-rule.ts";
import type { Mandate, Tally } from "../../../lib/orders/resting/mandate.ts";
import type { ChildFacts } from "../../../lib/orders/resting/tally.ts";
import type { Cutoff } from "../../../lib/orders/table-step.ts";
import { child, childFacts, limit, mandate, mandateHash, nowMs, stop } from "./fixtures.ts";

const seconds = nowMs / 1000;
const hour = Math.floor(nowMs / 3_600_000);

/** Generates a value that is usually right. */
const mostly = <Value>(right: Value, ...others: Value[]) =>
  fc.oneof(
    { arbitrary: fc.constant(right), weight: 8 },
    { arbitrary: fc.constantFrom(...others), weight: 1 },
  );

const signed = (orderId: string, most: bigint) =>
  ({ child: orderId, kind: "stop", amount: 0n, most, day: "2026-11-29" }) as const;

const tallies = fc
  .record({
    orderId: fc.constant(mandate().orderId),
    out: mostly<Tally["out"]>(undefined, signed("C0", 100n), signed("C1", 100n)),
    owed: fc.constant([]),
    counts: fc.record({
      limit: fc.record({ hour: mostly(hour, hour - 1), n: mostly(0, 11, 12, 60) }),
      stop: fc.record({ hour: mostly(hour, hour - 1), n: mostly(0, 12, 59, 60) }),
    }),
    fees: fc.record({ limit: mostly(0n, 400n, 500n), stop: mostly(0n, 400n, 500n) }),
    revision: fc.constant(1),
    expiresAt: fc.constant(seconds + 90_000),
  })
  .map(({ out, ...tally }): Tally => ({ ...tally, ...(out && { out }) }));

const deaths = fc.subarray(["C0", "C1", "C9"]).map((dead) => ({
  orderId: mandate().orderId,
  dead: dead.map((each) => ({ child: each, how: "failed" as const, block: 7 })),
  expiresAt: seconds + 90_000,
  revision: 1,
}));

const mandates = fc.record({
  amount: mostly(1000n, 999n, 10n ** 30n),
  legs: mostly<Mandate["legs"]>([limit, stop], [stop, limit], [stop]),
  userID: mostly("alice", "bob"),
  wallet: mostly("0xf39F", "0xAD"),
  isPrivate: mostly(false, true),
  createdAt: mostly(nowMs - 60_000, nowMs + 5000, nowMs + 5001),
  expiresAt: mostly(seconds + 3600, seconds + 60, seconds + 59, seconds - 1),
});

const children = fc.record({
  amount: mostly(1000n, 1n, 1001n, 0n),
  minAmountOut: mostly(2000n, 800n, 799n, 1999n, 0n),
  side: mostly<"sell" | "buy">("sell", "buy"),
  token: mostly("0x5FbD", "0xAD"),
  createdAt: mostly(nowMs, nowMs + 5001),
  validUntil: mostly(seconds + 60, seconds + 61, seconds + 5),
  maxGasPrice: mostly(10n, 30n, 31n),
  leg: mostly(1, 0, 2),
  hash: mostly(mandateHash, "cd".repeat(32)),
});

const upTo = { userID: "alice", before: nowMs - 60_000 };
const cutoffs = fc.record({
  all: mostly<Cutoff | undefined>(undefined, upTo, { userID: "alice", base: nowMs }),
  wallet: mostly<Cutoff | undefined>(undefined, upTo),
});

const others = fc.record({
  isMandateGenuine: mostly(true, false),
  isChildGenuine: mostly(true, false),
  purpose: mostly<ChildFacts["purpose"]>("swap", "approve"),
  isFirstSwap: mostly(true, false),
  deadline: mostly<number | undefined>(seconds + 8, seconds + 10, seconds + 11, undefined),
  tally: fc.option(tallies, { nil: undefined }),
  ended: fc.option(deaths, { nil: undefined }),
  isCancelled: mostly(false, true),
  cutoffs,
  feesOfDay: mostly(
    { adds: 100n, ofLimits: 0n, limit: 10_000n },
    { adds: 100n, ofLimits: 4901n, limit: 10_000n },
  ),
  fees: mostly({ most: 100n, adds: 100n }, { most: 100n, adds: 0n }),
  newOfDay: mostly(0, 99, 100),
});

const cases = fc.tuple(mandates, children, others).map(([terms, { leg, hash, ...ofChild }, rest]) => {
  const parent = { ...child().parent, leg, mandate: hash };
  return childFacts({ ...rest, mandate: mandate(terms), child: child({ ...ofChild, parent }) });
});

/** Checks the promises to users about each signature, written independently of the rule. */
function expectPromises(facts: ChildFacts): void {
  const { mandate: terms, child: asked, tally, ended, fees } = facts;
  const leg = terms.legs[asked.parent.leg];
  expect(facts).toMatchObject({ isMandateGenuine: true, isChildGenuine: true, isCancelled: false });
  expect(asked).toMatchObject({ userID: terms.userID, wallet: terms.wallet, side: "sell", token: "0x5FbD" });
  expect([asked.isPrivate, asked.parent.mandate]).toEqual([terms.isPrivate, mandateHash]);
  expect(asked.amount > 0n && asked.amount <= terms.amount).toBe(true);
  // The limit sells at 2 coins a token, and the stop for at least 0.8.
  expect(asked.minAmountOut * 10n >= asked.amount * (leg?.kind === "limit" ? 20n : 8n)).toBe(true);
  expect(Number(asked.maxGasPrice)).toBeLessThanOrEqual(leg?.kind === "limit" ? 10 : 30);
  expect(asked.validUntil).toBeLessThanOrEqual(Math.min(terms.expiresAt, seconds + 60));
  expect(Math.max(terms.createdAt, asked.createdAt)).toBeLessThanOrEqual(nowMs + 5000);
  const { all, wallet } = facts.cutoffs;
  const times = [all?.before, all?.base, wallet?.before].map((time = 0) => time);
  expect(Math.max(...times)).toBeLessThan(terms.createdAt);
  const kind = leg?.kind === "limit" ? "limit" : "stop";
  if (fees.adds > 0n) expect((tally?.fees[kind] ?? 0n) + fees.adds <= 500n).toBe(true);
  if (leg?.kind === "limit") expect(facts.feesOfDay.ofLimits).toBe(0n);
  if (tally === undefined) expect(facts.newOfDay).toBeLessThan(100);
  if (facts.purpose !== "swap") return;
  expect(facts.deadline).toBeLessThanOrEqual(Math.min(asked.validUntil, seconds + 10));
  const dead = ended?.dead.map((each) => each.child) ?? [];
  expect(dead).not.toContain("C1");
  if (tally?.out?.child === "C0") expect(dead).toContain("C0");
  if (!facts.isFirstSwap) return;
  if (tally?.counts[kind].hour === hour)
    expect(tally.counts[kind].n).toBeLessThan(kind === "limit" ? 12 : 60);
}

it("signs nothing beyond what was promised, whatever the records and requests say together", () => {
  let signatures = 0;
  fc.assert(
    fc.property(cases, (facts) => {
      if (objectionToChild(facts, nowMs) !== undefined) return;
      signatures++;
      expectPromises(facts);
    }),
    { numRuns: process.env.FULL === undefined ? 5000 : 50_000 },
  );
  expect(signatures).toBeGreaterThan(20);
});
