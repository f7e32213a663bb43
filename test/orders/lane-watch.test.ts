import { describe, expect, it } from "vitest";
import type { Evm } from "../../lib/chains/evm/rules/family.ts";
import type { EvmReceipt } from "../../lib/chains/evm/rules/host-snapshot.ts";
import type { EvmSlot } from "../../lib/chains/evm/rules/slot.ts";
import { evmSlots } from "../../lib/chains/evm/rules/slot-rules.ts";
import type { LaneView } from "../../lib/orders/effects.ts";
import { type ChainNews, isDue, watchFor } from "../../lib/orders/lane-watch.ts";
import type { Lane, LaneWatch } from "../../lib/orders/table-step.ts";
import type { TradeOrder } from "../../lib/orders/trade-order.ts";
import { intent, slot, tradeOrder } from "../support/trading.ts";

const nowMs = Date.parse("2026-11-21T20:00:00.000Z");
const endMs = intent().validUntil * 1000 + 2000;

const attempt = {
  purpose: "swap",
  hash: "0x1",
  gasLimit: 1n,
  signedAtMs: nowMs - 1000,
  maxFeePerGas: 1n,
  maxPriorityFeePerGas: 1n,
} as const;

const receipt = (number: number): EvmReceipt => ({
  hash: "0x1",
  status: "ok",
  block: { number, hash: `0xb${number}`, time: number },
  fee: 1n,
  l1Fee: 0n,
  gasUsed: 1n,
  gasPrice: 1n,
  spent: 1n,
  received: 1n,
});

const signed = slot({ state: "signed", attempts: [attempt, { ...attempt, hash: "0x2", sentAtMs: nowMs }] });
const mined = (number: number, changes: Partial<EvmSlot> = {}) =>
  slot({ state: "mined", attempts: [attempt], receipt: receipt(number), ...changes });

const open = tradeOrder();
const filled = tradeOrder({ life: { ...open.life, status: "filled", stage: "done" } });

const view = (orders: readonly TradeOrder<Evm>[], slots: readonly EvmSlot[] = []): LaneView<Evm> => {
  const { chain, wallet, userID, orderId, token } = intent();
  return {
    lane: { chain, wallet, jobs: orders.length },
    jobs: orders.map(() => ({ chain, wallet, userID, orderId, token })),
    slots,
    orders,
    books: [],
    retired: new Set(),
    cancelled: new Set(),
    bytes: new Map(),
    maxGasPrices: new Map(),
    limits: new Map(),
    isStopped: false,
  };
};

