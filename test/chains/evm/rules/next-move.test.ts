import { describe, expect, it } from "vitest";
import { clearGas } from "../../../../lib/chains/evm/rules/fees.ts";
import type { EvmOrderFacts, EvmSnapshot } from "../../../../lib/chains/evm/rules/host-snapshot.ts";
import type { EvmFees } from "../../../../lib/chains/evm/rules/intent.ts";
import { emptyEvmLedger } from "../../../../lib/chains/evm/rules/ledger.ts";
import { nextEvmMove, wantsFacts } from "../../../../lib/chains/evm/rules/next-move.ts";
import { objectionToTransaction } from "../../../../lib/chains/evm/rules/signing-rules.ts";
import { type EvmAttempt, type EvmSlot, mostFeeOf } from "../../../../lib/chains/evm/rules/slot.ts";
import type { Items, ItemWrite } from "../../../../lib/orders/table-step.ts";
import { child, mandate } from "../../../orders/resting/fixtures.ts";
import {
  gwei,
  laneStateOf,
  laneView,
  orderFacts,
  routeFacts,
  seconds,
  signedOrder,
  snapshot,
} from "../../../support/lane-states.ts";
import { intent, signedFee, signingView, slot, tradeOrder, wideLimits } from "../../../support/trading.ts";

/** Returns the fees of the signature that a move requests. */
function feesAsked(move: ReturnType<typeof nextEvmMove>): EvmFees {
  if (move.kind !== "sign") throw new Error(`The next move is to ${move.kind}`);
  return move.request.fees;
}

type Written = Extract<ItemWrite, { kind: "put" }>;

/** Returns the item of this kind that a move writes. */
function written<Kind extends Written["of"]>(move: ReturnType<typeof nextEvmMove>, kind: Kind) {
  const writes = move.kind === "write" ? move.step : [];
  const put = writes.find((write): write is Written => write.kind === "put" && write.of === kind);
  if (put === undefined) throw new Error(`The move to ${move.kind} writes no ${kind}`);
  return put.item as Items[Kind];
}

const slotPlanned = (move: ReturnType<typeof nextEvmMove>) => written(move, "slot") as EvmSlot;
const lifeWritten = (move: ReturnType<typeof nextEvmMove>) => written(move, "order").life;

/** Marks the swap as sent by this run. */
const sendings = new Map([["0x1", 1]]);

/** Makes a lane with an order that has ended, and whose swap must be cleared. */
function laneToClear(estimates: readonly (bigint | undefined)[], attempt: Partial<EvmAttempt> = {}) {
  const late = seconds + 86_400;
  const { order, slot } = signedOrder({ attempt });
  const life = { ...order.life, status: "expired", stage: "done", reasonCode: "NOT_INCLUDED" } as const;
  const [a, b] = estimates.map((clearGas) =>
    snapshot(undefined, {
      latest: { number: 9999, hash: "0xb9999", time: late },
      ...(clearGas !== undefined && { clearGas }),
    }),
  );
  const view = laneView({ ...order, life }, { slots: [slot] });
  return laneStateOf(view, {
    snapshots: [a, b],
    nowMs: late * 1000,
    chainLimits: { maxNetworkFee: 1n },
  });
}

