import { TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import { startTestChain, type TestChain } from "trading-terminal-devnet/evm/test-chain";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ratioFrom } from "../../lib/orders/resting/prices.ts";
import { type StoredResting, triggerOf } from "../../lib/orders/resting/stored.ts";
import { walletKey } from "../../lib/table/wallet-keys.ts";
import { find } from "../../lib/trading/items/found-items.ts";
import { cancellationKey, cutoffKey, triggerKey } from "../../lib/trading/items/keys.ts";
import { readLane } from "../../lib/trading/items/views.ts";
import { tableForTests } from "../support/dynamodb.ts";
import { interceptedTable } from "../support/intercepted-table.ts";
import { putItems } from "../support/items.ts";
import {
  limitAt,
  openHolderDesk,
  openRestingDesk,
  reached,
  stopAt,
  unreached,
} from "../support/resting-desk.ts";

const db = tableForTests();

let chain: TestChain;
beforeAll(async () => {
  chain = await startTestChain();
});
afterAll(() => chain.close());

const opened = () => openHolderDesk(db.table, chain);

type Desk = Awaited<ReturnType<typeof opened>>;

const jobsOf = async ({ lane }: Desk) => (await readLane(db.table, { lane, day: "2026-11-29" })).jobs;

const codesOf = (order: StoredResting | undefined) => Object.keys(order?.attention ?? {});