describe("watchFor", () => {
  it("replaces a clear after a short time, even for a slow order", () => {
    const slow = tradeOrder({ intent: intent({ gasPreset: "slow" }) });
    const cleared = slot({
      state: "signed",
      attempts: [attempt, { ...attempt, purpose: "clear", hash: "0x2", sentAtMs: endMs + 1 }],
    });
    expect(watchFor(view([slow], [cleared]), evmSlots, endMs + 1)).toMatchObject({
      dueAtMs: endMs + 1 + 24_000,
    });
    expect(watchFor(view([slow], [signed]), evmSlots, nowMs)).toMatchObject({ dueAtMs: endMs });
  });

  it("checks a waiting order again soon, and once more when it expires", () => {
    const idleSinceMs = Date.parse(open.updatedAt);
    expect(watchFor(view([open]), evmSlots, nowMs)).toEqual({
      jobs: 1,
      blocks: {},
      dueAtMs: nowMs + 5000,
      idleSinceMs,
    });
    expect(watchFor(view([open]), evmSlots, endMs - 100)).toMatchObject({ dueAtMs: endMs });
    expect(watchFor(view([open]), evmSlots, endMs - 6000)).toMatchObject({ dueAtMs: endMs - 1000 });
  });

  it("watches every attempt of a signed slot until the next fee increase is due", () => {
    expect(watchFor(view([open], [signed]), evmSlots, nowMs)).toEqual({
      jobs: 1,
      blocks: { "0x1": "", "0x2": "" },
      dueAtMs: nowMs + 60_000,
      lookAgainAtMs: nowMs + 30_000,
      idleSinceMs: nowMs,
    });
  });

  it("looks again soon at a transaction that no host has taken while its order is open", () => {
    const away = { ...signed, isUndelivered: true };
    expect(watchFor(view([open], [away]), evmSlots, nowMs)).toMatchObject({ dueAtMs: nowMs + 5000 });
    const expired = tradeOrder({ life: { ...open.life, status: "expired", stage: "done" } });
    expect(watchFor(view([expired], [away]), evmSlots, endMs)).not.toHaveProperty("dueAtMs");
  });

  it("looks again soon at a clear that pays too little, even after its order has ended", () => {
    const expired = tradeOrder({ life: { ...open.life, status: "expired", stage: "done" } });
    const cheap = { ...signed, isUndelivered: true, refusal: "underpriced" } as const;
    expect(watchFor(view([expired], [cheap]), evmSlots, endMs)).toMatchObject({ dueAtMs: endMs + 5000 });
  });

  it("waits until the deadline if an order's fee never rises, and then for the next block", () => {
    const slow = tradeOrder({ intent: intent({ gasPreset: "slow" }) });
    expect(watchFor(view([slow], [signed]), evmSlots, nowMs)).toMatchObject({ dueAtMs: endMs });
    expect(watchFor(view([slow], [signed]), evmSlots, endMs)).toMatchObject({ dueAtMs: endMs + 5000 });
    const expired = { ...slow, life: { ...open.life, status: "expired", stage: "done" } as const };
    expect(watchFor(view([expired], [signed]), evmSlots, endMs)).not.toHaveProperty("dueAtMs");
  });

  it("waits until the last transaction of an ended order is final or leaves its block", () => {
    const approval = mined(4, { place: 6 });
    expect(watchFor(view([filled], [approval, mined(5)]), evmSlots, nowMs)).toEqual({
      jobs: 1,
      blocks: { "0x1": { number: 5, hash: "0xb5" } },
      finalFrom: 5,
      settlingSinceMs: nowMs,
      lookAgainAtMs: nowMs + 300_000,
      idleSinceMs: endMs - 2000 + 55 * 60_000,
    });
  });

  it("watches only the attempt that is in a block, because no other attempt can use its nonce", () => {
    const bumped = mined(5, { attempts: [attempt, { ...attempt, hash: "0x2" }] });
    expect(watchFor(view([filled], [bumped]), evmSlots, nowMs).blocks).toEqual({
      "0x1": { number: 5, hash: "0xb5" },
    });
  });

  it("waits for the finality of the blocks in which a sale found nothing to sell", () => {
    const soldOutIn = [4, 6].map((number) => ({ number, hash: `0xb${number}` }));
    const ending = {
      status: "rejected",
      reasonCode: "INSUFFICIENT_BALANCE",
      soldOutAt: 7,
      soldOutIn,
    } as const;
    const life = { ...open.life, status: "rejected", stage: "done" } as const;
    const lookAgainAtMs = nowMs + 300_000;
    expect(watchFor(view([tradeOrder({ ending, life })]), evmSlots, nowMs)).toMatchObject({
      finalFrom: 6,
      lookAgainAtMs,
    });
  });

  it("waits until the blocks in which both hosts saw the nonce used are final", () => {
    const takenIn = [7, 6].map((number) => ({ number, hash: `0xb${number}` }));
    const taken = slot({ place: 6, state: "taken", attempts: [attempt], takenIn });
    expect(watchFor(view([filled], [taken, mined(5)]), evmSlots, nowMs)).toMatchObject({ finalFrom: 7 });
    const { takenIn: _, ...unseen } = taken;
    expect(watchFor(view([filled], [unseen, mined(5)]), evmSlots, nowMs)).not.toHaveProperty("finalFrom");
  });

  it("does not count as settling while one of its transactions is in no block", () => {
    const other = { ...signed, orderId: "other", attempts: [{ ...attempt, hash: "0x9" }] };
    const watch = watchFor(view([filled], [mined(5), other]), evmSlots, nowMs);
    expect(watch).toMatchObject({ finalFrom: 5 });
    expect(watch).not.toHaveProperty("settlingSinceMs");
  });

  it("does not wait for the finality of an approval", () => {
    expect(watchFor(view([open], [mined(5)]), evmSlots, nowMs)).not.toHaveProperty("finalFrom");
  });
});

describe("isDue", () => {
  const lane = (watch?: Partial<LaneWatch>): Lane => ({
    chain: "eth",
    wallet: "0xf39F",
    jobs: 1,
    ...(watch && { watch: { jobs: 1, blocks: {}, ...watch } }),
  });
  const inBlock = (block: string): ChainNews => ({ minedIn: new Map([["0x1", block]]) });
  const known = { number: 3, hash: "0xb9" };

  it.each<[string, Lane, ChainNews | undefined, boolean]>([
    ["nothing has happened", lane({ blocks: { "0x1": "" }, dueAtMs: nowMs + 1 }), inBlock(""), false],
    ["no run has left it yet", lane(), undefined, true],
    ["an order was placed since", lane({ jobs: 0 }), undefined, true],
    ["something is due", lane({ dueAtMs: nowMs }), undefined, true],
    ["a block has its transaction", lane({ blocks: { "0x1": "" } }), inBlock("0xb9"), true],
    ["the same block still has it", lane({ blocks: { "0x1": known } }), inBlock("0xb9"), false],
    ["another block has it", lane({ blocks: { "0x1": known } }), inBlock("0xc9"), true],
    ["no block has it any more", lane({ blocks: { "0x1": known } }), inBlock(""), true],
    ["it was not asked about", lane({ blocks: { "0x1": known } }), { minedIn: new Map() }, false],
    ["its block is final", lane({ finalFrom: 4 }), { minedIn: new Map(), final: 4 }, true],
    ["its block is not final", lane({ finalFrom: 5 }), { minedIn: new Map(), final: 4 }, false],
    ["the final block is unknown", lane({ finalFrom: 0 }), { minedIn: new Map() }, false],
    ["no host answers", lane({ blocks: { "0x1": known }, finalFrom: 4 }), undefined, false],
  ])("decides whether a lane is due where %s", (_, of, news, expected) => {
    expect(isDue(of, news, nowMs)).toBe(expected);
  });
});
