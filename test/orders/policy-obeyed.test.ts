import { describe, expect, it } from "vitest";
import type { Evm } from "../../lib/chains/evm/rules/family.ts";
import { nextEvmMove } from "../../lib/chains/evm/rules/next-move.ts";
import { type EvmAttempt, type EvmSlot, mostFeeOf } from "../../lib/chains/evm/rules/slot.ts";
import type { SignRequest } from "../../lib/orders/effects.ts";
import { rulesBeside } from "../../lib/orders/reserved.ts";
import type { TradeStep } from "../../lib/orders/table-step.ts";
import { counted, openPolicy, type WalletPolicy } from "../../lib/orders/wallet-policy.ts";
import {
  attempt,
  laneStateOf,
  laneView,
  orderFacts,
  routeFacts,
  seconds,
  signedOrder,
  snapshot,
} from "../support/lane-states.ts";
import { freeFees, intent, slot, tradeOrder, v2, wideLimits } from "../support/trading.ts";

const nowMs = seconds * 1000;
const { chain, wallet, userID, amount } = intent();
/** Highest network fee of the planned slot. */
const fee = mostFeeOf({ ...slot(), ...slot().fees });
const key = { chain, wallet, userID };
const stored = (changes: Partial<WalletPolicy>) => ({
  ...key,
  policy: { ...openPolicy, ...changes },
  revision: 3,
});
const count = counted(key, undefined, { adds: 5n, fees: 2n, swapOf: "another", nowMs });

describe("rulesBeside", () => {
  const open = tradeOrder();
  const unused = { ...freeFees, resetsAt: "2026-11-22T00:00:00.000Z" };
  const rules = (orders = [open], limits = { stored: undefined, count }) =>
    rulesBeside(limits, orders, { userID, nowMs, chainLimits: wideLimits });

  it("adds the user's unsigned open orders, with their network fees, to the amount already signed that day", () => {
    const waiting = { ...open, life: { ...open.life, stage: "waiting" } as const };
    const sale = tradeOrder({ intent: intent({ side: "sell" }) });
    expect(rules([open, waiting, sale])).toEqual({
      policy: openPolicy,
      spent: 5n + 2n * amount + 3n * open.quoted.networkFee,
      fees: { ...unused, counted: 2n + 3n * open.quoted.networkFee },
    });
  });

  it.each([
    ["is signed", { ...open, life: { ...open.life, stage: "sent" } as const }],
    ["has ended", { ...open, life: { ...open.life, status: "filled", stage: "done" } as const }],
    ["is another user's", tradeOrder({ intent: intent({ userID: "somebody else" }) })],
    ["was counted last", tradeOrder({ intent: intent({ orderId: "another" }) })],
  ])("does not count an order that %s towards the day's amount", (_, order) => {
    expect(rules([order])).toEqual({ policy: openPolicy, spent: 5n, fees: { ...unused, counted: 2n } });
  });
});

