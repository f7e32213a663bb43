import { describe, expect, it } from "vitest";
import { objectionToChild } from "../../../lib/orders/resting/child-rule.ts";
import type { Tally } from "../../../lib/orders/resting/mandate.ts";
import { type ChildFacts, hourOf } from "../../../lib/orders/resting/tally.ts";
import { keyId } from "../../support/trading-keys.ts";
import { child, childFacts, mandate, nowMs, trailing } from "./fixtures.ts";

const seconds = nowMs / 1000;
const hour = hourOf(nowMs);

const tally = (changes: Partial<Tally> = {}): Tally => ({
  orderId: mandate().orderId,
  owed: [],
  counts: { limit: { hour, n: 0 }, stop: { hour, n: 0 } },
  fees: { limit: 0n, stop: 0n },
  revision: 1,
  expiresAt: seconds + 90_000,
  ...changes,
});

const signed = (orderId: string, most = 100n) =>
  ({ child: orderId, kind: "stop", amount: 0n, most, day: "2026-11-29" }) as const;

const ended = (...children: string[]) => ({
  orderId: mandate().orderId,
  dead: children.map((each) => ({ child: each, how: "failed" as const, block: 7 })),
  expiresAt: seconds + 90_000,
  revision: 1,
});

const parent = (changes: Partial<ReturnType<typeof child>["parent"]>) => ({
  child: child({ parent: { ...child().parent, ...changes } }),
});

/** A trailing stop as the only leg, and its child, which asks for as much as that leg does. */
const ofTrailing = (changes: Partial<ReturnType<typeof child>> = {}) => ({
  mandate: mandate({ legs: [trailing] }),
  child: child({ parent: { ...child().parent, leg: 0 }, minAmountOut: 720n, ...changes }),
});

/** The second of two slices that sell at 0.5 coins a token, and the mandate. */
const ofSlice = (changes: Partial<ReturnType<typeof child>> = {}) => ({
  mandate: mandate({
    legs: [{ kind: "slice", worst: { coins: 1n, tokens: 2n } }],
    slices: { count: 2, everySeconds: 60 },
  }),
  child: child({
    parent: { ...child().parent, leg: 0, slice: 2 },
    amount: 500n,
    minAmountOut: 250n,
    ...changes,
  }),
});

/** A child of the limit, which asks for as much as that leg does. */
const ofLimit = (changes: Partial<ReturnType<typeof child>> = {}) =>
  child({ parent: { ...child().parent, leg: 0 }, minAmountOut: 2000n, ...changes });

const onSol = (changes: Partial<ChildFacts> = {}) => {
  const { maxGasPrice: _, ...of } = mandate({ chain: "sol" });
  const { maxGasPrice: __, ...terms } = child({}, of);
  return childFacts({ mandate: of, child: terms, deadline: undefined, ...changes });
};

const objectionTo = (changes: Partial<ChildFacts>) => objectionToChild(childFacts(changes), nowMs);

/** What the signer knows after the first slice, and about an hour with many of them. */
const ofFirst = tally({
  slices: [{ slice: 1, child: "C0" }],
  owed: [signed("C0")],
  counts: { ...tally().counts, limit: { hour, n: 60 } },
});

