import { TransactionCanceledException } from "@aws-sdk/client-dynamodb";
import { TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import { describe, expect, it } from "vitest";
import type { Evm } from "../../lib/chains/evm/rules/family.ts";
import { signEvmTransaction } from "../../lib/chains/evm/rules/sign.ts";
import type { SignRequest } from "../../lib/orders/effects.ts";
import type { TradeStep } from "../../lib/orders/table-step.ts";
import type { TradeOrder } from "../../lib/orders/trade-order.ts";
import { cancelOrder } from "../../lib/trading/cancel-order.ts";
import { runProcedure } from "../../lib/trading/execution/run-procedure.ts";
import { keysOfItems, packed } from "../../lib/trading/items/items.ts";
import { cancellationKey } from "../../lib/trading/items/keys.ts";
import { readOrder } from "../../lib/trading/items/views.ts";
import { writeStep } from "../../lib/trading/items/write-step.ts";
import { tableForTests } from "../support/dynamodb.ts";
import { interceptedTable } from "../support/intercepted-table.ts";
import { itemsNamed, putItems } from "../support/items.ts";
import { shortPausesForTests } from "../support/short-pauses.ts";
import { LaneBench } from "./execution/support/lane-bench.ts";

const db = tableForTests();
shortPausesForTests();

const write = (...step: TradeStep) => writeStep(db.table, step);

/** Creates an order with a planned swap, and the executor's request to sign it. */
async function planned() {
  const bench = await new LaneBench(db.table).open();
  const { orderId, userID } = bench.request();
  const request = { ...bench.request(), orderId, userID };
  await bench.place(request);
  const asked = await bench.askedSigner();
  const read = async () => (await readOrder(db.table, userID, orderId)).order as TradeOrder<Evm>;
  const sign = (request: SignRequest<Evm>) => runProcedure(signEvmTransaction(request), bench.effects());
  return { bench, userID, orderId, request: asked, order: await read(), read, sign };
}

const put = (item: TradeOrder<Evm>) => write({ kind: "put", of: "order", item, when: {} });

const restore = (order: TradeOrder<Evm>) =>
  putItems(db.table, [{ ...keysOfItems.order(order), ...(packed(order) as object) }]);

describe("cancelOrder", () => {
  it.each<[string, (order: TradeOrder<Evm>) => Promise<unknown>, object]>([
    [
      "claims that the order was rejected",
      (order) => put({ ...order, life: { ...order.life, status: "rejected", stage: "done" } }),
      { refused: "ORDER_NOT_CANCELLABLE", status: "rejected" },
    ],
    [
      "hides the order",
      (order) => write({ kind: "remove", of: "order", item: order, when: {} }),
      { refused: "ORDER_NOT_FOUND" },
    ],
  ])("records a cancellation and signs nothing, even if an intruder %s", async (_, lie, answer) => {
    const { bench, userID, orderId, order, request, sign } = await planned();
    await lie(order);
    expect(await bench.cancel(orderId)).toEqual(answer);
    await restore(order);
    expect(await sign(request)).toEqual({ later: "the order has ended" });
    const [item] = await itemsNamed(db.table, cancellationKey({ userID, orderId }).PK);
    expect(item).toEqual({ ...cancellationKey({ userID, orderId }), userID, orderId });
  });

  it("lets the lane cancel an order that changes too often to be cancelled directly", async () => {
    const { bench, orderId, request, sign, read } = await planned();
    let writes = 0;
    bench.wrap = (performers) => ({
      ...performers,
      write: async (ask) => {
        if (ask.step.some(({ of }) => of === "order")) {
          writes++;
          const order = await read();
          await put({ ...order, revision: order.revision + 1 });
        }
        return performers.write?.(ask) ?? false;
      },
    });
    expect(await bench.cancel(orderId)).toMatchObject({ order: { life: { status: "open" } } });
    expect(writes).toBe(5);
    bench.wrap = (same) => same;
    expect(await sign(request)).toEqual({ later: "the order has ended" });
    await bench.work();
    expect((await read()).life).toMatchObject({ status: "cancelled", reasonCode: "CANCELLED_BY_USER" });
    expect(await bench.slots()).toEqual([]);
  });

  it("refuses to cancel another user's order", async () => {
    const { bench, orderId, request, sign } = await planned();
    expect(await bench.cancel(orderId, "mallory")).toEqual({ refused: "ORDER_NOT_FOUND" });
    expect(await sign(request)).toHaveProperty("slot");
  });

  it("records a cancellation despite many conflicts with the signer's transactions", async () => {
    const bench = await new LaneBench(db.table).open();
    const orderId = String(bench.nowMs).padEnd(26, "0");
    const { userID } = bench;
    let left = 10;
    const table = interceptedTable(db.table, (command) => {
      if (!(command instanceof TransactWriteCommand) || left-- <= 0) return;
      const CancellationReasons = [{ Code: "TransactionConflict" }];
      throw new TransactionCanceledException({ $metadata: {}, message: "", CancellationReasons });
    });
    const cancelled = cancelOrder({ table, wake: () => undefined }, userID, orderId);
    await expect(cancelled).rejects.toMatchObject({ code: "ORDER_NOT_FOUND" });
    expect(await itemsNamed(db.table, cancellationKey({ userID, orderId }).PK)).toHaveLength(1);
  });

  it("lets the lane remove a cancelled order's planned slot without signing", async () => {
    const { bench, orderId, request, sign, read } = await planned();
    expect(await bench.cancel(orderId)).toMatchObject({ order: { life: { status: "cancelled" } } });
    expect(await sign(request)).toEqual({ later: "the order has ended" });
    await bench.work();
    expect([(await read()).life.settled, await bench.slots()]).toEqual([true, []]);
  });
});
