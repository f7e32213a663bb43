import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  counted,
  type DayFeeLimits,
  type DaySpend,
  feesOfDay,
  loosens,
  objectionOf,
  openPolicy,
  type PolicyState,
  policyAfter,
  policyAt,
  restOfDay,
  rulesAt,
  type WalletPolicy,
} from "../../lib/orders/wallet-policy.ts";
import { freeFees, wideLimits } from "../support/trading.ts";

const nowMs = Date.parse("2026-11-22T09:00:00.000Z");
const hourMs = 60 * 60_000;
const dayMs = 24 * hourMs;
const at = (ms: number) => new Date(ms).toISOString();

const policy = (changes: Partial<WalletPolicy> = {}): WalletPolicy => ({ ...openPolicy, ...changes });
const small = policy({ maxPerOrder: 1n });
const large = policy({ maxPerOrder: 100n });

/** Returns the state after several requests, some hours apart. Pending policies may come into force between them. */
function requested(state: PolicyState, ...requests: (readonly [hours: number, asked: WalletPolicy])[]) {
  let time = nowMs;
  let current = state;
  for (const [hours, asked] of requests) {
    time += hours * hourMs;
    current = policyAfter(policyAt(current, time), asked, time);
  }
  return current;
}

describe("policyAt", () => {
  it("allows everything for a wallet without a policy", () => {
    expect(policyAt(undefined, nowMs)).toEqual({ policy: { tokens: "any", tradingEnabled: true } });
  });

  it("applies a pending policy when its time comes", () => {
    const stored = { policy: small, pending: { policy: large, effectiveAt: at(nowMs) } };
    expect(policyAt(stored, nowMs - 1)).toEqual(stored);
    expect(policyAt(stored, nowMs)).toEqual({ policy: large });
  });
});

