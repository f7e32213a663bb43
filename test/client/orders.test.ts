import type { Order } from "trading-terminal-client";
import { describe, expect, it } from "vitest";
import { silent } from "./support/silent-service.ts";

const order = (status: Order["status"], more: Partial<Order> = {}) =>
  ({ orderId: "o1", version: 1, createdAt: "2026-11-21T09:30:00Z", status, ...more }) as Order;

/** A service with the order o1. The order is open when read, and its changes arrive over the stream. */
async function waiting(read: () => Response = () => found(order("open"))) {
  const asked: string[] = [];
  const fetch = async (url: string | URL | Request) => {
    const { pathname } = new URL(String(url));
    asked.push(pathname);
    return pathname.endsWith("/o1") ? read() : notFound();
  };
  const service = await silent({ channels: [] }, { fetch });
  const { sockets, clock, terminal } = service;
  /** Opens the waiters' socket with a snapshot of these orders. */
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
  it("waits until an order's outcome is final and closes everything it opened", async () => {
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
    // One socket is the test's own stream, and both waiters share the other.
    expect([sockets.length, socket.isClosed]).toEqual([2, true]);
    expect(asked).toEqual([0, 1].map(() => "/api/api/v2/orders/o1"));
  });

  it.each(["filled", "cancelled"] as const)(
    "follows a resting order that a reorganisation opens again until it is %s",
    async (end) => {
      const resting = (status: Order["status"], more: Partial<Order> = {}) =>
        order(status, { type: "limit", stage: "firing", settled: false, ...more });
      const { terminal, clock, open, update } = await waiting(() =>
        found(resting("open", { stage: "resting" })),
      );
      let isSettled = false;
      const first = terminal.waitForOrder("o1", { until: "filled" });
      const settled = terminal.waitForOrder("o1").finally(() => {
        isSettled = true;
      });
      await open(resting("open", { stage: "resting" }));
      update(resting("open", { version: 2, childOrderId: "c1" }));
      update(resting("filled", { version: 3, childOrderId: "c1" }));
      expect(await first).toMatchObject({ status: "filled", settled: false, childOrderId: "c1" });
      update(resting("open", { version: 4, childOrderId: "c1" }));
      update(resting("open", { version: 5, stage: "resting" }));
      const again = terminal.waitForOrder("o1", { until: "filled" });
      await clock.advance(0);
      update(resting(end, { version: 6, childOrderId: "c2", settled: end === "cancelled" }));
      expect(await again).toMatchObject({ status: end, childOrderId: "c2" });
      await clock.advance(0);
      expect(isSettled).toBe(end === "cancelled");
      update(resting(end, { version: 7, childOrderId: "c2", stage: "done", settled: true }));
      expect(await settled).toMatchObject({ status: end, settled: true, childOrderId: "c2" });
    },
  );

  it("treats another engine's ended order as final and waits across connections", async () => {
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

  it("returns an order that has already ended, even if the stream no longer has it", async () => {
    const { terminal, clock, sockets } = await waiting(() => found(order("filled", { settled: true })));
    expect(await terminal.waitForOrder("o1")).toMatchObject({ status: "filled" });
    await clock.advance(0);
    expect(sockets.filter(({ isClosed }) => !isClosed)).toHaveLength(1);
  });

  it("waits on the stream if the order cannot be read for now", async () => {
    const { terminal, clock, open, update } = await waiting(() => new Response("", { status: 400 }));
    const ending = terminal.waitForOrder("o1");
    await open(order("open"));
    update(order("expired", { version: 2, settled: true }));
    await clock.advance(0);
    expect(await ending).toMatchObject({ status: "expired" });
  });

  it("rejects for an unknown order, a timeout and an aborted signal", async () => {
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
