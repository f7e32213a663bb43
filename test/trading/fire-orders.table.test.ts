import { TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import { startTestChain, type TestChain } from "trading-terminal-devnet/evm/test-chain";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { StoredResting } from "../../lib/orders/resting/stored.ts";
import { walletKey } from "../../lib/table/wallet-keys.ts";
import { cancellationKey } from "../../lib/trading/items/keys.ts";
import { readLane } from "../../lib/trading/items/views.ts";
import { tableForTests } from "../support/dynamodb.ts";
import { interceptedTable } from "../support/intercepted-table.ts";
import { putItems } from "../support/items.ts";
import { limitAt, openRestingDesk, reached, stopAt, unreached } from "../support/resting-desk.ts";

const db = tableForTests();

let chain: TestChain;
beforeAll(async () => {
  chain = await startTestChain();
});
afterAll(() => chain.close());

/** Opens a desk whose wallet holds tokens, and whose prices have held for some blocks. */
async function opened() {
  const desk = await openRestingDesk(db.table, chain);
  await desk.place({ amount: "0.5" });
  await desk.watchAndWork();
  await desk.settle();
  return desk;
}

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
    expect(words.map(({ state }) => state).toSorted()).toEqual(["out", "rest"]);
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

  it("lets a later run go on after a crash before or after each write", async () => {
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
