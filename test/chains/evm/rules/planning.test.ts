import { describe, expect, it } from "vitest";
import type {
  EvmOrderFacts,
  EvmRouteFacts,
  EvmSnapshot,
} from "../../../../lib/chains/evm/rules/host-snapshot.ts";
import type { EvmIntent, EvmRoute } from "../../../../lib/chains/evm/rules/intent.ts";
import { planFor, swapDeadline } from "../../../../lib/chains/evm/rules/planning.ts";
import type { EvmSlot } from "../../../../lib/chains/evm/rules/slot.ts";
import { child, mandate } from "../../../orders/resting/fixtures.ts";
import { laneView, orderFacts, routeFacts, snapshot } from "../../../support/lane-states.ts";
import { intent, slot, tradeOrder, v2, v3, wideLimits } from "../../../support/trading.ts";

const amount = 10n ** 21n;
const minimum = 10n ** 17n;
const terms: Partial<EvmIntent> = { side: "sell", amount, minAmountOut: minimum, routes: [v3, v2] };
const sale = tradeOrder({ intent: intent(terms), amount });
const otherPool: EvmRoute = { ...v3, feeBps: 100 };

/** A host's facts about a sale that needs no more approvals. Each route pays this many thousandths of the minimum. */
const facts = (
  routes: readonly (Partial<EvmRouteFacts> & { pays: bigint })[],
  rest: Partial<EvmOrderFacts> = {},
) =>
  orderFacts({
    held: amount,
    routes: routes.map(({ pays, ...route }) =>
      routeFacts({ allowance: amount, amountOut: (pays * minimum) / 1000n, ...route }),
    ),
    ...rest,
  });

const nothing = facts([]);
const [good, better, tooLittle] = [1010n, 1020n, 999n];

/** Plans with the hosts in both orders, and expects equal plans. */
function planned(a: EvmOrderFacts, b: EvmOrderFacts, order = sale, slots: readonly EvmSlot[] = []) {
  const [one, other] = [
    [a, b],
    [b, a],
  ].map(([first, second]) => {
    const hosts = [snapshot(first), snapshot(second)] as const;
    const plan = planFor(order, laneView(order, { slots }), hosts, { chainLimits: wideLimits, nowMs: 0 });
    return "slot" in plan ? plan.slot.call : plan;
  });
  expect(one).toEqual(other);
  return one;
}

