import { localAddresses } from "trading-terminal-devnet/evm/deployment";
import { exampleWallet } from "trading-terminal-devnet/example-wallets";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { admin } from "../support/admin.ts";
import { get, post, send } from "../support/client.ts";
import { deployment } from "../support/deployment.ts";
import { record } from "../support/executions.ts";
import { invokeFunction } from "../support/functions.ts";
import { dataFor, ordersPath, placeOrder, type Shown, settles, updatesOf } from "../support/orders.ts";
import { streamOf, subscribe } from "../support/stream.ts";
import { importWallet, profileOf } from "../support/terminal.ts";
import { knownUser, newUser, type User } from "../support/users.ts";

// Trades USDX, because other tests rely on the price of MOON.
const { usdx: token } = localAddresses;
const { address: wallet } = exampleWallet;
const chain = "base";
const trade = { chain, wallet, type: "market", token };

let user: User;
beforeAll(async () => {
  user = await newUser();
  await importWallet(user, { network: chain, privateKey: exampleWallet.privateKey });
});

const place = (body: object, key: string, by = user) => placeOrder(by, body, key);

const dataOf = (query: string) => dataFor(user, query);

describe("an order", () => {
  it("shows the same order by REST and on the stream, from placement to settlement", async () => {
    const stream = await streamOf(user);
    await subscribe(stream, "orders", "positions");
    const buy = { ...trade, side: "buy", amount: "0.25" };
    const { status, body, replayed } = await place(buy, "buy");
    expect(status, JSON.stringify(body)).toBe(200);
    expect(replayed).toBeNull();
    const { order } = body.data;
    expect(order).toMatchObject({ clientOrderId: "buy", status: "open", stage: "queued", version: 1 });
    await stream.see(settles(order.orderId));

    const shown = updatesOf(stream, "orders");
    expect(shown[0]).toEqual(order);
    expect(shown.length).toBeLessThanOrEqual(6);
    const versions = shown.map(({ version }) => version);
    expect(versions).toEqual(versions.toSorted((a, b) => a - b));
    expect(shown.map(({ status }) => status)).toContain("filled");
    expect((await dataOf(`orders/${order.orderId}`)).order).toEqual(shown.at(-1));
    expect((await dataOf(`orders?chain=${chain}&wallet=${wallet}&token=${token}`)).orders).toEqual([
      shown.at(-1),
    ]);

    const again = await place({ ...buy, amount: "0.250" }, '"buy"');
    expect(again).toMatchObject({ status: 200, replayed: "true", body: { data: { order: shown.at(-1) } } });
    const named = await post(ordersPath, { token: user.token, body: { ...buy, clientOrderId: "buy" } });
    expect(named).toMatchObject({ status: 200, json: { data: { order: shown.at(-1) } } });
    const other = await place({ ...buy, amount: "0.26" }, "buy");
    expect(other).toMatchObject({ status: 422, body: { error: { code: "IDEMPOTENCY_KEY_REUSED" } } });

    const { positions } = await dataOf("positions?status=open");
    expect(positions).toMatchObject([{ token, wallet, cost: "0.25", settled: true }]);
    await vi.waitFor(() => expect(updatesOf(stream, "positions").at(-1)).toEqual(positions[0]), 30_000);
  });

  it("closes a position by selling the whole purchase", async () => {
    const { body } = await place({ ...trade, side: "sell", percent: 100 }, "sell");
    const { order } = body.data;
    await vi.waitFor(async () => {
      const now = (await dataOf(`orders/${order.orderId}`)).order;
      expect(now).toMatchObject({ status: "filled", settled: true });
    }, 50_000);
    expect((await dataOf("positions")).positions).toMatchObject([
      { status: "closed", amount: "0", cost: "0" },
    ]);
  });

  it("earns XP and points, which agree with the ledger, and a streak of a day", async () => {
    await vi.waitFor(async () => {
      expect(await invokeFunction("creditTrades", {})).toMatchObject({ failed: false });
      const { Xp, tradeStreakCount } = await profileOf(user);
      expect(Xp).toMatchObject({ total: expect.toSatisfy((total: number) => total > 0) });
      expect(tradeStreakCount).toBe(1);
    }, 150_000);
    const { points, account } = JSON.parse(await admin("show-user", user.id, "--json"));
    expect(points).toBeGreaterThan(0);
    expect(account).toMatchObject({ ledgerSum: points, missingLines: [] });
  }, 200_000);

  it("fires a limit whose price is reached, and shows its child's fill", async () => {
    const bought = await place({ ...trade, side: "buy", amount: "0.1" }, "before a limit");
    await vi.waitFor(async () => {
      const { order } = await dataOf(`orders/${bought.body.data.order.orderId}`);
      expect(order).toMatchObject({ status: "filled" });
    }, 50_000);
    const sale = { ...trade, type: "limit", side: "sell", percent: 100, price: "0.000000001" };
    const { status, body } = await place(sale, "limit");
    expect(status, JSON.stringify(body)).toBe(200);
    const { orderId } = body.data.order;
    expect(body.data.order).toMatchObject({ type: "limit", status: "open", stage: "resting" });
    await vi.waitFor(async () => {
      const { order, firings } = await dataOf(`orders/${orderId}`);
      expect(order).toMatchObject({ status: "filled", settled: true });
      expect(firings).toMatchObject([{ n: 1, leg: "limit", outcome: "filled" }]);
      const { orders } = await dataOf(`orders?parent=${orderId}`);
      expect(orders).toMatchObject([{ parentOrderId: orderId, status: "filled" }]);
    }, 90_000);
  }, 150_000);

  it("rests a pair at the prices of its buy's fill, and cancels it", async () => {
    const exits = [{ percent: 100, takeProfit: { percent: 500 }, stopLoss: { percent: -50 } }];
    const { status, body } = await place({ ...trade, side: "buy", amount: "0.1", exits }, "exits");
    expect(status, JSON.stringify(body)).toBe(200);
    const { order: buy } = body.data;
    const [{ orderId } = { orderId: "" }] = buy.exits ?? [];
    expect(buy.exits).toMatchObject(exits);
    await vi.waitFor(async () => {
      const { order: filled } = await dataOf(`orders/${buy.orderId}`);
      expect(filled).toMatchObject({ status: "filled" });
      const { order } = await dataOf(`orders/${orderId}`);
      expect(order).toMatchObject({ type: "oco", stage: "resting", parentOrderId: buy.orderId });
      expect(order.amount).toBe(filled.receivedAmount);
      const price = Number(filled.filledAmount) / Number(filled.receivedAmount);
      expect(Number(order.takeProfit?.price) / price).toBeCloseTo(6, 6);
      expect(Number(order.stopLoss?.stopPrice) / price).toBeCloseTo(0.5, 6);
    }, 50_000);
    expect((await dataOf("orders?status=resting")).orders).toMatchObject([{ orderId }]);
    const cancelled = await post(`${ordersPath}/${orderId}/cancel`, { token: user.token, body: {} });
    expect(cancelled.json).toMatchObject({ data: { order: { status: "cancelled" } } });
    expect((await dataOf("orders?status=resting")).orders).toEqual([]);
  });

  it("cancels an order, and changes nothing when the cancellation is repeated", async () => {
    const { body } = await place({ ...trade, side: "buy", amount: "0.01" }, "cancelled");
    const { orderId } = body.data.order;
    const cancel = () => post(`${ordersPath}/${orderId}/cancel`, { token: user.token, body: {} });
    const { status, text } = await cancel();
    // The order may be mined before its cancellation.
    expect(status === 200 || text.includes("ORDER_NOT_CANCELLABLE"), text).toBe(true);
    await vi.waitFor(async () => {
      const { order } = await dataOf(`orders/${orderId}`);
      expect(order.settled).toBe(true);
      expect(["cancelled", "filled"]).toContain(order.status);
    }, 50_000);
  });

  it("cancels all orders of a chain at once, and lets new ones be placed", async () => {
    const buy = { ...trade, side: "buy", amount: "0.01" };
    const orders = [await place(buy, "all-1"), await place(buy, "all-2")];
    const cancelAll = async (body: object, by = user) => {
      const { status, json } = await post(`${ordersPath}/cancel`, { ...by, body });
      expect(status).toBe(200);
      return (json as { data: { cancelled: number } }).data.cancelled;
    };
    expect(await cancelAll({}, await knownUser())).toBe(0);
    // A block may include orders before their cancellation.
    expect([0, 1, 2]).toContain(await cancelAll({ chain: trade.chain }));
    orders.push(await place(buy, "all-3"));
    for (const [index, { body }] of orders.entries())
      await vi.waitFor(async () => {
        const { order } = await dataOf(`orders/${body.data.order.orderId}`);
        expect(order.settled).toBe(true);
        expect(index === 2 ? ["filled"] : ["cancelled", "filled"]).toContain(order.status);
      }, 50_000);
    expect(await cancelAll({})).toBe(0);
  });

  it("refuses to let another user place, see or cancel an order, even with the same wallet", async () => {
    const other = await knownUser();
    const buy = { ...trade, side: "buy", amount: "0.01" };
    expect(await place(buy, "k", other)).toMatchObject({
      status: 404,
      body: { error: { code: "WALLET_NOT_FOUND" } },
    });
    const [{ orderId } = { orderId: "" }] = (await dataOf("orders")).orders;
    for (const asked of [
      get(`${ordersPath}/${orderId}`, other),
      post(`${ordersPath}/${orderId}/cancel`, { ...other, body: {} }),
    ]) {
      const { status, json } = await asked;
      expect(status).toBe(404);
      expect(json).toMatchObject({ error: { code: "ORDER_NOT_FOUND" } });
    }
  });

  it("refuses changes to the order that another engine reports", async () => {
    const { orders } = await dataOf("orders");
    const [own] = orders as [Shown];
    const report = { kind: "order", userID: user.id, ...own, version: 99, status: "open" };
    expect(await record(report as never)).toEqual(["rejected"]);
    expect((await dataOf(`orders/${own.orderId}`)).order).toEqual(own);
  });

  it("lets pages of an allowed origin place and cancel orders", async () => {
    const { allowedOrigin = "" } = deployment();
    for (const each of [ordersPath, `${ordersPath}/o-1/cancel`]) {
      const { headers } = await send("OPTIONS", each, {
        headers: {
          Origin: allowedOrigin,
          "Access-Control-Request-Method": "POST",
          "Access-Control-Request-Headers": "authorization,content-type,idempotency-key",
        },
      });
      expect(headers.get("Access-Control-Allow-Origin")).toBe(allowedOrigin);
      expect(headers.get("Access-Control-Allow-Methods")).toContain("POST");
      expect(headers.get("Access-Control-Allow-Headers")?.toLowerCase()).toContain("idempotency-key");
    }
  });
});
