import { setTimeout as delay } from "node:timers/promises";
import { DeleteCommand, TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import { parseUnits } from "ethers/utils";
import { startTestChain, type TestChain } from "trading-terminal-devnet/evm/test-chain";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ratioFrom } from "../../lib/orders/resting/prices.ts";
import { restingStep } from "../../lib/orders/resting/resting-step.ts";
import { type StoredResting, triggerOf } from "../../lib/orders/resting/stored.ts";
import { walletKey } from "../../lib/table/wallet-keys.ts";
import { cancelOrder } from "../../lib/trading/cancel-order.ts";
import { find } from "../../lib/trading/items/found-items.ts";
import { cancellationKey, cutoffKey, endedKey, triggerKey } from "../../lib/trading/items/keys.ts";
import { readLane } from "../../lib/trading/items/views.ts";
import { writeStep } from "../../lib/trading/items/write-step.ts";
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
    // The other one is handed over again soon, because it only waits for its turn.
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

  it("raises the mark of a trailing stop with its trigger, and fires by it", async () => {
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

  it("counts no more as out than a child that may soon fill", async () => {
    const [desk, other] = [await opened(), await opened()];
    await desk.place({ amount: "2" });
    await desk.watchAndWork();
    await desk.settle();
    // Its wallet has a small part of what it rests for, and its lane stands still.
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

  it("ends a cancelled order at once, whose child the signer has not signed and now refuses", async () => {
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
      // Its wallet was retired, and imported again.
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

describe("children in their lane on a real chain", () => {
  const endedOf = async (parentId: string) => {
    const found = await find(db.table, [endedKey(parentId)]);
    return found.get("ended", { orderId: parentId })?.dead;
  };

  /** Runs the lane until the child's swap is signed and in no block. Its approval takes a block. */
  async function swapSent(desk: Desk, parentId: string): Promise<string> {
    await desk.fire([parentId]);
    const childId = String((await desk.resting(parentId))?.out[0]?.orderId);
    await desk.watchAndWork();
    await chain.mine();
    await desk.watchAndWork();
    expect((await desk.read(childId)).order).toMatchObject({ status: "open", stage: "sent" });
    return childId;
  }

  async function mineAndWork(desk: Desk, blocks = 1): Promise<void> {
    await chain.mine(blocks);
    await desk.work();
  }

  /** Makes the next block later than any deadline of a child. A restored chain may be behind the clock. */
  const passDeadline = () => chain.request("evm_setNextBlockTimestamp", [Math.ceil(Date.now() / 1000) + 30]);

  it("fill, and settle their resting order", async () => {
    const desk = await opened();
    const id = await desk.rest([limitAt(reached)]);
    const childId = await swapSent(desk, id);
    await desk.settle();
    await desk.fire([id]);
    expect((await desk.read(childId)).order).toMatchObject({ status: "filled", settled: true });
    expect(await desk.record(id)).toMatchObject({ status: "filled", settled: true });
    expect(await endedOf(id)).toBeUndefined();
  });

  it("fill slice by slice, and settle their order with the sum", async () => {
    const desk = await opened();
    const slices = { count: 2, everySeconds: 4 };
    const createdAt = Math.floor(Date.now() / 1000) * 1000;
    const id = await desk.rest([{ kind: "slice", worst: reached }], {
      slices,
      createdAt,
      amount: 10n ** 21n + 1n,
    });
    const first = await swapSent(desk, id);
    await chain.mine();
    await desk.work();
    await desk.fire([id]);
    expect(await desk.record(id)).toMatchObject({
      status: "partially_filled",
      stage: "firing",
      settled: false,
      slicesDone: 1,
      filledAmount: "500",
    });
    const { dueAt } = triggerOf((await desk.resting(id)) as StoredResting);
    await delay(Number(dueAt) * 1000 - Date.now());
    await desk.fire([id]);
    const [second] = (await desk.resting(id))?.out ?? [];
    await desk.watchAndWork();
    await chain.mine();
    await desk.work();
    await desk.settle();
    await desk.fire([id]);
    const [a, b] = [await desk.read(first), await desk.read(String(second?.orderId))];
    const record = await desk.record(id);
    expect(record).toMatchObject({
      ...{
        status: "filled",
        settled: true,
        slices: 2,
        slicesDone: 2,
        filledAmount: "1000.000000000000000001",
      },
    });
    const sum = (name: "networkFee" | "receivedAmount") =>
      [a, b].reduce((total, { order }) => total + parseUnits(String(order[name]), 18), 0n);
    expect(parseUnits(String(record?.networkFee), 18)).toBe(sum("networkFee"));
    expect(parseUnits(String(record?.receivedAmount), 18)).toBe(sum("receivedAmount"));
  });

  it("count a slice whose lane notes its fill only once it settles", async () => {
    const desk = await opened();
    const slices = { count: 2, everySeconds: 600 };
    const createdAt = Math.floor(Date.now() / 1000) * 1000;
    const id = await desk.rest([{ kind: "slice", worst: reached }], { slices, createdAt });
    await swapSent(desk, id);
    await chain.mine();
    // Hosts are asked after the deadline, although the lane has stood still.
    await desk.fire([id], { nowMs: () => Date.now() + 30_000 });
    expect(await desk.record(id)).toMatchObject({ status: "partially_filled", filledAmount: "0" });
    await desk.settle();
    await desk.fire([id]);
    expect(await desk.record(id)).toMatchObject({ stage: "resting", slicesDone: 1, filledAmount: "500" });
  });

  it("do not fire again for a lie of executeOrders about their death", async () => {
    const desk = await opened();
    const id = await desk.rest([limitAt(reached)]);
    const childId = await swapSent(desk, id);
    const lie = { orderId: id, dead: [{ child: childId, how: "failed", block: 1 }], revision: 1 };
    await putItems(db.table, [{ ...endedKey(id), ...lie }]);
    await desk.fire([id]);
    expect(await desk.resting(id)).toMatchObject({ state: "firing", n: 1 });
    // The swap is still on its way, and fills.
    await chain.mine();
    await desk.fire([id]);
    expect(await desk.resting(id)).toMatchObject({ state: "filled", n: 1 });
    await desk.settle();
    expect((await desk.read(childId)).order).toMatchObject({ status: "filled" });
  });

  it("are out again if their swap was signed after they had counted as unsigned", async () => {
    const desk = await opened();
    const id = await desk.rest([limitAt(reached)]);
    const childId = await swapSent(desk, id);
    const known = (await desk.resting(id)) as StoredResting;
    const revision = known.revision + 1;
    const forgotten = { ...known, state: "resting", out: [], firings: [], revision } as const;
    await writeStep(db.table, restingStep(forgotten, known));
    await desk.fire([id]);
    expect(await desk.resting(id)).toMatchObject({ n: 1 });
    await mineAndWork(desk);
    await desk.fire([id]);
    expect(await desk.resting(id)).toMatchObject({ state: "filled", filled: childId });
  });

  /** Cancels an order whose child counts as dead, although its swap is in no block. */
  async function cancelledBeforeSettled(desk: Desk) {
    const id = await desk.rest([limitAt(reached)]);
    const childId = await swapSent(desk, id);
    const known = (await desk.resting(id)) as StoredResting;
    const revision = known.revision + 1;
    const rested = { ...known, state: "resting", out: [], dead: childId, revision } as const;
    await writeStep(db.table, restingStep(rested, known));
    const cancel = () => cancelOrder({ table: db.table, wake: desk.wake }, desk.userID, id);
    const shown = await cancel();
    expect(shown).toMatchObject({ status: "cancelled", stage: "done", settled: false });
    expect(await cancel()).toEqual(shown);
    return { id, childId };
  }

  it("settle their cancelled resting order once their own fees are final", async () => {
    const desk = await opened();
    const { id, childId } = await cancelledBeforeSettled(desk);
    await chain.request("anvil_dropAllTransactions", []);
    expect(await desk.fire([id])).toEqual([{ state: "rest", askAgainMs: 2000 }]);
    expect(await desk.record(id)).toMatchObject({ status: "cancelled", settled: false });
    await desk.settle();
    const { order } = await desk.read(childId);
    expect(order).toMatchObject({ status: "cancelled", settled: true });
    await desk.fire([id]);
    const { networkFee } = order;
    const settled = { settled: true, reasonCode: "CANCELLED_BY_USER", networkFee };
    expect(await desk.record(id)).toMatchObject({ ...settled, feesSpent: { limit: networkFee } });
    expect(await desk.resting(id)).toBeUndefined();
  });

  it("fill their resting order after its end, if one fills that counted as dead", async () => {
    const desk = await opened();
    const { id, childId } = await cancelledBeforeSettled(desk);
    await mineAndWork(desk);
    await desk.fire([id]);
    expect(await desk.resting(id)).toMatchObject({ state: "filled", filled: childId });
    await desk.settle();
    await desk.fire([id]);
    expect(await desk.record(id)).toMatchObject({ status: "filled", settled: true });
  });

  it("make way for a stop, which then fires", async () => {
    const desk = await opened();
    const id = await desk.rest([limitAt(reached)]);
    const childId = await swapSent(desk, id);
    await chain.request("anvil_dropAllTransactions", []);
    const stop = await desk.rest([stopAt({ coins: 1n, tokens: 1000n })]);
    await desk.fire([stop]);
    await desk.work();
    await mineAndWork(desk);
    expect((await desk.read(childId)).order).toMatchObject({ status: "expired", reasonCode: "YIELDED" });
    await mineAndWork(desk, 2);
    expect(await endedOf(id)).toMatchObject([{ child: childId, how: "cleared" }]);
    await desk.fire([id, stop]);
    expect(await desk.resting(id)).toMatchObject({ firings: [{ outcome: "yielded" }] });
    expect(await desk.resting(stop)).toMatchObject({ state: "firing", n: 1 });
  });

  it("are cleared when their resting order is cancelled", async () => {
    const desk = await opened();
    const id = await desk.rest([limitAt(reached)]);
    const childId = await swapSent(desk, id);
    await chain.request("anvil_dropAllTransactions", []);
    await putItems(db.table, [cancellationKey({ userID: desk.userID, orderId: id })]);
    await desk.work();
    await mineAndWork(desk);
    expect((await desk.read(childId)).order).toMatchObject({ status: "cancelled" });
    await mineAndWork(desk, 2);
    await desk.fire([id]);
    expect(await desk.record(id)).toMatchObject({ status: "cancelled", reasonCode: "CANCELLED_BY_USER" });
  });

  it("end their resting order once the record of their death may have expired", async () => {
    const desk = await opened();
    const id = await desk.rest([limitAt(reached)]);
    await swapSent(desk, id);
    await chain.request("anvil_dropAllTransactions", []);
    await putItems(db.table, [cancellationKey({ userID: desk.userID, orderId: id })]);
    await desk.work();
    await mineAndWork(desk);
    await mineAndWork(desk, 2);
    expect(await endedOf(id)).toHaveLength(1);
    const { expiresAt } = (await desk.resting(id))?.mandate ?? { expiresAt: 0 };
    await db.table.client.send(new DeleteCommand({ TableName: db.table.name, Key: endedKey(id) }));
    const fireAfter = (seconds: number) => desk.fire([id], { nowMs: () => (expiresAt + seconds) * 1000 });
    await fireAfter(86_399);
    expect(await desk.resting(id)).toMatchObject({ state: "firing" });
    await fireAfter(86_400);
    expect(await desk.record(id)).toMatchObject({ status: "cancelled", settled: true });
  });

  it("fill their resting order even a day after its mandate has expired", async () => {
    const desk = await opened();
    const id = await desk.rest([limitAt(reached)]);
    await swapSent(desk, id);
    await mineAndWork(desk);
    const { expiresAt } = (await desk.resting(id))?.mandate ?? { expiresAt: 0 };
    await desk.fire([id], { nowMs: () => (expiresAt + 86_400) * 1000 });
    expect(await desk.record(id)).toMatchObject({ status: "filled" });
  });

  // These come last, because they move the chain's time.
  it("are dead two blocks after their swap has failed, and then another one fires", async () => {
    const desk = await opened();
    const id = await desk.rest([limitAt(reached)]);
    const childId = await swapSent(desk, id);
    await passDeadline();
    await mineAndWork(desk);
    expect((await desk.read(childId)).order).toMatchObject({ status: "rejected", settled: false });
    await mineAndWork(desk);
    await desk.fire([id]);
    expect([await endedOf(id), (await desk.resting(id))?.state]).toEqual([undefined, "firing"]);
    await mineAndWork(desk);
    // The local chain is final after two blocks, so the child settles in the same run.
    const [block, paid] = [expect.any(Number), expect.any(BigInt)];
    expect(await endedOf(id)).toEqual([{ child: childId, how: "failed", block, final: true, paid }]);
    await desk.fire([id]);
    expect(await desk.resting(id)).toMatchObject({ state: "resting", firings: [{ outcome: "failed" }] });
    await desk.fire([id], { nowMs: () => Date.now() + 6000 });
    expect(await desk.resting(id)).toMatchObject({ state: "firing", n: 2 });
  });

  it("are dead if a delegation has used their nonce, as the blocks up to their deadline show", async () => {
    await chain.restore();
    await chain.request("evm_setNextBlockTimestamp", [Math.ceil(Date.now() / 1000)]);
    const desk = await opened();
    const id = await desk.rest([limitAt(reached)]);
    // Nothing fires by the head of a restored chain once it is old.
    await chain.mine();
    const childId = await swapSent(desk, id);
    await chain.request("anvil_dropAllTransactions", []);
    const next = Number(await chain.request("eth_getTransactionCount", [desk.wallet, "latest"]));
    await chain.request("anvil_setNonce", [desk.wallet, `0x${(next + 1).toString(16)}`]);
    await passDeadline();
    await mineAndWork(desk, 3);
    expect(await endedOf(id)).toMatchObject([{ child: childId, how: "unused" }]);
    await desk.fire([id]);
    expect(await desk.resting(id)).toMatchObject({ state: "resting", firings: [{ outcome: "lapsed" }] });
  });
});
