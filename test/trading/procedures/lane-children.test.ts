import { describe, expect, it } from "vitest";
import type { NonceWord } from "../../../lib/chains/evm/rules/death.ts";
import type { Evm } from "../../../lib/chains/evm/rules/family.ts";
import type { EvmReceipt, EvmSnapshot } from "../../../lib/chains/evm/rules/host-snapshot.ts";
import { emptyEvmLedger } from "../../../lib/chains/evm/rules/ledger.ts";
import type { EvmSlot } from "../../../lib/chains/evm/rules/slot.ts";
import type { LaneChild, LaneView, SignRequest } from "../../../lib/orders/effects.ts";
import type { BothWords } from "../../../lib/orders/resting/firing.ts";
import type { Ended } from "../../../lib/orders/resting/mandate.ts";
import type { TradeStep } from "../../../lib/orders/table-step.ts";
import type { TradeOrder } from "../../../lib/orders/trade-order.ts";
import { runProcedure } from "../../../lib/trading/execution/run-procedure.ts";
import { workLane } from "../../../lib/trading/procedures/work-lane.ts";
import { child, mandate } from "../../orders/resting/fixtures.ts";
import { attempt, laneView, seconds, signedOrder, snapshot } from "../../support/lane-states.ts";
import { intent, slot as slotOf, wideLimits } from "../../support/trading.ts";

const { parent } = child({}, mandate());
const deadline = seconds + 24;
const block = { number: 99, hash: "0xb99", time: seconds };

const paid = { block, gasUsed: 1n, gasPrice: 5n, l1Fee: 0n, fee: 5n };
const failed: EvmReceipt = { hash: "0x1", ...paid, status: "failed", isSlippage: true };
const filled: EvmReceipt = { hash: "0x1", ...paid, status: "ok", spent: 2n, received: 3n };
const cleared: EvmReceipt = { hash: "0x2", ...paid, status: "ok", spent: 0n, received: 0n };

/** A child of a stop whose swap is signed at nonce 7, with the deadline of its own. */
function childOrder(changes: Partial<TradeOrder<Evm>> = {}, slotChanges: Partial<EvmSlot> = {}) {
  const { order, slot } = signedOrder({
    order: { intent: intent({ parent }), mandate: mandate(), ...changes },
  });
  return { order, slot: { ...slot, call: { ...slot.call, deadline }, ...slotChanges } as EvmSlot };
}

const ledgerOf = (
  { intent: own }: TradeOrder<Evm>,
  { call }: EvmSlot,
  hashes = ["0x1"],
): LaneChild<Evm>["ledger"] => ({
  ...emptyEvmLedger(own),
  ...(call.purpose === "swap" && { swap: { nonce: 7, call } }),
  signatures: hashes.map((hash) => ({ nonce: 7, purpose: hash === "0x2" ? "clear" : "swap", hash })),
});

const word = (changes: Partial<NonceWord> = {}): NonceWord => ({
  head: { number: 101, hash: "0xb101", time: seconds + 24 },
  final: 36,
  receipts: new Map(),
  ...changes,
});
const failure = word({ receipts: new Map([["0x1", { block, status: "failed" }]]) });

type World = {
  order: TradeOrder<Evm>;
  slot: EvmSlot;
  ended?: Ended;
  hashes?: string[];
  /** Changes of the child's ledger. */
  ledger?: Partial<NonNullable<LaneChild<Evm>["ledger"]>>;
  words?: BothWords;
  host?: Partial<EvmSnapshot>;
  nowMs?: number;
  cancelled?: boolean;
};

/** Runs a lane with one child, and returns what it has asked, signed and written. */
async function run({ order, slot, ended, hashes, words, host, nowMs = seconds * 1000, ...world }: World) {
  const { orderId } = order.intent;
  const { cancelled } = world;
  const ledger = { ...ledgerOf(order, slot, hashes), ...world.ledger } as LaneChild<Evm>["ledger"];
  const view = laneView(order, {
    lane: { chain: "eth", wallet: order.intent.wallet, jobs: 1, holder: "me" },
    slots: [slot],
    ...(cancelled && { cancelled: new Set([orderId]) }),
    children: new Map([[orderId, { ledger, ended }]]),
  }) as LaneView;
  const seen = snapshot(undefined, host);
  const steps: TradeStep[] = [];
  const asked: unknown[] = [];
  const requests: SignRequest[] = [];
  const sent: string[] = [];
  await runProcedure(workLane(order.intent, "me", wideLimits, ""), {
    now: () => nowMs,
    pause: () => undefined,
    write: ({ step }) => steps.push(step) > 0,
    readLane: () => view,
    hostSnapshot: () => seen,
    send({ raw }) {
      sent.push(raw);
      return "reached";
    },
    childWords({ child: about }) {
      asked.push(about);
      return words ?? [word(), word()];
    },
    sign({ request }) {
      requests.push(request);
      return { later: "busy" };
    },
  });
  const writes = steps.flat();
  const deaths = writes.flatMap((write) => (write.kind === "put" && write.of === "ended" ? [write] : []));
  const orders = writes.flatMap((write) =>
    write.kind === "put" && write.of === "order" ? [write.item] : [],
  );
  const watch = writes.flatMap((write) => (write.kind === "change" ? [write.set?.watch] : [])).at(-1);
  return { asked, requests, sent, watch, ended: deaths, life: orders.at(-1)?.life };
}

