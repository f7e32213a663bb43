import { QueryCommand } from "@aws-sdk/lib-dynamodb";
import { describe, expect, it } from "vitest";
import type { Evm } from "../../lib/chains/evm/rules/family.ts";
import { signEvmTransaction } from "../../lib/chains/evm/rules/sign.ts";
import type { SignRequest } from "../../lib/orders/effects.ts";
import type { CutoffScope } from "../../lib/orders/table-step.ts";
import type { TradeOrder } from "../../lib/orders/trade-order.ts";
import { openPolicy } from "../../lib/orders/wallet-policy.ts";
import { cancelOrders } from "../../lib/trading/cancel-orders.ts";
import { runProcedure } from "../../lib/trading/execution/run-procedure.ts";
import { cancellationKey, cutoffKey, cutoffPartKeys, tradingStopKey } from "../../lib/trading/items/keys.ts";
import type { PlaceAnswer } from "../../lib/trading/procedures/placing.ts";
import { tableForTests } from "../support/dynamodb.ts";
import { interceptedTable } from "../support/intercepted-table.ts";
import { itemsNamed, putItems } from "../support/items.ts";
import type { PlainRequest } from "../support/place-request.ts";
import { putPolicy } from "../support/placed-orders.ts";
import { LaneBench } from "./execution/support/lane-bench.ts";

const db = tableForTests();
const wake = () => undefined;

/** Opens a bench whose user places orders of 100 and cancels all of them, each with its own clock. */
async function opened(table = db.table, address?: string) {
  const bench = await new LaneBench(table, address).open();
  const { userID, lane } = bench;
  const lanesOf = async () => [lane];
  let keys = 0;
  const orderOf = (answer: PlaceAnswer): TradeOrder<Evm> => {
    if (!("order" in answer)) throw new Error("It was not placed");
    return answer.order as TradeOrder<Evm>;
  };
  return {
    bench,
    userID,
    lane,
    async place(changes: Partial<PlainRequest> = {}) {
      const key = `k-${++keys}`;
      return orderOf(await bench.place(bench.request({ amount: 100n, key, fingerprint: key, ...changes })));
    },
    cancelAll: (scope: Omit<CutoffScope, "userID"> = {}, nowMs = bench.nowMs, by = table) =>
      cancelOrders({ table: by, wake, lanesOf, nowMs: () => nowMs }, userID, scope),
    /** Reads the orders' states, by id. */
    async states() {
      const orders = await bench.ordersOf([userID]);
      return new Map(orders.map(({ intent, life }) => [intent.orderId, `${life.status} ${life.stage}`]));
    },
    sign: (request: SignRequest<Evm>) => runProcedure(signEvmTransaction(request), bench.effects()),
  };
}

const cancelled = "cancelled done";