describe("policyAfter", () => {
  it("tightens a policy at once", () => {
    expect(requested({ policy: large }, [0, small])).toEqual({ policy: small });
  });

  it("loosens a policy after 24 hours", () => {
    const pending = { policy: large, effectiveAt: at(nowMs + dayMs) };
    expect(requested({ policy: small }, [0, large])).toEqual({ policy: small, pending });
  });

  it("applies the stricter value of each field until a pending policy is in force", () => {
    const before = policy({ maxPerOrder: 5n, maxPerDay: 10n, tokens: ["A", "B"], maxSlippage: 2n });
    const asked = policy({
      maxPerOrder: 9n,
      maxPerDay: 7n,
      tokens: ["C", "B"],
      maxSlippage: 1n,
      tradingEnabled: false,
    });
    const { policy: inForce, pending } = requested({ policy: before }, [0, asked]);
    expect(inForce).toEqual({
      maxPerOrder: 5n,
      maxPerDay: 7n,
      tokens: ["B"],
      maxSlippage: 1n,
      tradingEnabled: false,
    });
    expect(pending).toEqual({ policy: asked, effectiveAt: at(nowMs + dayMs) });
  });

  it.each<[string, Partial<WalletPolicy>, Partial<WalletPolicy>]>([
    ["no limit of an order", { maxPerOrder: 5n }, {}],
    ["no limit of a day", { maxPerDay: 5n }, {}],
    ["any token", { tokens: ["A"] }, {}],
    ["another token", { tokens: ["A"] }, { tokens: ["B"] }],
    ["more slippage", { maxSlippage: 1n }, { maxSlippage: 2n }],
    ["any slippage", { maxSlippage: 1_000_000n }, {}],
    ["trading", { tradingEnabled: false }, {}],
  ])("delays a policy that newly allows %s", (_, before, asked) => {
    const { pending } = requested({ policy: policy(before) }, [0, policy(asked)]);
    expect(pending?.effectiveAt).toBe(at(nowMs + dayMs));
  });

  it("keeps the time of a pending policy if the new one allows less", () => {
    const less = policy({ maxPerOrder: 50n });
    const { pending } = requested({ policy: small }, [0, large], [23, less]);
    expect(pending).toEqual({ policy: less, effectiveAt: at(nowMs + dayMs) });
  });

  it("restarts the 24 hours if the new policy allows more, even twice a day", () => {
    const more = policy({ maxPerOrder: 101n });
    expect(requested({ policy: small }, [0, large], [23, more]).pending?.effectiveAt).toBe(
      at(nowMs + 47 * hourMs),
    );
    const other = policy({ maxPerOrder: 50n, maxPerDay: 1n, tokens: ["A"] });
    expect(requested({ policy: other }, [0, large], [1, large], [1, other]).pending).toBeUndefined();
  });

  it.each([
    ["the policy in force", small],
    ["a tighter one", policy({ maxPerOrder: 1n, tokens: [] })],
  ])("drops the pending policy when the user requests %s", (_, asked) => {
    expect(requested({ policy: small }, [0, large], [1, asked])).toEqual({ policy: asked });
  });

  it("allows large losses after 24 hours, and forbids them at once", () => {
    const any = policy({ anyLoss: true });
    const pending = { policy: any, effectiveAt: at(nowMs + dayMs) };
    expect(requested({ policy: openPolicy }, [0, any])).toEqual({ policy: openPolicy, pending });
    expect(requested({ policy: any }, [0, openPolicy])).toEqual({ policy: openPolicy });
  });

  it("ignores the order of tokens in a list", () => {
    const [one, other] = [policy({ tokens: ["A", "B"] }), policy({ tokens: ["B", "A"] })];
    expect(requested({ policy: one }, [0, other])).toEqual({ policy: other });
  });

  const limit = fc.option(fc.bigInt({ min: 1n, max: 4n }), { nil: undefined });
  const policies: fc.Arbitrary<WalletPolicy> = fc
    .record({
      maxPerOrder: limit,
      maxPerDay: limit,
      // The minimums of orders are 1 to 4 of 4 quoted units.
      maxSlippage: fc.option(fc.constantFrom(250_000n, 500_000n, 750_000n), { nil: undefined }),
      tokens: fc.oneof(fc.constant("any" as const), fc.subarray(["A", "B", "C"])),
      anyLoss: fc.boolean(),
      tradingEnabled: fc.boolean(),
    })
    .map(({ maxPerOrder, maxPerDay, maxSlippage, anyLoss, ...rest }) => ({
      ...rest,
      ...(maxPerOrder !== undefined && { maxPerOrder }),
      ...(maxPerDay !== undefined && { maxPerDay }),
      ...(maxSlippage !== undefined && { maxSlippage }),
      ...(anyLoss && { anyLoss: true as const }),
    }));
  const orders = fc.record({
    side: fc.constantFrom("buy", "buy", "sell"),
    token: fc.constantFrom("A", "B", "C"),
    amount: fc.bigInt({ min: 1n, max: 5n }),
    adds: fc.bigInt({ min: 1n, max: 6n }),
    minAmountOut: fc.bigInt({ min: 1n, max: 4n }),
    quotedOut: fc.constant(4n),
  });
  const spents = fc.bigInt({ min: 0n, max: 4n });
  const requests = fc.array(fc.record({ hours: fc.nat(20), asked: policies }), {
    minLength: 1,
    maxLength: 8,
  });

  it("allows nothing that any request of the last 24 hours has forbidden or left out", () => {
    fc.assert(
      fc.property(policies, requests, fc.nat(30), orders, spents, (first, sequence, later, order, spent) => {
        const allows = (each: WalletPolicy) =>
          objectionOf({ policy: each, spent, fees: freeFees }, order) === undefined;
        const asked: { ms: number; policy: WalletPolicy }[] = [];
        const inForce: { ms: number; policy: WalletPolicy }[] = [{ ms: nowMs, policy: first }];
        let state: PolicyState = { policy: first };
        let ms = nowMs;
        for (const each of sequence) {
          ms += each.hours * hourMs;
          const before = policyAt(state, ms);
          inForce.push({ ms, policy: before.policy });
          state = policyAfter(before, each.asked, ms);
          asked.push({ ms, policy: each.asked });
          inForce.push({ ms, policy: state.policy });
          expect(allows(state.policy)).toBe(allows(before.policy) && allows(each.asked));
        }
        const endMs = ms + later * hourMs;
        if (!allows(policyAt(state, endMs).policy)) return;
        const isRecent = (each: { ms: number }) => each.ms > endMs - dayMs;
        for (const request of asked.filter(isRecent)) expect(allows(request.policy)).toBe(true);
        const isForbidden = inForce.filter(isRecent).some((each) => !allows(each.policy));
        // Everything that is allowed was requested at least 24 hours ago, and in every request since then.
        const since = asked.findLastIndex((each) => !allows(each.policy)) + 1;
        if (isForbidden) expect(asked[since]?.ms).toBeLessThanOrEqual(endMs - dayMs);
      }),
      { numRuns: 2000 },
    );
  });
});