describe("nextEvmMove", () => {
  it.each<[string, readonly (bigint | undefined)[], bigint | undefined]>([
    ["the usual gas if no host estimates more", [21_000n, undefined], undefined],
    ["the usual gas if hosts estimate less", [6_000n, 6_000n], undefined],
    ["the higher of two estimates", [25_000n, 30_000n], 30_000n],
    ["twice the usual gas at most", [21_000n, 10n ** 12n], 42_000n],
  ])("clears a nonce with %s", (_, estimates, clearGas) => {
    const move = nextEvmMove(laneToClear(estimates));
    expect(move).toMatchObject({ kind: "sign", request: { purpose: "clear" } });
    expect((move as { request: { clearGas?: bigint } }).request.clearGas).toBe(clearGas);
  });

  it("clears a nonce with the usual gas if the order may not pay for the estimate", () => {
    const move = nextEvmMove(laneToClear([42_000n, 42_000n], { gasLimit: 40_000n }));
    expect(move).toMatchObject({ kind: "sign", request: { purpose: "clear" } });
    expect((move as { request: object }).request).not.toHaveProperty("clearGas");
  });

  it.each([0n, 10n ** 14n])(
    "frees a nonce whose swap was signed near the highest gas price, with an L1 fee of %d",
    (clearL1Fee) => {
      const late = seconds + 86_400;
      const highest = { maxFeePerGas: 10n * gwei, maxPriorityFeePerGas: 9n * gwei };
      const { order, slot } = signedOrder({
        order: { intent: intent({ chain: "bsc", maxGasPrice: 10n * gwei }) },
        attempt: highest,
      });
      const seen = snapshot(undefined, {
        latest: { number: 9999, hash: "0xb9999", time: late },
        clearFees: { maxFeePerGas: gwei / 10n, maxPriorityFeePerGas: gwei / 10n },
        clearL1Fee,
      });
      const ended = { ...order, life: { ...order.life, status: "expired", stage: "done" } as const };
      const view = laneView(
        { ...ended, life: { ...ended.life, reasonCode: "NOT_INCLUDED" } },
        { slots: [slot] },
      );
      const fees = feesAsked(nextEvmMove(laneStateOf(view, { snapshots: [seen, seen], nowMs: late * 1000 })));
      expect(fees).toEqual({ maxFeePerGas: 11_250_000_000n, maxPriorityFeePerGas: 10_125_000_000n });
      const { chain, wallet, place: nonce } = slot;
      const clear = {
        chain,
        wallet,
        nonce,
        call: { purpose: "clear" },
        gasLimit: clearGas,
        ...fees,
      } as const;
      const ledger = { ...emptyEvmLedger(order.intent), fees: { 7: signedFee(highest) }, revision: 1 };
      const signing = signingView({ order, slot, ledger, maxGasPrice: 10n * gwei });
      expect(objectionToTransaction(clear, signing, true, late * 1000)).toBeUndefined();
    },
  );

  it("lowers a plan's fees to the operators' limit, and waits while the next block costs more", () => {
    const facts = snapshot(orderFacts());
    const moveWith = (gasPrice: bigint) => {
      const chainLimits = { maxNetworkFee: gasPrice * 134_415n };
      return nextEvmMove(laneStateOf(laneView(tradeOrder()), { snapshots: [facts, facts], chainLimits }));
    };
    const maxFeePerGas = (gwei * 3n) / 2n;
    expect(slotPlanned(moveWith(maxFeePerGas)).fees).toMatchObject({ maxFeePerGas });
    expect(lifeWritten(moveWith(gwei))).toMatchObject({ stage: "waiting", reasonCode: "GAS_PRICE_TOO_HIGH" });
  });

  it.each([
    [20, true],
    [21, false],
  ])("plans a transaction %d nonces above the wallet's next nonce at placing: %s", (ahead, isPlanned) => {
    const nonce = { latest: 7 + ahead, pending: 7 + ahead };
    const facts = snapshot(orderFacts(), { nonce });
    const order = tradeOrder({ intent: intent({ nextNonce: 7 }) });
    const move = nextEvmMove(laneStateOf(laneView(order), { snapshots: [facts, facts] }));
    expect(lifeWritten(move)).toMatchObject(
      isPlanned ? { stage: "queued" } : { stage: "waiting", reasonCode: "WALLET_BUSY" },
    );
  });

  it("signs what the placing has planned only from the facts of the placing, and otherwise plans again", () => {
    const order = tradeOrder({ swapNonce: 7 });
    const host = snapshot(orderFacts());
    const state = laneStateOf(laneView(order, { slots: [slot()] }), { snapshots: [host, host] });
    expect(nextEvmMove({ ...state, arePlaced: true })).toMatchObject({ kind: "sign" });
    const move = nextEvmMove(state);
    const removal = expect.objectContaining({ kind: "remove", of: "slot" });
    expect(move).toMatchObject({ step: expect.arrayContaining([removal]) });
    expect(written(move, "order")).toMatchObject({ swapNonce: undefined, revision: 2 });
  });

  it("plans a child's swap again after a part of its short life", () => {
    const nowMs = (intent().validUntil - 60) * 1000;
    const order = {
      ...tradeOrder({ swapNonce: 7, revision: 2, intent: intent({ parent: child().parent }) }),
      mandate: mandate(),
    };
    const host = snapshot(orderFacts());
    const call = { ...slot().call, deadline: nowMs / 1000 + 24 };
    const state = laneStateOf(laneView(order, { slots: [slot({ call }, order.intent)] }), {
      snapshots: [host, host],
      nowMs,
    });
    expect(nextEvmMove(state)).toMatchObject({ kind: "sign" });
    expect(nextEvmMove({ ...state, nowMs: nowMs + 2000 })).toMatchObject({ kind: "sign" });
    const removal = expect.objectContaining({ kind: "remove", of: "slot" });
    expect(nextEvmMove({ ...state, nowMs: nowMs + 3000 })).toMatchObject({
      step: expect.arrayContaining([removal]),
    });
  });

  it("rejects a buy above the operators' limit", () => {
    const facts = snapshot(orderFacts());
    const chainLimits = { ...wideLimits, maxOrder: intent().amount - 1n };
    const move = nextEvmMove(laneStateOf(laneView(tradeOrder()), { snapshots: [facts, facts], chainLimits }));
    expect(lifeWritten(move)).toMatchObject({ status: "rejected", reasonCode: "POLICY_LIMIT" });
  });

  it("rejects a planned order whose fee is above the operators' limit by now", () => {
    const planned = slot();
    const most = mostFeeOf({ ...planned, ...planned.fees });
    const facts = snapshot(orderFacts());
    const view = laneView(tradeOrder({ swapNonce: 7, revision: 2 }), { slots: [planned] });
    const move = (maxNetworkFee: bigint) => {
      const chainLimits = { ...wideLimits, maxNetworkFee };
      return nextEvmMove(laneStateOf(view, { snapshots: [facts, facts], chainLimits }));
    };
    expect(move(most)).toMatchObject({ kind: "sign" });
    expect(lifeWritten(move(most - 1n))).toMatchObject({ status: "rejected", reasonCode: "POLICY_LIMIT" });
  });

  describe("nextMove with one lying host", () => {
    const honest = orderFacts();
    const greedy = orderFacts({ fees: { maxFeePerGas: 1000n * gwei, maxPriorityFeePerGas: 99n * gwei } });
    const both = <Each>(honestly: Each, lie: Each): [Each, Each][] => [
      [honestly, lie],
      [lie, honestly],
    ];

    it.each(both(honest, greedy))("plans a swap with the lower of the hosts' tips (%#)", (...facts) => {
      const snapshots = facts.map((each) => snapshot(each)) as [EvmSnapshot, EvmSnapshot];
      const { fees } = slotPlanned(nextEvmMove(laneStateOf(laneView(tradeOrder()), { snapshots })));
      expect(fees).toEqual({ maxFeePerGas: 100n * gwei, maxPriorityFeePerGas: gwei / 10n });
    });

    it.each(both(honest, orderFacts({ routes: [routeFacts({ gasLimit: { approve: 1n, swap: 60_000n } })] })))(
      "plans a swap with the higher of the hosts' gas limits (%#)",
      (...facts) => {
        const snapshots = facts.map((each) => snapshot(each)) as [EvmSnapshot, EvmSnapshot];
        expect(slotPlanned(nextEvmMove(laneStateOf(laneView(tradeOrder()), { snapshots }))).gasLimit).toBe(
          134_415n,
        );
      },
    );

    it("plans at most twice the intent's gas, and at most the signer's limit", () => {
      const snapshots = both(
        honest,
        orderFacts({ routes: [routeFacts({ gasLimit: { approve: 1n, swap: 10n ** 9n } })] }),
      )[0]?.map((each) => snapshot(each)) as [EvmSnapshot, EvmSnapshot];
      const gasOf = (gasLimit: bigint) => {
        const order = tradeOrder({ intent: intent({ gasLimit, maxGasPrice: 10n * gwei }) });
        return slotPlanned(nextEvmMove(laneStateOf(laneView(order), { snapshots }))).gasLimit;
      };
      expect([gasOf(134_415n), gasOf(10n ** 6n)]).toEqual([268_830n, 1_500_000n]);
    });

    it("does not reject an order that is too expensive only according to a lying host", () => {
      const lie = orderFacts({ fees: { maxFeePerGas: 99n * gwei, maxPriorityFeePerGas: gwei / 10n } });
      const coins = tradeOrder().amount + 134_415n * 3n * gwei;
      const scene = (facts: EvmOrderFacts) =>
        laneStateOf(laneView(tradeOrder()), {
          snapshots: [snapshot(facts, { coins }), snapshot(lie, { coins })],
        });
      expect(lifeWritten(nextEvmMove(scene(honest)))).toMatchObject({ stage: "waiting" });
      expect(lifeWritten(nextEvmMove(scene(lie)))).toMatchObject({ status: "rejected" });
    });

    it.each(both(honest, greedy))("replaces a swap using the lower of the hosts' tips (%#)", (...facts) => {
      const { order, slot } = signedOrder();
      const snapshots = facts.map((each) => snapshot(each)) as [EvmSnapshot, EvmSnapshot];
      const fees = feesAsked(
        nextEvmMove(laneStateOf(laneView(order, { slots: [slot] }), { snapshots, sendings })),
      );
      expect(fees.maxPriorityFeePerGas).toBe((gwei * 9n) / 8n);
    });

    it.each(both(gwei / 10n, 99n * gwei))(
      "frees a nonce using the lower of the hosts' tips (%#)",
      (...tips) => {
        const life = { ...tradeOrder().life, stage: "cancelling", txHash: "0x1" } as const;
        const { order, slot } = signedOrder({ order: { isCancelling: true, life } });
        const snapshots = tips.map((maxPriorityFeePerGas) =>
          snapshot(honest, { clearFees: { maxFeePerGas: 1000n * gwei, maxPriorityFeePerGas } }),
        ) as [EvmSnapshot, EvmSnapshot];
        const fees = feesAsked(
          nextEvmMove(laneStateOf(laneView(order, { slots: [slot] }), { snapshots, sendings })),
        );
        expect(fees.maxPriorityFeePerGas).toBe((gwei * 9n) / 8n);
      },
    );

    it("pays only as much as needed to replace a swap if a single host answers", () => {
      const { order, slot } = signedOrder();
      const scene = laneStateOf(laneView(order, { slots: [slot] }), {
        snapshots: [undefined, snapshot(greedy)],
        sendings,
      });
      expect(feesAsked(nextEvmMove(scene))).toEqual({
        maxFeePerGas: (2n * gwei * 9n) / 8n,
        maxPriorityFeePerGas: (gwei * 9n) / 8n,
      });
    });
  });

  it("holds a sale back while an approved sale of the same token is waiting", () => {
    const sale = intent({ side: "sell", amount: 900n, minAmountOut: 1n });
    const life = { ...tradeOrder().life, stage: "waiting", reasonCode: "GAS_PRICE_TOO_HIGH" } as const;
    const approved = tradeOrder({
      intent: { ...sale, maxGasPrice: 1n },
      amount: 900n,
      approveNonces: [6],
      life,
    });
    const facts = orderFacts({ held: 2000n, routes: [routeFacts({ allowance: 900n })] });
    const moveFor = (token: string) => {
      const next = tradeOrder({ intent: { ...sale, orderId: "next", token, amount: 1000n }, amount: 1000n });
      const orders = new Map([approved, next].map((order) => [order.intent.orderId, facts]));
      const seen = snapshot(undefined, { orders });
      const view = laneView(approved, { orders: [approved, next] });
      return nextEvmMove(laneStateOf(view, { snapshots: [seen, seen] }));
    };
    expect(moveFor(sale.token)).toEqual({ kind: "rest" });
    const another = "0x00000000000000000000000000000000000000AD";
    expect(slotPlanned(moveFor(another)).call).toMatchObject({ purpose: "approve", amount: 1000n });
  });

  it("requests signed bytes again, at the same fees, if they are missing", () => {
    const { order, slot } = signedOrder();
    const seen = snapshot(orderFacts());
    const moveWith = (bytes: ReadonlyMap<string, string>) =>
      nextEvmMove(laneStateOf(laneView(order, { slots: [slot], bytes }), { snapshots: [seen, seen] }));
    expect(moveWith(new Map([["0x1", "0x02"]]))).toMatchObject({ kind: "send", raw: "0x02" });
    expect(moveWith(new Map())).toMatchObject({ kind: "sign", request: { place: 7, fees: slot.fees } });
  });

  it("cancels a signed order whose cancellation is recorded, instead of sending it", () => {
    const { order, slot } = signedOrder();
    const view = laneView(order, { slots: [slot], cancelled: new Set([order.intent.orderId]) });
    const seen = snapshot(orderFacts());
    const move = nextEvmMove(laneStateOf(view, { snapshots: [seen, seen] }));
    const written = (move.kind === "write" ? move.step : []).find(({ of }) => of === "order");
    expect(written).toMatchObject({ item: { isCancelling: true, life: { stage: "cancelling" } } });
  });

  it("does not raise the fees of an undelivered attempt", () => {
    const { order, slot } = signedOrder();
    const moveFor = (isUndelivered: boolean) => {
      const life = isUndelivered
        ? ({ ...order.life, stage: "waiting", reasonCode: "RELAY_UNAVAILABLE" } as const)
        : order.life;
      const view = laneView({ ...order, life }, { slots: [{ ...slot, isUndelivered }] });
      const seen = snapshot(orderFacts());
      const sent = new Map([["0x1", isUndelivered ? ("unreached" as const) : 1]]);
      return nextEvmMove(laneStateOf(view, { snapshots: [seen, seen], sendings: sent })).kind;
    };
    expect([moveFor(true), moveFor(false)]).toEqual(["rest", "sign"]);
  });

  describe("an attempt that is refused for its low fees", () => {
    const signedAtMs = seconds * 1000;
    const moveAfter = (ms: number, changes: Partial<EvmSlot>) => {
      const { order, slot } = signedOrder({ attempt: { signedAtMs, sentAtMs: undefined } });
      const life = { ...order.life, stage: "waiting", reasonCode: "GAS_PRICE_TOO_HIGH" } as const;
      const refused = { ...slot, isUndelivered: true, refusal: "underpriced" as const, ...changes };
      const seen = snapshot(orderFacts());
      return nextEvmMove(
        laneStateOf(laneView({ ...order, life }, { slots: [refused] }), {
          snapshots: [seen, seen],
          sendings: new Map([["0x1", "underpriced"]]),
          nowMs: signedAtMs + ms,
        }),
      );
    };

    it("raises the fees of a refused attempt after five seconds", () => {
      expect(moveAfter(4999, { isPrivate: false }).kind).toBe("rest");
      expect(feesAsked(moveAfter(5000, { isPrivate: false }))).toEqual({
        maxFeePerGas: (2n * gwei * 9n) / 8n,
        maxPriorityFeePerGas: (gwei * 9n) / 8n,
      });
    });

    it("ignores a relay's refusal, which could be a lie, and raises the fees at the usual time", () => {
      expect(moveAfter(59_999, {}).kind).toBe("rest");
      expect(moveAfter(60_000, {}).kind).toBe("sign");
    });
  });

  it.each([
    ["a private swap only to the relay", true, "swap", "relay"],
    ["a private order's clear to everybody", true, "clear", "relay and hosts"],
    ["a public swap to the hosts", false, "swap", "hosts"],
    ["a public order's clear to the hosts", false, "clear", "hosts"],
  ] as const)("sends %s", (_, isPrivate, purpose, to) => {
    const { order, slot } = signedOrder({ attempt: { purpose } });
    const seen = snapshot(orderFacts());
    const bytes = new Map([["0x1", "0x02"]]);
    const view = laneView(order, { slots: [{ ...slot, isPrivate }], bytes });
    expect(nextEvmMove(laneStateOf(view, { snapshots: [seen, seen] }))).toMatchObject({ kind: "send", to });
  });
});

describe("wantsFacts", () => {
  const signedAtMs = seconds * 1000;
  const { order, slot } = signedOrder({ attempt: { signedAtMs, sentAtMs: signedAtMs } });
  const [newest] = slot.attempts as [EvmSlot["attempts"][0]];

  it.each<[string, Partial<EvmSlot>, number, boolean]>([
    ["is not signed", { state: "planned", attempts: [] }, 0, true],
    ["waits for a block", {}, 59_999, false],
    ["is due for higher fees", {}, 60_000, true],
    [
      "is refused for its fees",
      { isPrivate: false, isUndelivered: true, refusal: "underpriced" },
      5000,
      true,
    ],
    ["is replaced by a clear", { attempts: [newest, { ...newest, purpose: "clear" }] }, 60_000, false],
  ])("decides whether to request facts for an order whose swap %s", (_, changes, ms, expected) => {
    expect(wantsFacts(order, [{ ...slot, ...changes }], signedAtMs + ms)).toBe(expected);
  });
});
