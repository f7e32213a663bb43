import { setTimeout as delay } from "node:timers/promises";
import { DeleteCommand } from "@aws-sdk/lib-dynamodb";
import { parseUnits } from "ethers/utils";
import { startTestChain, type TestChain } from "trading-terminal-devnet/evm/test-chain";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { restingStep } from "../../lib/orders/resting/resting-step.ts";
import { type StoredResting, triggerOf } from "../../lib/orders/resting/stored.ts";
import { cancelOrder } from "../../lib/trading/cancel-order.ts";
import { find } from "../../lib/trading/items/found-items.ts";
import { cancellationKey, endedKey } from "../../lib/trading/items/keys.ts";
import { writeStep } from "../../lib/trading/items/write-step.ts";
import { tableForTests } from "../support/dynamodb.ts";
import { putItems } from "../support/items.ts";
import { limitAt, openHolderDesk, reached, stopAt, twoSlices } from "../support/resting-desk.ts";

const db = tableForTests();

let chain: TestChain;
beforeAll(async () => {
  chain = await startTestChain();
});
afterAll(() => chain.close());

const opened = () => openHolderDesk(db.table, chain);

type Desk = Awaited<ReturnType<typeof opened>>;

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
    const { terms, beforeSecond } = twoSlices();
    const id = await desk.rest([{ kind: "slice", worst: reached }], { ...terms, amount: 10n ** 21n + 1n });
    const first = await swapSent(desk, id);
    await chain.mine();
    await desk.work();
    await desk.fire([id], { nowMs: beforeSecond });
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

  it("do not fire again because executeOrders lies about their death", async () => {
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

  it("fill their resting order after its end, if one that counted as dead fills", async () => {
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

  /** Opens a desk on a chain whose time is the clock's. */
  async function openedAfresh() {
    await chain.restore();
    await chain.request("evm_setNextBlockTimestamp", [Math.ceil(Date.now() / 1000)]);
    return opened();
  }

  // Runs these tests last, because they move the chain's time.
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
    const desk = await openedAfresh();
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

  it("leave their order unfilled if a reorganisation takes their slice back, and the slice settles unseen", async () => {
    const desk = await openedAfresh();
    const createdAt = Math.floor(Date.now() / 1000) * 1000;
    const slices = { count: 2, everySeconds: 600 };
    const id = await desk.rest([{ kind: "slice", worst: reached }], { slices, createdAt });
    const childId = await swapSent(desk, id);
    const before = await chain.request("evm_snapshot", []);
    await mineAndWork(desk);
    await desk.fire([id]);
    expect(await desk.record(id)).toMatchObject({ slicesDone: 1, filledAmount: "500" });
    await chain.request("evm_revert", [before]);
    await chain.request("anvil_dropAllTransactions", []);
    await passDeadline();
    await desk.settle();
    expect((await desk.read(childId)).order).toMatchObject({ settled: true, filledAmount: "0" });
    await desk.fire([id]);
    const record = { status: "open", slicesDone: 0, filledAmount: "0", settled: false };
    expect(await desk.record(id)).toMatchObject(record);
    expect((await desk.resting(id))?.firings).toMatchObject([{ outcome: "lapsed" }]);
  });
});