describe("planFor with one lying host", () => {
  const honest = facts([
    { ...v3, pays: better },
    { ...v2, pays: good },
  ]);

  it("chooses the route with the best output, counting the lower of both hosts' outputs", () => {
    expect(planned(honest, honest)).toMatchObject(v3);
    const low = facts([
      { ...v3, pays: 1005n },
      { ...v2, pays: 5000n },
    ]);
    expect(planned(honest, low)).toMatchObject(v2);
  });

  it("never uses a pool that the order does not name, even if it pays the minimum", () => {
    const lie = facts([{ ...otherPool, pays: 1000n }]);
    expect(planned(honest, lie)).toEqual({ wait: "CHAIN_UNAVAILABLE" });
    const invented = facts([
      { ...otherPool, pays: 9000n },
      { ...v3, pays: better },
    ]);
    expect(planned(honest, invented)).toMatchObject(v3);
  });

  it("waits for a route that the honest host does not quote or quotes below the minimum", () => {
    const lie = facts([{ ...v3, pays: 1000n }]);
    expect(planned(nothing, lie)).toEqual({ wait: "CHAIN_UNAVAILABLE" });
    expect(planned(facts([{ ...v3, pays: tooLittle }]), lie)).toEqual({ wait: "CHAIN_UNAVAILABLE" });
  });

  it("uses the next route if one host hides the best", () => {
    expect(planned(honest, facts([{ ...v2, pays: good }]))).toMatchObject(v2);
  });

  it("ends an order only if no route reaches the minimum at either host", () => {
    const low = facts([{ ...v3, pays: tooLittle }]);
    const ended = (reasonCode: string) => ({ end: { status: "rejected", reasonCode } });
    expect(planned(nothing, nothing)).toEqual(ended("NO_ROUTE"));
    expect(planned(low, low)).toEqual(ended("SLIPPAGE_EXCEEDED"));
    expect(planned(low, nothing)).toEqual(ended("SLIPPAGE_EXCEEDED"));
    for (const lie of [nothing, low]) expect(planned(honest, lie)).toEqual({ wait: "CHAIN_UNAVAILABLE" });
  });

  it("prefers a route that reaches the minimum to a cheaper one that falls short", () => {
    const dear = facts([
      { ...v3, pays: good, networkFee: minimum },
      { ...v2, pays: tooLittle },
    ]);
    expect(planned(dear, dear)).toMatchObject(v3);
  });

  it("buys an unlisted token on v3 only if it pays 1 % more than v2", () => {
    const buy = tradeOrder({ intent: intent({ ...terms, side: "buy", amount: 10n ** 18n }) });
    const pay = (onV3: bigint, onV2: bigint) => {
      const some = [
        { ...v3, pays: onV3 },
        { ...v2, pays: onV2 },
      ];
      const seen = facts(some, { isListed: false });
      return planned(seen, seen, buy);
    };
    expect(pay(1009n, 1000n)).toMatchObject(v2);
    expect(pay(1010n, 1000n)).toMatchObject(v3);
    expect(pay(1008n, tooLittle)).toEqual({ end: { status: "rejected", reasonCode: "SLIPPAGE_EXCEEDED" } });
  });

  it("treats a token as listed only if both hosts say that it is", () => {
    const buy = tradeOrder({ intent: intent({ ...terms, side: "buy", amount: 10n ** 18n }) });
    const some = [
      { ...v3, pays: 1009n },
      { ...v2, pays: 1000n },
    ];
    const [listed, unlisted] = [true, false].map((isListed) => facts(some, { isListed })) as [
      EvmOrderFacts,
      EvmOrderFacts,
    ];
    expect(planned(listed, listed, buy)).toMatchObject(v3);
    expect(planned(listed, unlisted, buy)).toMatchObject(v2);
  });

  it("never moves a buy of an unlisted token to v3 while one host prefers v2", () => {
    const buy = tradeOrder({ intent: intent({ ...terms, side: "buy", amount: 10n ** 18n }) });
    const onV3 = { ...v3, pays: 1020n };
    const seen = (...routes: Parameters<typeof facts>[0]) => facts(routes, { isListed: false });
    const truth = seen(onV3, { ...v2, pays: 1019n });
    const waits = { wait: "CHAIN_UNAVAILABLE" };
    expect(planned(truth, seen(onV3), buy)).toEqual(waits);
    expect(planned(truth, seen(onV3, { ...v2, pays: tooLittle }), buy)).toEqual(waits);
    expect(planned(truth, seen(onV3, { ...v2, pays: 1001n }), buy)).toMatchObject(v2);
  });
});

describe("swapDeadline", () => {
  const placedMs = Date.parse("2026-11-29T12:00:00.900Z");
  const seconds = Math.floor(placedMs / 1000);
  const childOn = (chain: EvmIntent["chain"], leg: number, validUntil = seconds + 60) => {
    const parent = { ...child().parent, leg };
    const { legs } = mandate();
    const of = mandate({ legs: [...legs, { kind: "slice", worst: { coins: 1n, tokens: 2n } }] });
    return { ...tradeOrder({ intent: intent({ chain, parent, validUntil }) }), mandate: of };
  };

  it.each([
    ["eth", "limit", 0, 13],
    ["eth", "stop", 1, 24],
    ["eth", "slice", 2, 24],
    ["base", "limit", 0, 8],
    ["bsc", "stop", 1, 8],
  ] as const)("starts the life of a child on %s that is a %s when it is planned", (chain, _, leg, life) => {
    expect(swapDeadline(childOn(chain, leg), placedMs)).toBe(seconds + life);
    expect(swapDeadline(childOn(chain, leg), placedMs + 20_000)).toBe(seconds + 20 + life);
  });

  it("is the order's deadline if that comes first, and for all other orders", () => {
    expect(swapDeadline(childOn("eth", 1, seconds + 5), placedMs)).toBe(seconds + 5);
    expect(swapDeadline(sale, placedMs)).toBe(sale.intent.validUntil);
  });
});