const refusals: readonly (readonly [string, Partial<ChildFacts>])[] = [
  ["a mandate that placeOrder did not make", { isMandateGenuine: false }],
  ["a child that fireOrders did not make", { isChildGenuine: false }],
  ["a child of another mandate", parent({ mandate: "cd".repeat(32) })],
  ["a child of another resting order", parent({ orderId: "other" })],
  ["a child by a program for a mandate of its user", { child: child({ by: keyId }) }],
  ["a child of the user for a mandate by a program", { mandate: mandate({ by: keyId }) }],
  ["a child of another user", { child: child({ userID: "bob" }) }],
  ["a child on another chain", { child: child({ chain: "bsc" }) }],
  ["a child of another wallet", { child: child({ wallet: "0xAD" }) }],
  ["a purchase for a mandate to sell", { child: child({ side: "buy" }) }],
  ["a child of another token", { child: child({ token: "0xAD" }) }],
  ["a public child of a private mandate", { mandate: mandate({ isPrivate: true }) }],
  ["a leg that the mandate lacks", parent({ leg: 2 })],
  ["more than the mandate's amount", { child: child({ amount: 1001n }) }],
  ["an amount of 0", { child: child({ amount: 0n }) }],
  ["less than the worst price", { child: child({ minAmountOut: 799n }) }],
  ["less than the price of a limit", { child: ofLimit({ minAmountOut: 1999n }) }],
  ["less than the worst price of a trailing stop", ofTrailing({ minAmountOut: 719n })],
  ["more than the amount of a slice", ofSlice({ amount: 501n, minAmountOut: 251n })],
  ["less than the price of a slice", ofSlice({ minAmountOut: 249n })],
  ["a gas price above the limit of a slice's user", ofSlice({ maxGasPrice: 11n })],
  ["a gas price above three times the limit of a stop's user", { child: child({ maxGasPrice: 31n }) }],
  ["a gas price above the limit of a limit order's user", { child: ofLimit({ maxGasPrice: 11n }) }],
  ["a child that outlives its mandate", { mandate: mandate({ expiresAt: seconds + 59 }) }],
  ["a swap without a deadline", { deadline: undefined }],
  ["a deadline beyond the child's", { child: child({ validUntil: seconds + 7 }) }],
  [
    "a deadline that differs from that of the first signature",
    { first: { signedAtMs: nowMs - 2000, deadline: seconds + 6 }, isFirstSwap: false },
  ],
];

const upTo = (time: number) => ({ userID: "alice", before: time });

const ofOther = tally({ slices: [{ slice: 2, child: "C0" }] });

/** Names the predecessor that fireOrders has seen dead. */
const childAfter = (after: string) => child({ parent: { ...child().parent, after } });

const executorSays = (orderId: string) => ({
  tally: tally({ out: signed(orderId) }),
  ended: ended(orderId),
});

const postponements: readonly (readonly [string, Partial<ChildFacts>])[] = [
  ["a mandate from the future", { mandate: mandate({ createdAt: nowMs + 5001 }) }],
  ["a child from the future", { child: child({ createdAt: nowMs + 5001 }) }],
  ["a child that lives longer than a minute", { child: child({ validUntil: seconds + 61 }) }],
  ["a deadline beyond the life of a swap", { deadline: seconds + 11 }],
  ["a cancelled order", { isCancelled: true }],
  ["an order that a cancellation of all covers", { cutoffs: { all: upTo(nowMs - 60_000) } }],
  ["an order of a wallet retired since", { cutoffs: { wallet: upTo(nowMs - 60_000) } }],
  ["an exit whose buy was never signed", { mandate: mandate({ exit: { of: "BUY", sharePpm: 1n } }) }],
  ["a slice of which another child is signed", { ...ofSlice(), tally: ofOther }],
  ["a slice before its time", { ...ofSlice(), mandate: { ...ofSlice().mandate, createdAt: nowMs - 59_999 } }],
  ["a second child while the first may fill", { tally: tally({ out: signed("C0") }) }],
  ["a second child if only executeOrders says that the first is dead", { ...executorSays("C0") }],
  [
    "a second child if only fireOrders says so",
    { child: childAfter("C0"), tally: tally({ out: signed("C0") }) },
  ],
  [
    "a second child if executeOrders says that the first has filled",
    {
      child: childAfter("C0"),
      tally: tally({ out: signed("C0") }),
      ended: { ...ended(), filled: [{ child: "C0", paid: 0n }] },
    },
  ],
  ["a child that was kept back until its successor was signed", { ...executorSays("C2") }],
  ["a second child if another one is dead", { tally: tally({ out: signed("C0") }), ended: ended("C9") }],
  ["a child that is dead", { tally: tally({ out: signed("C0") }), ended: ended("C0", "C1") }],
  [
    "a stop's 61st swap in an hour",
    { tally: tally({ counts: { ...tally().counts, stop: { hour, n: 60 } } }) },
  ],
  [
    "a limit's 13th swap in an hour",
    { child: ofLimit(), tally: tally({ counts: { ...tally().counts, limit: { hour, n: 12 } } }) },
  ],
  ["fees above the mandate's", { tally: tally({ fees: { limit: 0n, stop: 401n } }) }],
  [
    "a limit's fees above half of the day's",
    { child: ofLimit(), feesOfDay: { adds: 100n, ofLimits: 4901n, limit: 10_000n } },
  ],
  [
    "an order of a chain whose orders are cancelled",
    { cutoffs: { all: { userID: "alice", base: nowMs - 60_000 } } },
  ],
  ["the first child of a 101st resting order on one day", { newOfDay: 100 }],
  ["its approval", { newOfDay: 100, purpose: "approve", deadline: undefined }],
];

