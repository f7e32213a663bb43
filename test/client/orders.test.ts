import type { Order } from "trading-terminal-client";
import { describe, expect, it } from "vitest";
import { silent } from "./support/silent-service.ts";

const order = (status: Order["status"], more: Partial<Order> = {}) =>
  ({ orderId: "o1", version: 1, createdAt: "2026-11-21T09:30:00Z", status, ...more }) as Order;

/** A service whose orders come over the stream, and whose answers to getOrder are scripted. */
async function waiting(older: () => Response = () => notFound()) {
  const asked: string[] = [];
  const fetch = async (url: string | URL | Request) => {
    asked.push(new URL(String(url)).pathname);
    return older();
  };
  const service = await silent({ channels: [] }, { fetch });
  const { sockets, clock, terminal } = service;
  /** Opens the socket of the waiters, with these orders. */
  const open = async (...orders: Order[]) => {
    await clock.advance(0);
    const socket = service.socket();
    socket.emit("open");
    socket.snapshot("orders", orders);
    await clock.advance(0);
    return socket;
  };
  const update = (data: Order) =>
    service.socket().message({ type: "update", channel: "orders", time: "now", data: [data] });
  return { terminal, clock, sockets, asked, open, update };
}

const notFound = () =>
  Response.json({ error: { code: "ORDER_NOT_FOUND", message: "There is no such order" } }, { status: 404 });
const found = (data: Order) =>
  Response.json({ success: true, data: { order: data, attempts: [] }, timestamp: "now" });

describe("waitForOrder", () => {
  it("waits until the end of an order is final, and leaves nothing behind", async () => {
    const { terminal, clock, sockets, open, update, asked } = await waiting();
    const settled = terminal.waitForOrder("o1");
    const filled = terminal.waitForOrder("o1", { until: "filled" });
    const socket = await open(order("open"));
    update(order("filled", { version: 2, settled: false }));
    expect(await filled).toMatchObject({ status: "filled", settled: false });
    update(order("rejected", { version: 3, settled: false }));
    await clock.advance(0);
    expect(socket.isClosed).toBe(false);
    update(order("rejected", { version: 4, settled: true }));
    expect(await settled).toMatchObject({ status: "rejected", settled: true });
    await clock.advance(0);
    // One for the test's own stream, one for both that waited.
    expect([sockets.length, socket.isClosed, asked]).toEqual([2, true, []]);
  });

  it("takes the end of another engine's order as final, and waits across connections", async () => {
    const { terminal, clock, sockets, open, update } = await waiting();
    const ended = terminal.waitForOrder("o1");
    const socket = await open(order("partially_filled"));
    socket.emit("close");
    await clock.advance(2000);
    await open(order("partially_filled"));
    update(order("cancelled", { version: 2 }));
    expect(await ended).toMatchObject({ status: "cancelled" });
    expect(sockets).toHaveLength(3);
  });

  it("reads an order that ended before the last week, and waits for one that is new", async () => {
    const old = await waiting(() => found(order("filled", { settled: true })));
    const ended = old.terminal.waitForOrder("o1");
    await old.open();
    expect(await ended).toMatchObject({ status: "filled" });
    const young = await waiting(() => found(order("open")));
    const ending = young.terminal.waitForOrder("o1");
    await young.open();
    young.update(order("filled", { version: 2, settled: true }));
    expect(await ending).toMatchObject({ version: 2 });
    expect(young.asked).toEqual(["/api/api/v2/orders/o1"]);
  });

  it("rejects for an order that the user does not have, and at each limit", async () => {
    const { terminal, clock, open } = await waiting();
    const unknown = terminal.waitForOrder("o2");
    unknown.catch(() => {});
    const leaving = new AbortController();
    const left = terminal.waitForOrder("o1", { signal: leaving.signal });
    const late = terminal.waitForOrder("o1", { timeoutMs: 5000 });
    late.catch(() => {});
    const socket = await open(order("open"));
    await expect(unknown).rejects.toThrow("There is no such order");
    leaving.abort(new Error("left"));
    await expect(left).rejects.toThrow("left");
    await clock.advance(5000);
    await expect(late).rejects.toMatchObject({ name: "TimeoutError" });
    expect(socket.isClosed).toBe(true);
    const aborted = terminal.waitForOrder("o1", { signal: AbortSignal.abort(new Error("before")) });
    await expect(aborted).rejects.toThrow("before");
  });
});