describe("objectionOf", () => {
  const strict = policy({ maxPerOrder: 5n, maxPerDay: 10n, tokens: ["A"] });
  const order = { side: "buy", token: "A", amount: 1n, adds: 2n } as const;

  it.each([
    ["exactly the most of an order and of a day", { amount: 5n, adds: 6n }, 4n, undefined],
    ["a token that is not listed", { token: "B" }, 0n, "tokens"],
    ["more than the limit of an order", { amount: 6n }, 0n, "maxPerOrder"],
    ["more than is left of the day, with its network fee", { amount: 5n, adds: 6n }, 5n, "maxPerDay"],
    ["an amount that the day has counted already", { amount: 5n, adds: undefined }, 99n, undefined],
  ])("checks a buy of %s, and allows the same sale", (_, changes, spent, rule) => {
    const rules = { policy: strict, spent, fees: freeFees };
    expect(objectionOf(rules, { ...order, ...changes })?.rule).toBe(rule);
    expect(objectionOf(rules, { ...order, ...changes, side: "sell" })).toBeUndefined();
  });

  it.each(["buy", "sell"] as const)(
    "forbids every %s if trading is off or the switch is unreadable",
    (side) => {
      for (const tradingEnabled of [false, "yes" as unknown as boolean])
        expect(
          objectionOf({ policy: policy({ tradingEnabled }), spent: 0n, fees: freeFees }, { ...order, side }),
        ).toEqual({
          rule: "tradingEnabled",
        });
    },
  );

  it("names the day's limit, and the day's total including the new buy", () => {
    expect(
      objectionOf({ policy: strict, spent: 6n, fees: freeFees }, { ...order, amount: 4n, adds: 5n }),
    ).toMatchObject({
      limit: 10n,
      requested: 11n,
    });
  });

  it.each<[slippage: bigint, minAmountOut: bigint, quotedOut: bigint, requested: bigint | undefined]>([
    [10_000n, 99n, 100n, undefined],
    [10_000n, 98n, 100n, 20_000n],
    [1n, 999_999n, 10n ** 6n, undefined],
    [1n, 999_998n, 10n ** 6n, 2n],
    [1_000_000n, 1n, 10n ** 6n, undefined],
    // The service rounds a minimum down, and never below one unit.
    [10_000n, 98n, 99n, undefined],
    [10_000n, 1n, 1n, undefined],
    // The excess is rounded up, so that it stays above the limit.
    [10_000n, 989_999_999n, 10n ** 9n, 10_001n],
    [0n, 1n, 3n, 666_667n],
  ])(
    "compares %s millionths of slippage with a minimum of %s for a quote of %s",
    (maxSlippage, minAmountOut, quotedOut, requested) => {
      for (const side of ["buy", "sell"] as const)
        expect(
          objectionOf(
            { policy: policy({ maxSlippage }), spent: 0n, fees: freeFees },
            { ...order, side, minAmountOut, quotedOut },
          ),
        ).toEqual(requested && { rule: "maxSlippage", limit: maxSlippage, requested });
    },
  );

  it("checks no minimum before there is a quote", () => {
    expect(
      objectionOf({ policy: policy({ maxSlippage: 1n }), spent: 0n, fees: freeFees }, order),
    ).toBeUndefined();
  });
});

describe("counted", () => {
  const key = { userID: "alice", chain: "eth", wallet: "0xA1" } as const;
  const first = counted(key, undefined, { adds: 3n, fees: 1n, swapOf: "o1", nowMs });

  it("adds up the amounts signed on a day, and keeps the total for a week", () => {
    expect(first).toEqual({
      ...key,
      day: "2026-11-22",
      spent: 3n,
      networkFees: 1n,
      newestOrderId: "o1",
      revision: 1,
      expiresAt: Date.parse("2026-11-30") / 1000,
    } satisfies DaySpend);
    const second = counted(key, first, { adds: 4n, fees: 2n, swapOf: "o2", nowMs: nowMs + hourMs });
    expect(second).toMatchObject({ spent: 7n, networkFees: 3n, newestOrderId: "o2", revision: 2 });
  });

  it("remembers the order whose swap was counted last", () => {
    expect(counted(key, first, { fees: 0n, adds: 4n, nowMs })).toMatchObject({
      spent: 7n,
      newestOrderId: "o1",
    });
    expect(counted(key, undefined, { fees: 0n, adds: 4n, nowMs })).not.toHaveProperty("newestOrderId");
  });

  it("starts a new count at midnight UTC", () => {
    const midnightMs = Date.parse("2026-11-23");
    const second = counted(key, first, { adds: 4n, fees: 2n, swapOf: "o2", nowMs: midnightMs });
    expect(second).toMatchObject({ day: "2026-11-23", spent: 4n, networkFees: 2n });
  });
});

describe("restOfDay", () => {
  const key = { userID: "alice", chain: "eth", wallet: "0xA1" } as const;
  const count = counted(key, undefined, { fees: 0n, adds: 3n, nowMs });

  it.each([
    [undefined, undefined],
    [5n, 2n],
    // Fees of sales may exceed the limit.
    [2n, 0n],
  ])("computes for a limit of %s that %s is left", (maxPerDay, rest) => {
    const limited = policy(maxPerDay === undefined ? {} : { maxPerDay });
    expect(restOfDay({ stored: { ...key, policy: limited, revision: 1 }, count }, nowMs)).toBe(rest);
  });
});