describe("cancelOrders", () => {
  it("counts and ends open orders, and can be repeated", async () => {
    const { place, cancelAll, states } = await opened();
    const orders = [await place(), await place(), await place()];
    expect(await cancelAll()).toBe(3);
    expect([...(await states()).values()]).toEqual(orders.map(() => cancelled));
    expect(await cancelAll()).toBe(0);
  });

  it("lets a transaction compete with a signed swap, and counts the order until the chain has decided", async () => {
    const { bench, place, cancelAll, states } = await opened();
    await place();
    await bench.work();
    expect(await cancelAll()).toBe(1);
    expect([...(await states()).values()]).toEqual(["open cancelling"]);
    expect(await cancelAll()).toBe(1);
  });

  it.each<[string, Omit<CutoffScope, "userID">, number]>([
    ["of the chain", { chain: "eth" }, 1],
    ["of another chain", { chain: "base" }, 0],
  ])("cancels only orders %s", async (_, scope, count) => {
    const { place, cancelAll, states } = await opened();
    await place();
    expect(await cancelAll(scope)).toBe(count);
    expect([...(await states()).values()]).toEqual([count === 1 ? cancelled : "open queued"]);
  });

  it("cancels the orders of one wallet, and none of another user who has its key", async () => {
    const wallet = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
    const { bench, userID, place, cancelAll, states } = await opened(db.table, wallet);
    const friend = `friend of ${userID}`;
    await bench.addUser(friend);
    await place();
    await place({ userID: friend });
    const scope = { chain: "eth", wallet: wallet.toLowerCase() } as const;
    expect(await cancelAll(scope)).toBe(1);
    expect([...(await states()).values()]).toEqual([cancelled]);
    const [theirs] = await bench.ordersOf([friend]);
    expect(theirs?.life.status).toBe("open");
  });

  it("leaves orders of other wallets alone, and refuses a wallet that the user does not have", async () => {
    const { place, cancelAll, states } = await opened();
    await place();
    const wallet = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
    await expect(cancelAll({ chain: "eth", wallet })).rejects.toMatchObject({ code: "WALLET_NOT_FOUND" });
    expect([...(await states()).values()]).toEqual(["open queued"]);
  });

  it("cancels orders while trading is stopped and the wallet is frozen", async () => {
    const table = await db.newTable();
    const { userID, lane, place, cancelAll } = await opened(table);
    await place();
    const policy = { ...openPolicy, tradingEnabled: false };
    await putPolicy(table, { ...lane, userID, policy, revision: 1 });
    await putItems(table, [tradingStopKey("eth")]);
    expect(await cancelAll()).toBe(1);
  });

  it.each([
    ["ahead", 1000],
    ["behind", -1000],
  ])(
    "cancels each of two orders placed at the same time by clocks that are a second %s",
    async (_, skewMs) => {
      const { bench, place, cancelAll, states } = await opened();
      const before = [
        await place({ nowMs: bench.nowMs + skewMs }),
        await place({ nowMs: bench.nowMs - skewMs }),
      ];
      expect(await cancelAll()).toBe(2);
      const after = [
        await place({ nowMs: bench.nowMs + skewMs }),
        await place({ nowMs: bench.nowMs - skewMs }),
      ];
      const found = await states();
      expect(before.map(({ intent }) => found.get(intent.orderId))).toEqual([cancelled, cancelled]);
      expect(after.map(({ intent }) => found.get(intent.orderId))).toEqual(["open queued", "open queued"]);
      for (const { intent } of after) expect(intent.createdAt).toBeGreaterThan(bench.nowMs);
    },
  );

  it.each([0, 1000, -1000])(
    "cancels what a clock that differs by %i ms has placed since the last cancellation",
    async (skewMs) => {
      const { bench, place, cancelAll, states, sign } = await opened();
      await cancelAll({}, bench.nowMs + 1000);
      const order = await place();
      expect(order.intent.createdAt).toBe(bench.nowMs + 1001);
      const request = await bench.askedSigner();
      const table = interceptedTable(db.table, (command) => {
        if (command instanceof QueryCommand) throw new Error("crash after the write");
      });
      await expect(cancelAll({}, bench.nowMs + skewMs, table)).rejects.toThrow("crash");
      expect(await sign(request)).toEqual({ later: "the order has ended" });
      await bench.work();
      expect([...(await states()).values()]).toEqual([cancelled]);
    },
  );

  it("counts an order that is placed at the same moment, or lets it be placed later", async () => {
    const { bench, place, cancelAll, states, sign } = await opened();
    const { reached, goOn } = bench.stopAt("write", 1);
    const late = place();
    await reached;
    expect(await cancelAll()).toBe(0);
    goOn();
    const { intent } = await late;
    bench.wrap = (same) => same;
    expect(intent.createdAt).toBe(bench.nowMs + 1);
    expect([...(await states()).values()]).toEqual(["open queued"]);
    expect(await sign(await bench.askedSigner())).toHaveProperty("raw");
  });

  it("counts each of many orders placed at the same moment, or leaves it open and signable", async () => {
    const { place, cancelAll, states, bench } = await opened();
    const rounds = Array.from({ length: 6 }, async () => place());
    const [counted, ...orders] = await Promise.all([cancelAll(), ...rounds]);
    const found = await states();
    const ended = orders.filter(({ intent }) => found.get(intent.orderId) === cancelled);
    expect(ended).toHaveLength(counted);
    for (const { intent } of orders.filter((order) => !ended.includes(order)))
      expect(intent.createdAt).toBeGreaterThan(bench.nowMs);
  });

  it("keeps a time for all orders, one for each chain, and one for each wallet, which only grow", async () => {
    const wallet = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
    const { bench, userID, cancelAll } = await opened(db.table, wallet);
    const ofWallet = { chain: "eth", wallet } as const;
    const { nowMs } = bench;
    for (const [scope, ms] of [
      [{}, nowMs],
      [{ chain: "base" }, nowMs + 5],
      [ofWallet, nowMs + 7],
      [ofWallet, nowMs - 1000],
      [{}, nowMs],
    ] as const)
      await cancelAll(scope, ms);
    const parts = cutoffPartKeys(userID);
    const own = cutoffKey({ userID, ...ofWallet });
    const found = await itemsNamed(db.table, own.PK);
    expect(parts).toHaveLength(32);
    expect(found).toHaveLength(33);
    expect(found).toEqual(
      expect.arrayContaining([
        ...parts.map((key) => ({ ...key, userID, before: nowMs + 1, base: nowMs + 5 })),
        { ...own, userID, ...ofWallet, before: nowMs + 8 },
      ]),
    );
  });

  it("keeps its records for good", async () => {
    const { bench, userID, place, cancelAll } = await opened();
    const { intent } = await place();
    await cancelAll();
    const key = cancellationKey(intent);
    const found = await itemsNamed(db.table, key.PK);
    expect(found).toHaveLength(33);
    expect(found).toEqual(
      expect.arrayContaining([
        ...cutoffPartKeys(userID).map((part) => ({ ...part, userID, before: bench.nowMs })),
        { ...key, userID, orderId: intent.orderId },
      ]),
    );
  });
});