describe("fireOrders on a real chain", () => {
  it("fires a limit whose price is reached, in one step with its parent's move", async () => {
    const desk = await opened();
    const id = await desk.rest([limitAt(reached)]);
    expect(await desk.fire([id])).toEqual([{ state: "out", askAgainMs: 2000 }]);
    const order = await desk.resting(id);
    const [job] = await jobsOf(desk);
    expect(order).toMatchObject({ state: "firing", n: 1, out: [{ orderId: job?.orderId, leg: 0, n: 1 }] });
    const [firing] = order?.firings ?? [];
    expect(firing).toMatchObject({ leg: "limit", outcome: "out", block: expect.any(Number) });
    expect(Number(firing?.price)).toBeCloseTo(0.0001, 5);
    const child = await desk.read(String(job?.orderId));
    expect(child.order).toMatchObject({ type: "market", side: "sell", status: "open", parentOrderId: id });
    expect(child.order.clientOrderId).toBeUndefined();
  });

  it("fires once, even if two runs look at once", async () => {
    const desk = await opened();
    const id = await desk.rest([limitAt(reached)]);
    await Promise.all([desk.fire([id]), desk.fire([id])]);
    expect(await desk.resting(id)).toMatchObject({ n: 1, out: [{ n: 1 }] });
    expect(await jobsOf(desk)).toHaveLength(1);
    await desk.fire([id]);
    expect(await jobsOf(desk)).toHaveLength(1);
  });

  it("fires one order of a wallet at a time", async () => {
    const desk = await opened();
    const ids = [await desk.rest([limitAt(reached)]), await desk.rest([limitAt(reached)])];
    const words = await desk.fire(ids);
    // Hands the other one over again soon, because it only waits for its turn.
    expect(words.toSorted((one, other) => one.askAgainMs - other.askAgainMs)).toEqual([
      { state: "out", askAgainMs: 2000 },
      { state: "rest", askAgainMs: 2500 },
    ]);
    expect(await jobsOf(desk)).toHaveLength(1);
  });

  it("fires a stop whose price has held for three blocks, and no leg that is not reached", async () => {
    const desk = await opened();
    const id = await desk.rest([limitAt(unreached), stopAt({ coins: 1n, tokens: 1000n })]);
    const high = await desk.rest([limitAt(unreached)]);
    await desk.fire([id, high]);
    const order = await desk.resting(id);
    expect(order).toMatchObject({ out: [{ leg: 1 }], firings: [{ leg: "stopLoss" }] });
    expect(await desk.resting(high)).toMatchObject({ state: "resting", n: 0 });
  });

  it("raises the mark of a trailing stop with its trigger, and fires from it", async () => {
    const desk = await opened();
    const trailing = { kind: "trailing", trailPpm: 5000n, worst: reached } as const;
    const mark = { price: { coins: 1n, tokens: 20_000n }, sinceMs: 0 };
    const id = await desk.rest([trailing], {}, mark);
    expect(await desk.fire([id])).toMatchObject([{ state: "rest" }]);
    const order = (await desk.resting(id)) as StoredResting;
    expect(order).toMatchObject({ state: "resting", n: 0, version: 2 });
    // The price is about 0.0001, from which it has never moved.
    const { coins = 0n, tokens = 1n } = order.mark?.price ?? {};
    expect(Number(coins) / Number(tokens)).toBeCloseTo(0.0001, 5);
    const found = await find(db.table, [triggerKey(order.mandate)]);
    expect(found.get("trigger", order.mandate)).toEqual(triggerOf(order));
    const high = await desk.rest([trailing], {}, { price: { coins: 2n * coins, tokens }, sinceMs: 0 });
    expect(await desk.fire([high])).toMatchObject([{ state: "out" }]);
    expect((await desk.resting(high))?.firings).toMatchObject([{ leg: "trailing" }]);
  });

  it("counts only a child that may soon fill as out", async () => {
    const [desk, other] = [await opened(), await opened()];
    await desk.place({ amount: "2" });
    await desk.watchAndWork();
    await desk.settle();
    // The order's wallet has a small part of its amount, and the lane stands still.
    const large = await desk.rest([limitAt(reached)], { amount: 10n ** 24n });
    await desk.fire([large]);
    const order = await desk.resting(large);
    expect(order).toMatchObject({ state: "firing" });
    // The first units of that sale bring more than its average, and those after it bring less.
    const average = ratioFrom("eth", String(order?.firings[0]?.price), 18, "price");
    const id = await other.rest([limitAt(average)]);
    expect(await other.fire([id])).toMatchObject([{ state: "rest" }]);
    expect(codesOf(await other.resting(id))).toEqual(["PRICE_BEYOND_WORST"]);
    const nowMs = () => Date.now() + 11_000;
    expect(await other.fire([id], { nowMs })).toMatchObject([{ state: "out" }]);
  });

  it("fires a slice of the order whose time comes while the order is read", async () => {
    const desk = await opened();
    const createdAt = Math.floor(Date.now() / 1000) * 1000;
    const slices = { count: 2, everySeconds: 600 };
    const id = await desk.rest([{ kind: "slice", worst: reached }], { slices, createdAt });
    let readings = 0;
    // The order is read in the first two milliseconds.
    await desk.fire([id], { nowMs: () => createdAt - 2 + readings++ });
    const [job] = await jobsOf(desk);
    expect((await desk.read(String(job?.orderId))).order).toMatchObject({ amount: "500" });
  });

  it("fires nothing if the order is cancelled in the instant of firing", async () => {
    const desk = await opened();
    const id = await desk.rest([limitAt(reached)]);
    const { macs } = desk.keys;
    const makeChildMac: typeof macs.makeChildMac = async (intent) => {
      await putItems(db.table, [cancellationKey({ userID: desk.userID, orderId: id })]);
      return macs.makeChildMac(intent);
    };
    expect(await desk.fire([id], { macs: { makeChildMac } })).toEqual([{ state: "rest", askAgainMs: 3000 }]);
    expect(await jobsOf(desk)).toEqual([]);
    expect(await desk.fire([id])).toEqual([{ state: "rest", askAgainMs: 300_000 }]);
    expect(await desk.resting(id)).toBeUndefined();
    expect(await desk.record(id)).toMatchObject({
      status: "cancelled",
      reasonCode: "CANCELLED_BY_USER",
    });
  });

  it("ends a cancelled order at once if the signer has not signed its child, and now refuses to", async () => {
    const desk = await opened();
    const id = await desk.rest([limitAt(reached)]);
    await desk.fire([id]);
    await putItems(db.table, [cancellationKey({ userID: desk.userID, orderId: id })]);
    await desk.fire([id]);
    expect(await desk.record(id)).toMatchObject({ status: "cancelled", stage: "done", settled: false });
    const [job] = await jobsOf(desk);
    await desk.settle();
    await desk.fire([id]);
    expect(await desk.record(id)).toMatchObject({ status: "cancelled", settled: true });
    expect((await desk.read(String(job?.orderId))).order).not.toMatchObject({ status: "filled" });
  });

  it("fires nothing if another order takes the lane meanwhile", async () => {
    const desk = await opened();
    const id = await desk.rest([limitAt(reached)]);
    const { macs } = desk.keys;
    const makeChildMac: typeof macs.makeChildMac = async (intent) => {
      await desk.place({ amount: "0.1" });
      return macs.makeChildMac(intent);
    };
    await desk.fire([id], { macs: { makeChildMac } });
    expect(await desk.resting(id)).toMatchObject({ state: "resting", n: 0 });
    expect(await jobsOf(desk)).toHaveLength(1);
  });

  it.each([
    ["MANDATE_VOID", "cancelled", async () => ({ table: { ...db.table, id: "restored" } })],
    ["EXPIRED", "expired", async () => ({ nowMs: () => Date.now() + 3_700_000 })],
    [
      "WALLET_RETIRED",
      "cancelled",
      async ({ userID, lane, wallet }: Desk) => {
        const retiredAt = new Date().toISOString();
        await putItems(db.table, [{ ...walletKey(userID, lane.chain, wallet), retiredAt }]);
        return {};
      },
    ],
    [
      "CANCELLED_BY_USER",
      "cancelled",
      // The order's wallet was retired, and imported again.
      async ({ userID, lane }: Desk) => {
        await putItems(db.table, [
          { ...cutoffKey({ userID, ...lane }), userID, ...lane, before: Date.now() },
        ]);
        return {};
      },
    ],
  ])("ends an order with %s", async (reasonCode, status, changed) => {
    const desk = await openRestingDesk(db.table, chain);
    const id = await desk.rest([limitAt(reached)]);
    await desk.fire([id], await changed(desk));
    expect(await desk.record(id)).toMatchObject({ status, reasonCode, stage: "done", settled: true });
    expect(await jobsOf(desk)).toEqual([]);
  });

  it.each([
    ["INSUFFICIENT_BALANCE", {}],
    ["INSUFFICIENT_BALANCE", { side: "buy", amount: 10n ** 21n, legs: [limitAt(unreached)] }],
    ["NO_ROUTE", { amount: 1n }],
    ["FEE_BUDGET_SPENT", { feesLimit: 0n }],
  ] as const)("notes %s", async (code, changes) => {
    const desk = code === "INSUFFICIENT_BALANCE" ? await openRestingDesk(db.table, chain) : await opened();
    const id = await desk.rest([limitAt(reached)], changes);
    await desk.fire([id]);
    expect(codesOf(await desk.resting(id))).toEqual([code]);
    expect(await jobsOf(desk)).toEqual([]);
  });

  it("lets a later run continue after a crash before or after each write", async () => {
    const desk = await opened();
    const id = await desk.rest([limitAt(reached)]);
    const crash = () => Promise.reject(new Error("crash"));
    const isWrite = (command: unknown) => command instanceof TransactWriteCommand;
    const before = interceptedTable(db.table, async (command) => {
      if (isWrite(command)) await crash();
    });
    await expect(desk.fire([id], { table: { ...before, id: "table" } })).rejects.toThrow("crash");
    expect(await jobsOf(desk)).toEqual([]);
    const wake = () => crash();
    await expect(desk.fire([id], { wake })).rejects.toThrow("crash");
    expect(await jobsOf(desk)).toHaveLength(1);
    expect(await desk.fire([id])).toEqual([{ state: "out", askAgainMs: 2000 }]);
    expect(await jobsOf(desk)).toHaveLength(1);
  });
});