const mined = (receipt: EvmReceipt) => ({
  nonce: { latest: 8, pending: 8 },
  receipts: new Map([[receipt.hash, receipt]]),
});
const final = { finalized: { number: 99, hash: "0xb99", time: seconds } };
const day = 86_400;
const died = (child: string, changes = {}) => ({ child, how: "failed", block: 99, ...changes }) as const;
const endedBy = (...dead: Ended["dead"]): Ended => ({
  orderId: parent.orderId,
  dead,
  revision: 4,
  expiresAt: mandate().expiresAt + day,
});

describe("a lane with the child of a resting order", () => {
  it("records the death that both hosts prove, and asks by the signer's ledger", async () => {
    const { order, slot } = childOrder();
    const { orderId, wallet } = order.intent;
    const { ended, asked, life } = await run({ order, slot, host: mined(failed), words: [failure, failure] });
    expect(life).toMatchObject({ status: "rejected", settled: false });
    const signed = { nonce: 7, deadline, swaps: ["0x1"], clears: [] };
    expect(asked).toMatchObject([{ wallet, fillId: parent.orderId, signed }]);
    const expiresAt = mandate().expiresAt + day;
    const item = { orderId: parent.orderId, dead: [died(orderId)], revision: 1, expiresAt };
    expect(ended).toEqual([{ kind: "put", of: "ended", item, when: "absent" }]);
  });

  it("keeps the newest sixteen deaths, provided that nobody else has written them", async () => {
    const { order, slot } = childOrder();
    const known = Array.from({ length: 16 }, (_, index) => died(`c${index}`));
    const words = [failure, failure] as const;
    const { ended } = await run({ order, slot, host: mined(failed), words, ended: endedBy(...known) });
    expect(ended[0]?.item.dead).toEqual([...known.slice(1), died(order.intent.orderId)]);
    expect(ended[0]).toMatchObject({ item: { revision: 5 }, when: { revision: 4 } });
  });

  it("keeps a late record for a day, and no record for less time than before", async () => {
    const { order, slot } = childOrder();
    const words = [failure, failure] as const;
    const lateMs = (mandate().expiresAt + 5 * day) * 1000;
    const late = { order, slot, host: mined(failed), words, nowMs: lateMs };
    expect((await run(late)).ended[0]?.item.expiresAt).toBe(lateMs / 1000 + day);
    const known = { ...endedBy(died("C0")), expiresAt: lateMs / 1000 + 2 * day };
    expect((await run({ ...late, ended: known })).ended[0]?.item.expiresAt).toBe(known.expiresAt);
  });

  it.each<[string, BothWords]>([
    ["one host is silent", [failure, undefined]],
    ["one host has no receipt", [failure, word()]],
    ["the deadline is past, and neither host has a receipt", [word(), word()]],
  ])("records nothing, and asks again soon, while %s", async (_, words) => {
    const { order, slot } = childOrder();
    const nowMs = (deadline + 60) * 1000;
    const { ended, watch, asked } = await run({ order, slot, host: mined(failed), words, nowMs });
    expect([ended, asked.length, watch?.dueAtMs]).toEqual([[], 1, nowMs + 3000]);
  });

  it("asks nothing before the deadline of a swap that is under way, or about a fill", async () => {
    expect((await run(childOrder())).asked).toEqual([]);
    expect((await run({ ...childOrder(), host: mined(filled) })).asked).toEqual([]);
    expect((await run({ ...childOrder(), nowMs: (deadline + 1) * 1000 })).asked).toHaveLength(1);
  });

  it.each([
    ["wallet", { wallet: "0x7099" }],
    ["chain", { chain: "base" }],
  ] as const)(
    "asks and records nothing about a child of another %s than in its ledger",
    async (_, ledger) => {
      const { order, slot } = childOrder();
      const words = [failure, failure] as const;
      const { ended, asked } = await run({ order, slot, host: mined(failed), words, ledger });
      expect([ended, asked]).toEqual([[], []]);
    },
  );

  it("does not settle before the death is recorded, and then says what was paid", async () => {
    const state = { state: "mined", receipt: failed, attempts: [attempt()] } as const;
    const life = { ...childOrder().order.life, status: "rejected", stage: "done" } as const;
    const { order, slot } = childOrder(
      { life: { ...life, reasonCode: "SLIPPAGE_EXCEEDED", networkFee: 5n } },
      state,
    );
    const host = { ...mined(failed), ...final };
    const waiting = await run({ order, slot, host });
    expect([waiting.life, waiting.ended]).toEqual([undefined, []]);
    const known = died(order.intent.orderId);
    const settled = await run({ order, slot, host, ended: endedBy(known) });
    expect(settled.life).toMatchObject({ settled: true });
    expect(settled.ended[0]?.item.dead).toEqual([{ ...known, final: true, paid: 5n }]);
    // A transaction that the slots do not show may have paid, too.
    const hidden = await run({ order, slot, host, ended: endedBy(known), hashes: ["0x1", "0x9"] });
    expect([hidden.life?.settled, hidden.ended]).toEqual([true, []]);
  });

  it("says what the filled child of a slice has paid once it settles, and nothing of other fills", async () => {
    const receipt = { ...filled, isAgreed: true } as const;
    const state = { state: "mined", receipt, attempts: [attempt()] } as const;
    const life = { ...childOrder().order.life, status: "filled", stage: "done", networkFee: 5n } as const;
    const settled = (slice?: number, hashes?: string[]) => {
      const own = intent({ parent: { ...parent, ...(slice !== undefined && { slice }) } });
      const { order, slot } = childOrder({ intent: own, life: { ...life, spent: 2n, received: 3n } }, state);
      const host = { ...mined(filled), ...final };
      return run({ order, slot, host, ended: endedBy(died("C0")), ...(hashes && { hashes }) });
    };
    const { life: known, ended } = await settled(1);
    expect(known).toMatchObject({ settled: true });
    const { orderId } = childOrder().order.intent;
    const own = { dead: [died("C0")], filled: [{ child: orderId, paid: 5n }] };
    expect(ended).toMatchObject([{ item: own, when: { revision: 4 } }]);
    expect((await settled()).ended).toEqual([]);
    expect((await settled(1, ["0x1", "0x9"])).ended).toEqual([]);
  });

  it("treats a swap whose own deadline is past as late, and frees its nonce", async () => {
    const late = { latest: { number: 101, hash: "0xb101", time: deadline + 1 } };
    const { life, requests } = await run({ ...childOrder(), host: late, nowMs: (deadline + 1) * 1000 });
    expect(life).toMatchObject({ status: "expired", reasonCode: "NOT_INCLUDED" });
    expect(requests).toMatchObject([{ purpose: "clear" }]);
  });

  it("ends a child that makes way for a stop, unsigned or by a clear, unless it has filled", async () => {
    const yields = { yields: true } as const;
    const unsigned = await run({ ...childOrder(yields, { state: "planned", attempts: [] }) });
    expect(unsigned.life).toMatchObject({ status: "expired", reasonCode: "YIELDED" });
    const signed = await run(childOrder(yields));
    expect(signed.requests).toMatchObject([{ purpose: "clear" }]);
    expect(signed.sent).toEqual([]);
    const attempts = [attempt(), attempt({ hash: "0x2", purpose: "clear" })];
    const gone = await run({ ...childOrder(yields, { attempts }), host: mined(cleared) });
    expect(gone.life).toMatchObject({ status: "expired", reasonCode: "YIELDED" });
    expect((await run({ ...childOrder(yields), host: mined(filled) })).life).toMatchObject({
      status: "filled",
    });
  });

  it("clears the approval of a child that makes way", async () => {
    const call = { purpose: "approve", token: "0x5FbD", router: "0x1", amount: 1n } as const;
    const { order, slot } = childOrder({ yields: true, swapNonce: undefined, approveNonces: [7] });
    const own = slotOf({ ...slot, call, attempts: [attempt({ purpose: "approve" })] }, order.intent);
    const { life, requests } = await run({ order, slot: own });
    expect(life).toMatchObject({ status: "expired", reasonCode: "YIELDED" });
    expect(requests).toMatchObject([{ purpose: "clear" }]);
  });

  it("cancels a child like any order", async () => {
    const { life, requests } = await run({ ...childOrder(), cancelled: true });
    expect(life).toMatchObject({ status: "open", stage: "cancelling" });
    expect(requests).toMatchObject([{ purpose: "clear" }]);
  });
});