describe("objectionToChild", () => {
  it.each<[string, ChildFacts]>([
    ["the first swap of a stop", childFacts()],
    ["the first swap of a limit", childFacts({ child: ofLimit() })],
    ["a slice, although another one may fill", childFacts({ ...ofSlice(), tally: ofFirst })],
    ["a trailing stop at its worst price", childFacts(ofTrailing({ maxGasPrice: 30n }))],
    ["a stop's gas price of three times the user's", childFacts({ child: child({ maxGasPrice: 30n }) })],
    ["a deadline of 10 seconds", childFacts({ deadline: seconds + 10 })],
    [
      "another attempt at the same swap",
      childFacts({
        first: { signedAtMs: nowMs - 2000, deadline: seconds + 8 },
        isFirstSwap: false,
        tally: tally({ out: signed("C1") }),
      }),
    ],
    [
      "another attempt at the last swap of an hour",
      childFacts({
        first: { signedAtMs: nowMs - 2000, deadline: seconds + 8 },
        isFirstSwap: false,
        tally: tally({ out: signed("C1"), counts: { ...tally().counts, stop: { hour, n: 60 } } }),
      }),
    ],
    [
      "a child whose predecessor is dead",
      childFacts({ child: childAfter("C0"), tally: tally({ out: signed("C0") }), ended: ended("C0") }),
    ],
    [
      "a stop, whatever limits have used up",
      childFacts({
        tally: tally({
          counts: { ...tally().counts, limit: { hour, n: 12 } },
          fees: { limit: 500n, stop: 400n },
        }),
        feesOfDay: { adds: 100n, ofLimits: 10_000n, limit: 10_000n },
      }),
    ],
    [
      "the first swap of the next hour",
      childFacts({ tally: tally({ counts: { ...tally().counts, stop: { hour: hour - 1, n: 60 } } }) }),
    ],
    [
      "a child after a cancellation of all that came before its order",
      childFacts({ cutoffs: { all: upTo(nowMs - 60_001), wallet: upTo(nowMs - 60_001) } }),
    ],
    [
      "an approval while another child's swap is signed",
      childFacts({ purpose: "approve", deadline: undefined, tally: tally({ out: signed("C0") }) }),
    ],
    [
      "a mandate and a child that are 5 seconds ahead",
      childFacts({
        mandate: mandate({ createdAt: nowMs + 5000 }),
        child: child({ createdAt: nowMs + 5000 }),
      }),
    ],
  ])("signs %s", (_, facts) => {
    expect(objectionToChild(facts, nowMs)).toBeUndefined();
  });

  it.each(refusals)("refuses %s for good", (_, changes) => {
    expect(objectionTo(changes)).toHaveProperty("refused");
  });

  it.each(postponements)("refuses %s for now", (_, changes) => {
    expect(objectionTo(changes)).toHaveProperty("later");
  });

  it.each(
    [...refusals, ...postponements]
      .filter(([, { deadline, first, tally: known, newOfDay }]) =>
        [
          deadline,
          first,
          known?.out,
          known?.counts.stop.n || undefined,
          known?.counts.limit.n || undefined,
          newOfDay,
        ].every((each) => each === undefined),
      )
      .filter(([, changes]) => !("deadline" in changes) && changes.child?.validUntil !== seconds + 7),
  )("refuses an approval for %s", (_, changes) => {
    expect(objectionTo({ purpose: "approve", ...changes })).toBeDefined();
  });

  it("lets the clear of any child on an EVM chain pass, because it can only free the wallet", () => {
    for (const [, changes] of [...refusals, ...postponements])
      expect(objectionTo({ ...changes, purpose: "clear" })).toBeUndefined();
  });

  describe("a clear on sol, which uses up the marker of the resting order", () => {
    const clearing = (changes: Partial<ChildFacts> = {}) =>
      objectionToChild(onSol({ purpose: "clear", ...changes }), nowMs);
    const covered = { cutoffs: { wallet: upTo(nowMs - 60_000) } };

    it("passes once the order is cancelled, by itself or with others, or its wallet is retired", () => {
      expect(clearing({ isCancelled: true })).toBeUndefined();
      expect(clearing({ isCancelled: true, isMandateGenuine: false })).toBeUndefined();
      expect(clearing({ cutoffs: { all: upTo(nowMs - 60_000) } })).toBeUndefined();
      expect(clearing(covered)).toBeUndefined();
    });

    it.each<[string, Partial<ChildFacts>]>([
      ["the order rests on", {}],
      [
        "its child was placed before a cancellation of all, but the order after it",
        {
          cutoffs: { all: upTo(nowMs - 60_001) },
        },
      ],
      ["the mandate that a cancellation covers is forged", { ...covered, isMandateGenuine: false }],
      ["that mandate is another order's", { ...covered, mandateHash: "cd".repeat(32) }],
    ])("waits while %s", (_, changes) => {
      expect(clearing(changes)).toHaveProperty("later");
    });
  });

  it("gives swaps on eth 24 seconds, and those of limits 13", () => {
    const eth = mandate({ chain: "eth" });
    const at = (life: number, leg: number) =>
      objectionTo({
        mandate: eth,
        child: leg === 0 ? ofLimit({ chain: "eth" }) : child({}, eth),
        deadline: seconds + life + 2,
      });
    expect([at(24, 1), at(13, 0)]).toEqual([undefined, undefined]);
    expect([at(25, 1), at(14, 0)]).toEqual([{ later: expect.any(String) }, { later: expect.any(String) }]);
  });

  it("signs children of two legs side by side on sol, where the marker decides", () => {
    const beside = onSol({ tally: tally({ owed: [signed("C0")] }) });
    expect(objectionToChild(beside, nowMs)).toBeUndefined();
    expect(objectionToChild({ ...beside, tally: tally({ out: signed("C0") }) }, nowMs)).toBeUndefined();
  });

  it("signs no message on sol later than 8 seconds after the child's first", () => {
    const later = (ms: number) => onSol({ first: { signedAtMs: nowMs - ms }, isFirstSwap: false });
    expect(objectionToChild(later(8000), nowMs)).toBeUndefined();
    expect(objectionToChild(later(8001), nowMs)).toHaveProperty("later");
  });

  it("signs a transaction that adds no fees even if these are used up", () => {
    const used = { tally: tally({ out: signed("C1"), fees: { limit: 0n, stop: 900n } }), isFirstSwap: false };
    expect(objectionTo({ ...used, fees: { most: 100n, adds: 0n } })).toBeUndefined();
    expect(objectionTo(used)).toHaveProperty("later");
  });

  it("counts what a dead child has paid in place of what it could pay, once that is final", () => {
    const owing = tally({ owed: [signed("C0", 401n)], fees: { limit: 0n, stop: 401n } });
    const final = {
      ...ended(),
      dead: [{ child: "C0", how: "failed" as const, block: 7, final: true as const, paid: 400n }],
      expiresAt: seconds + 90_000,
    };
    expect(objectionTo({ tally: owing, ended: ended("C0") })).toHaveProperty("later");
    expect(objectionTo({ tally: owing, ended: final })).toBeUndefined();
  });
});