describe("nextEvmMove", () => {
  const snapshots = [snapshot(orderFacts()), snapshot(orderFacts())] as const;
  const limits = (changes: Partial<WalletPolicy>) => new Map([[userID, { stored: stored(changes), count }]]);
  const move = (order: ReturnType<typeof tradeOrder>, changes: Partial<WalletPolicy>, slots = [slot()]) =>
    nextEvmMove(
      laneStateOf(laneView(order, { limits: limits(changes), slots }), {
        snapshots: [snapshots[0], snapshots[1]],
      }),
    );
  const planned = tradeOrder({ swapNonce: 7, revision: 2 });
  const forbidden: Partial<WalletPolicy>[] = [
    { tokens: [] },
    { maxPerOrder: amount - 1n },
    { maxPerDay: amount + fee + 4n },
  ];

  const sale = tradeOrder({ intent: intent({ side: "sell" }), swapNonce: 7, revision: 2 });
  const forbiddenSale: Partial<WalletPolicy>[] = [{ tradingEnabled: false }, { maxSlippage: 9_999n }];

  it.each([
    ...[...forbidden, ...forbiddenSale].map((changes) => ({ order: planned, changes })),
    ...forbiddenSale.map((changes) => ({ order: sale, changes })),
  ])("rejects an unsigned order that the policy forbids, and its plan: %o", ({ order, changes }) => {
    expect(move(order, changes, [slot({}, order.intent)])).toMatchObject({
      kind: "write",
      step: expect.arrayContaining([
        expect.objectContaining({ kind: "remove", of: "slot" }),
        expect.objectContaining({
          kind: "put",
          of: "order",
          item: expect.objectContaining({ ending: { status: "rejected", reasonCode: "POLICY_LIMIT" } }),
        }),
      ]),
    });
  });

  it("signs a buy that the policy allows", () => {
    const changes = {
      tokens: [intent().token],
      maxPerOrder: amount,
      maxPerDay: amount + fee + 5n,
      maxSlippage: 10_000n,
    };
    expect(move(planned, changes)).toMatchObject({ kind: "sign" });
  });

  it.each([...forbidden, { maxSlippage: 10_000n }])("signs a sale that the policy allows: %o", (changes) => {
    expect(move(sale, changes, [slot({}, sale.intent)])).toMatchObject({ kind: "sign" });
  });

  const gas = routeFacts().gasLimit.swap;
  const planOf = (order: ReturnType<typeof tradeOrder>, maxPerDay: bigint) => {
    const { kind, step = [] } = move(order, { maxPerDay }, []) as { kind: string; step?: TradeStep };
    const items = step.flatMap((write) => (write.kind === "put" ? [write.item] : []));
    return { kind, items };
  };

  it.each([
    // The base fee is 1 gwei, the tip 0.1, and the hosts suggest 2 at most.
    [3_000_000_000n, 2_000_000_000n],
    [1_500_000_000n, 1_500_000_000n],
    [1_100_000_000n, 1_100_000_000n],
  ])(
    "plans a buy, if the day's limit leaves %s wei per unit of gas, at a highest fee of %s",
    (left, maxFeePerGas) => {
      const { items } = planOf(tradeOrder(), 5n + amount + gas * left);
      const tip = 100_000_000n;
      expect(items).toContainEqual(
        expect.objectContaining({ fees: { maxFeePerGas, maxPriorityFeePerGas: tip }, state: "planned" }),
      );
    },
  );

  it("makes a buy wait while the rest of the day's limit is below the next block's fee", () => {
    const { items } = planOf(tradeOrder(), 4n + amount + gas * 1_100_000_000n);
    const life = expect.objectContaining({ stage: "waiting", reasonCode: "POLICY_LIMIT" });
    expect(items).toContainEqual(expect.objectContaining({ life }));
  });

  it("raises a signed buy's fees only within the day's limit", () => {
    const { order, slot: signed } = signedOrder();
    const due = {
      ...signed,
      attempts: signed.attempts.map((each) => ({ ...each, signedAtMs: 0, sentAtMs: 0 })),
    };
    const [{ hash, maxFeePerGas }] = due.attempts as [EvmAttempt];
    const replaced = (maxPerDay: bigint) =>
      nextEvmMove(
        laneStateOf(laneView(order, { limits: limits({ maxPerDay }), slots: [due] }), {
          snapshots: [snapshots[0], snapshots[1]],
          sendings: new Map([[hash, 0]]),
        }),
      );
    const rise = due.gasLimit * ((maxFeePerGas + 7n) / 8n);
    expect(replaced(5n + rise)).toMatchObject({ kind: "sign", request: { purpose: "swap" } });
    expect(replaced(4n + rise).kind).not.toBe("sign");
  });

  describe("the day's limit of network fees", () => {
    const used = 1000n * fee;
    const host = snapshot(orderFacts({ held: amount, routes: [routeFacts({ allowance: amount })] }));
    const feesOf = (
      order: ReturnType<typeof tradeOrder>,
      slots: EvmSlot[],
      left: bigint,
      sent: string[] = [],
      own?: bigint,
    ) => {
      const policy = own === undefined ? undefined : stored({ maxNetworkFeesPerDay: own });
      const counts = { stored: policy, count: { ...count, networkFees: used } };
      const state = laneStateOf(laneView(order, { limits: new Map([[userID, counts]]), slots }), {
        snapshots: [host, host],
        sendings: new Map(sent.map((hash) => [hash, 0])),
      });
      const chainLimits = { ...wideLimits, maxNetworkFeesPerDay: used + left };
      return nextEvmMove({ ...state, chainLimits });
    };
    const approval = { purpose: "approve", token: sale.intent.token, router: v2.router, amount } as const;

    it.each([
      ["a buy", planned, slot()],
      ["a sale", sale, slot({}, sale.intent)],
      [
        "an approval",
        tradeOrder({ intent: sale.intent, revision: 2 }),
        slot({ call: approval }, sale.intent),
      ],
    ])("signs %s if its fee fits the day's limit, and rejects it otherwise", (_, order, own) => {
      const most = mostFeeOf({ ...own, ...own.fees });
      expect(feesOf(order, [own], most)).toMatchObject({ kind: "sign" });
      const reason = expect.objectContaining({ ending: { status: "rejected", reasonCode: "POLICY_LIMIT" } });
      expect(feesOf(order, [own], most - 1n)).toMatchObject({
        kind: "write",
        step: expect.arrayContaining([expect.objectContaining({ of: "order", item: reason })]),
      });
    });

    it("applies the policy's limit of network fees instead of the operators'", () => {
      const most = mostFeeOf({ ...slot(), ...slot().fees });
      expect(feesOf(planned, [slot()], -1n, [], used + most)).toMatchObject({ kind: "sign" });
      expect(feesOf(planned, [slot()], most, [], used + most - 1n)).toMatchObject({ kind: "write" });
    });

    it.each(["buy", "sell"] as const)(
      "holds back a %s while the next block's fee exceeds the rest of the day's limit",
      (side) => {
        const order = tradeOrder({ intent: intent({ side }) });
        const life = expect.objectContaining({ stage: "waiting", reasonCode: "POLICY_LIMIT" });
        const item = expect.objectContaining({ life });
        const short = feesOf(order, [], gas * 1_100_000_000n - 1n);
        expect(short).toMatchObject({ step: expect.arrayContaining([expect.objectContaining({ item })]) });
        expect(feesOf(order, [], gas * 1_100_000_000n)).toMatchObject({
          step: expect.arrayContaining([expect.objectContaining({ of: "slot" })]),
        });
      },
    );

    const { order, slot: signed } = signedOrder();
    const due = (attempts = signed.attempts) => ({
      ...signed,
      attempts: attempts.map((each) => ({ ...each, signedAtMs: 0, sentAtMs: 0 })),
    });
    const [{ hash, maxFeePerGas }] = due().attempts as [EvmAttempt];

    it("raises signed fees only within the rest of the day's limit", () => {
      const rise = signed.gasLimit * ((maxFeePerGas + 7n) / 8n);
      expect(feesOf(order, [due()], rise, [hash])).toMatchObject({
        kind: "sign",
        request: { purpose: "swap" },
      });
      expect(feesOf(order, [due()], rise - 1n, [hash]).kind).not.toBe("sign");
    });

    it("clears a nonce even after the day's limit is used up, at no more than the nonce's highest fee so far", () => {
      const life = { ...order.life, stage: "cancelling" } as const;
      const cancelled = { ...order, life, isCancelling: true };
      const move = feesOf(cancelled, [due()], -1n, [hash]);
      expect(move).toMatchObject({ kind: "sign", request: { purpose: "clear" } });
      const { fees } = (move as { request: SignRequest<Evm> }).request;
      expect(move).toEqual(feesOf(cancelled, [due()], -1n, [hash], 1n));
      expect(21_000n * fees.maxFeePerGas <= signed.gasLimit * maxFeePerGas).toBe(true);
    });

    it("raises the fee of a clear up to the policy's limit if that exceeds the operators'", () => {
      const life = { ...order.life, stage: "cancelling" } as const;
      const cancelled = { ...order, life, isCancelling: true };
      const [swap] = due().attempts as [EvmAttempt];
      const dear = { ...swap, purpose: "clear", hash: "0x2", gasLimit: 21_000n } as const;
      const slots = [due([swap, { ...dear, maxFeePerGas: 10n * maxFeePerGas }])];
      const rise = (21_000n * 10n * maxFeePerGas) / 8n;
      const clearWith = (own: bigint) => feesOf(cancelled, slots, -1n, ["0x2"], own);
      expect(clearWith(used + rise)).toMatchObject({ kind: "sign", request: { purpose: "clear" } });
      expect(clearWith(used + rise - 1n).kind).not.toBe("sign");
    });
  });

  it("neither sends nor counts again a signed buy that the policy now forbids", () => {
    const { order, slot: signed } = signedOrder();
    expect(move(order, { maxPerDay: amount }, [signed])).toMatchObject({ kind: "send" });
    expect(move(order, { tokens: [] }, [signed]).kind).not.toBe("send");
  });

  it("clears a signed buy that the policy now forbids, so that no sale has to wait for it", () => {
    const { order, slot: signed } = signedOrder();
    expect(move(order, { tokens: [] }, [signed])).toMatchObject({
      kind: "sign",
      request: { place: signed.place, purpose: "clear" },
    });
  });

  it.each(forbiddenSale)("ends a sale under the policy %o, and clears its signed approval", (changes) => {
    const { token } = sale.intent;
    const approval = { purpose: "approve", token, router: v2.router, amount } as const;
    const signed = slot({ call: approval, state: "signed", attempts: [attempt({ purpose: "approve" })] });
    const approving = tradeOrder({
      intent: sale.intent,
      approveNonces: [signed.place],
      life: { ...sale.life, stage: "approving" },
    });
    expect(move(approving, changes, [signed])).toMatchObject({
      kind: "write",
      step: expect.arrayContaining([
        expect.objectContaining({
          of: "order",
          item: expect.objectContaining({ ending: { status: "rejected", reasonCode: "POLICY_LIMIT" } }),
        }),
      ]),
    });
    const ending = { status: "rejected", reasonCode: "POLICY_LIMIT" } as const;
    const ended = {
      ...approving,
      ending,
      life: { ...approving.life, ...ending, stage: "done" } as const,
    };
    expect(move(ended, changes, [signed])).toMatchObject({
      kind: "sign",
      request: { place: signed.place, purpose: "clear" },
    });
  });
});