describe("the limit of a day's network fees", () => {
  const key = { userID: "alice", chain: "eth", wallet: "0xA1" } as const;
  const limit = (maxNetworkFeesPerDay: bigint | undefined, chainLimits: DayFeeLimits) => {
    const changes = maxNetworkFeesPerDay === undefined ? {} : { maxNetworkFeesPerDay };
    const stored = { ...key, policy: policy(changes), revision: 1 };
    return feesOfDay({ stored, count: undefined }, nowMs, chainLimits).limit;
  };

  it.each([
    ["ten transactions' by default", undefined, { maxNetworkFee: 3n }, 30n],
    ["the operators'", undefined, { maxNetworkFee: 3n, maxNetworkFeesPerDay: 5n }, 5n],
    ["the owner's, if lower", 1n, { maxNetworkFee: 3n }, 1n],
    ["the owner's, if higher", 3000n, { maxNetworkFee: 3n }, 3000n],
    ["a hundred times the operators' at most", 3001n, { maxNetworkFee: 3n }, 3000n],
  ])("is %s", (_, own, chainLimits, expected) => {
    expect(limit(own, chainLimits)).toBe(expected);
  });

  const fees = (maxNetworkFeesPerDay: bigint, changes: Partial<WalletPolicy> = {}) =>
    policy({ ...changes, maxNetworkFeesPerDay });

  it("raises and lowers the limit of network fees at once, while other limits wait", () => {
    expect(requested({ policy: small }, [0, fees(9n, { maxPerOrder: 1n })])).toEqual({
      policy: fees(9n, { maxPerOrder: 1n }),
    });
    const effectiveAt = at(nowMs + dayMs);
    const pending = { policy: fees(9n, { maxPerOrder: 100n }), effectiveAt };
    const waiting = { policy: fees(9n, { maxPerOrder: 1n }), pending };
    expect(requested({ policy: small }, [0, large], [0, fees(9n, { maxPerOrder: 100n })])).toEqual(waiting);
    expect(requested({ policy: fees(9n) }, [0, openPolicy])).toEqual({ policy: openPolicy });
  });

  it.each([
    ["sets it", openPolicy, fees(1n), true],
    ["raises it", fees(1n), fees(2n), true],
    ["drops it", fees(1n), openPolicy, true],
    ["lowers it", fees(2n), fees(1n), false],
    ["keeps it", fees(2n), fees(2n, { maxPerOrder: 1n }), false],
    ["freezes and drops it", fees(1n), policy({ tradingEnabled: false }), false],
    ["freezes and raises it", fees(1n), fees(2n, { tradingEnabled: false }), true],
    [
      "can be raised while the wallet is frozen",
      fees(1n, { tradingEnabled: false }),
      fees(2n, { tradingEnabled: false }),
      true,
    ],
  ])(
    "reports whether the limit of network fees is looser for a user who %s: %#",
    (_, before, asked, isLooser) => {
      expect(loosens({ policy: before }, policyAfter({ policy: before }, asked, nowMs))).toBe(isLooser);
    },
  );

  it("reports a raised limit even if another policy is pending", () => {
    const frozen = policy({ tradingEnabled: false });
    const waiting = policyAfter({ policy: frozen }, openPolicy, nowMs);
    const raised = policyAfter(waiting, fees(5n), nowMs + 1);
    expect(raised.pending?.effectiveAt).toBe(waiting.pending?.effectiveAt);
    expect(loosens(waiting, raised)).toBe(true);
  });
});

describe("rulesAt", () => {
  const key = { userID: "alice", chain: "eth", wallet: "0xA1" } as const;
  const count = counted(key, undefined, { fees: 0n, adds: 3n, swapOf: "o1", nowMs });
  const pending = { policy: large, effectiveAt: at(nowMs + hourMs) };
  const stored = { ...key, policy: small, pending, revision: 1 };

  it("returns the policy in force and the amount signed that day", () => {
    expect(rulesAt({ stored, count }, nowMs, wideLimits)).toEqual({
      policy: small,
      spent: 3n,
      fees: freeFees,
    });
    expect(rulesAt({ stored, count }, nowMs + dayMs, wideLimits)).toEqual({
      policy: small,
      spent: 0n,
      fees: { ...freeFees, resetsAt: "2026-11-24T00:00:00.000Z" },
    });
  });

  it("does not apply a pending policy until loosenGuards does, even if that happens late", () => {
    expect(rulesAt({ stored, count }, nowMs + 30 * dayMs, wideLimits).policy).toBe(small);
  });

  it("allows everything for a wallet without stored limits", () => {
    const rules = rulesAt({ stored: undefined, count: undefined }, nowMs, wideLimits);
    expect(rules).toEqual({ policy: openPolicy, spent: 0n, fees: freeFees });
  });
});
