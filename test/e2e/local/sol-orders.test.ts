import { portsOf } from "trading-terminal-devnet/local-chains";
import { solDeployment } from "trading-terminal-devnet/sol/sol-deployment";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { newSolanaKey } from "../../support/keys.ts";
import { askOne } from "../../support/local-hosts.ts";
import { post } from "../support/client.ts";
import { localRunner } from "../support/deployment.ts";
import { dataFor, ordersPath, placeOrder, settles, updatesOf } from "../support/orders.ts";
import { streamOf, subscribe } from "../support/stream.ts";
import { importWallet } from "../support/terminal.ts";
import { newUser, type User } from "../support/users.ts";

const { tokens } = await solDeployment();
const key = newSolanaKey();
const wallet = key.address;

let user: User;
/** An order that is cancelled while the other tests run, because sol takes 13 seconds to be final. */
let cancelled: string;

async function call<Result>(method: string, ...params: unknown[]): Promise<Result> {
  const { node } = portsOf("sol", localRunner().chainPort);
  return (await askOne(`http://127.0.0.1:${node}`, method, ...params)).result as Result;
}

beforeAll(async () => {
  user = await newUser();
  expect((await importWallet(user, key)).status).toBe(200);
  await call("requestAirdrop", wallet, 5 * 10 ** 9);
  await vi.waitFor(
    async () => expect((await call<{ value: number }>("getBalance", wallet)).value).toBeGreaterThan(0),
    15_000,
  );
});

describe("an order on sol", () => {
  const buy = { chain: "sol", wallet, type: "market", side: "buy" };

  it("lets users cancel an order on sol", async () => {
    const trade = { ...buy, token: tokens.FEEZ.mint, amount: "0.01", priorityFee: 0 };
    const { status, body } = await placeOrder(user, { ...trade, mevProtection: false }, "cancelled");
    expect(status, JSON.stringify(body)).toBe(200);
    cancelled = body.data.order.orderId;
    const answer = await post(`${ordersPath}/${cancelled}/cancel`, { token: user.token, body: {} });
    // A block may include the order before its cancellation.
    expect(answer.status === 200 || answer.text.includes("ORDER_NOT_CANCELLABLE"), answer.text).toBe(true);
  });

  it("shows the same order on sol by REST and on the stream, from placement to settlement", async () => {
    const stream = await streamOf(user);
    await subscribe(stream, "orders", "positions");
    const token = tokens.MOON.mint;
    const { status, body } = await placeOrder(user, { ...buy, token, amount: "0.25" }, "buy");
    expect(status, JSON.stringify(body)).toBe(200);
    const { order } = body.data;
    expect(order).toMatchObject({ chain: "sol", status: "open", stage: "queued", version: 1 });
    await stream.see(settles(order.orderId));

    const shown = updatesOf(stream, "orders").filter(({ orderId }) => orderId === order.orderId);
    expect(shown[0]).toEqual(order);
    const last = shown.at(-1);
    expect(last).toMatchObject({ status: "filled", filledAmount: "0.25", settled: true });
    const { order: read, attempts } = await dataFor(user, `orders/${order.orderId}`);
    expect(read).toEqual(last);
    expect(attempts).toMatchObject([{ purpose: "swap", txHash: last?.txHash, outcome: "mined" }]);
    expect((await dataFor(user, `orders?chain=sol&wallet=${wallet}&token=${token}`)).orders).toEqual([last]);
    const inBlock = await call("getTransaction", last?.txHash, { maxSupportedTransactionVersion: 0 });
    expect(inBlock).toMatchObject({ meta: { err: null } });

    const { positions } = await dataFor(user, `positions?chain=sol&wallet=${wallet}`);
    const position = positions.find((each) => (each as { token: string }).token === token);
    expect(position).toMatchObject({ status: "open", cost: "0.25", settled: true });
    await vi.waitFor(() => expect(updatesOf(stream, "positions")).toContainEqual(position), 30_000);
  });

  it("refuses a stop that is reached, and fires a limit that is", async () => {
    const pair = { takeProfit: { price: "1000" }, stopLoss: { stopPrice: "999" } };
    const sale = { chain: "sol", wallet, type: "oco", side: "sell", token: tokens.MOON.mint, percent: 50 };
    const refused = await placeOrder(user, { ...sale, ...pair }, "crossed");
    expect(refused).toMatchObject({ status: 409, body: { error: { code: "WOULD_FIRE_NOW" } } });
    const limit = { ...sale, type: "limit", price: "0.000000001" };
    const { status, body } = await placeOrder(user, limit, "limit");
    expect(status, JSON.stringify(body)).toBe(200);
    const { orderId } = body.data.order;
    await vi.waitFor(async () => {
      const { order, firings } = await dataFor(user, `orders/${orderId}`);
      expect(order).toMatchObject({ status: "filled", settled: true });
      expect(firings).toMatchObject([{ n: 1, leg: "limit", outcome: "filled" }]);
    }, 100_000);
  }, 150_000);

  it("gives a cancelled order on sol exactly one outcome", async () => {
    await vi.waitFor(async () => {
      const { order, attempts } = await dataFor(user, `orders/${cancelled}`);
      expect(order.settled).toBe(true);
      expect(["cancelled", "filled"]).toContain(order.status);
      expect(attempts.filter(({ outcome }) => outcome === "mined").length).toBeLessThanOrEqual(1);
    }, 80_000);
  });
});