describe("planFor for a sale that needs an approval", () => {
  const seen = (onV3: bigint, onV2: bigint, changes: Partial<EvmRouteFacts> = {}) =>
    facts([
      { ...v3, pays: onV3, allowance: 0n, ...changes },
      { ...v2, pays: onV2, allowance: 0n },
    ]);
  const approval = (of: EvmRoute, nonce = 5) =>
    slot(
      {
        place: nonce,
        state: "mined",
        call: { purpose: "approve", token: sale.intent.token, router: of.router, amount },
      },
      sale.intent,
    );
  const approved = (...nonces: number[]) => tradeOrder({ ...sale, approveNonces: nonces });

  it("approves the best route's router for the exact amount", () => {
    const call = { purpose: "approve", token: sale.intent.token, router: v3.router, amount };
    expect(planned(seen(better, good), seen(better, good))).toEqual(call);
  });

  it("sets an allowance to 0 first if either host says that the token requires it", () => {
    const rest = { allowance: 1n, wantsZeroFirst: true };
    const call = { purpose: "approve", router: v3.router, amount: 0n };
    expect(planned(seen(better, 0n, { allowance: 1n }), seen(better, 0n, rest))).toMatchObject(call);
  });

  it("waits while the hosts disagree about the chosen router's allowance", () => {
    const rest = { allowance: amount };
    expect(planned(seen(better, good), seen(better, good, rest))).toEqual({ wait: "CHAIN_UNAVAILABLE" });
  });

  it("keeps the approved router while one of its routes reaches the minimum", () => {
    const facts = seen(good, better, { allowance: amount });
    expect(planned(facts, facts, approved(5), [approval(v3)])).toMatchObject({ purpose: "swap", ...v3 });
  });

  it("waits while one host says that the approved router's routes fall short", () => {
    const [yes, no] = [good, tooLittle].map((pays) => seen(pays, better, { allowance: amount }));
    expect(planned(yes as EvmOrderFacts, no as EvmOrderFacts, approved(5), [approval(v3)])).toEqual({
      wait: "CHAIN_UNAVAILABLE",
    });
  });

  it("approves another router if both hosts agree and the order may still make an approval", () => {
    const facts = seen(tooLittle, better, { allowance: amount });
    expect(planned(facts, facts, approved(5), [approval(v3)])).toMatchObject({ router: v2.router, amount });
    const ended = { end: { status: "rejected", reasonCode: "SLIPPAGE_EXCEEDED" } };
    expect(planned(facts, facts, approved(4, 5), [approval(v3)])).toEqual(ended);
  });

  it("ends a sale whose two approvals had no effect", () => {
    const facts = seen(good, better);
    const ended = { end: { status: "rejected", reasonCode: "REVERTED" } };
    expect(planned(facts, facts, approved(4, 5), [approval(v3)])).toEqual(ended);
  });
});

describe("planFor when the balance grows", () => {
  const holding = (held: bigint) => facts([{ ...v3, pays: good }], { held });
  const at = (block: number, held: bigint) =>
    snapshot(holding(held), { latest: { number: block, hash: `0x${block}`, time: block } });
  const planAt = (...hosts: readonly [EvmSnapshot, EvmSnapshot]) => {
    const plan = planFor(sale, laneView(sale), hosts, { chainLimits: wideLimits, nowMs: 0 });
    return "slot" in plan ? [plan.amount, plan.slot.held] : plan;
  };
  const [held, waits] = [amount / 2n, { wait: "CHAIN_UNAVAILABLE" }];
  const most = held + held / 10_000n;

  it("sells the smaller balance if the hosts are at different blocks", () => {
    expect(planAt(at(57, held), at(58, most))).toEqual([held, held]);
    expect(planAt(at(58, most), at(57, held))).toEqual([held, held]);
  });

  it.each([
    [held, { purpose: "swap", amountIn: held }],
    [held - held / 20_000n, { purpose: "swap", amountIn: held - held / 20_000n }],
    [held - held / 5000n, { purpose: "approve", amount: held }],
  ])("sells the approved amount if the balance has since grown slightly: %d", (allowance, call) => {
    const seen = facts([{ ...v3, pays: good, allowance }], { held });
    const approval = slot(
      {
        place: 5,
        state: "mined",
        call: { purpose: "approve", token: sale.intent.token, router: v3.router, amount: allowance },
      },
      sale.intent,
    );
    const approved = tradeOrder({ ...sale, approveNonces: [5] });
    expect(planned(seen, seen, approved, [approval])).toMatchObject(call);
  });

  it("waits if the hosts' balances are too far apart, differ at the same block, or include 0", () => {
    expect(planAt(at(57, held), at(58, most + 1n))).toEqual(waits);
    expect(planAt(at(57, held), at(57, held + 1n))).toEqual(waits);
    expect(planAt(at(57, 0n), at(58, 1n))).toEqual(waits);
  });
});
