import type { Order } from "trading-terminal-client";
import { afterEach, describe, expect, it, vi } from "vitest";
import { silent } from "./support/silent-service.ts";

describe("a stream that reconnects", () => {
  it("pings each minute and reconnects if no pong arrives", async () => {
    const { socket, sockets, clock, statuses } = await silent();
    socket().emit("open");
    socket().snapshot("orders");
    await clock.advance(60_000);
    expect(socket().sent.at(-1)).toEqual({ type: "ping" });
    socket().message({ type: "pong", time: "now" });
    await clock.advance(79_000);
    expect([socket().isClosed, socket().sent.length]).toEqual([false, 3]);
    await clock.advance(1000);
    expect(socket().isClosed).toBe(true);
    expect(statuses.at(-1)).toMatchObject({ status: "waiting", code: "SILENT" });
    await clock.advance(2000);
    expect(sockets).toHaveLength(2);
  });

  it("pings whenever nothing has arrived for the configured time", async () => {
    const { socket, clock } = await silent({ quietMs: 2000 });
    socket().emit("open");
    socket().snapshot("orders");
    const pings = () => socket().sent.filter(({ type }) => type === "ping").length;
    for (let second = 0; second < 5; second++) {
      await clock.advance(1500);
      socket().message({ type: "update", channel: "orders", data: [] });
    }
    expect(pings()).toBe(0);
    await clock.advance(2000);
    expect(pings()).toBe(1);
    // A late message does not count as a pong.
    socket().message({ type: "update", channel: "orders", data: [] });
    await clock.advance(19_000);
    expect([pings(), socket().isClosed]).toEqual([1, false]);
    socket().message({ type: "pong", time: "now" });
    await clock.advance(2000);
    expect(pings()).toBe(2);
    await clock.advance(20_000);
    expect(socket().isClosed).toBe(true);
  });

  it("waits up to 30 seconds between connections and starts over once live again", async () => {
    const { socket, sockets, clock, statuses } = await silent();
    const waits = () => statuses.flatMap((one) => (one.status === "waiting" ? [one.retryInMs] : []));
    for (let refusals = 0; refusals < 6; refusals++) {
      socket().emit("close");
      await clock.advance(0);
      await clock.advance(waits().at(-1) ?? 0);
    }
    expect(waits()).toEqual([1000, 2000, 4000, 8000, 15_000, 15_000]);
    socket().emit("open");
    socket().snapshot("orders");
    await clock.advance(29_000);
    socket().emit("close");
    await clock.advance(15_000);
    expect(waits().at(-1)).toBe(15_000);
    socket().emit("open");
    socket().snapshot("orders");
    await clock.advance(30_000);
    socket().emit("close");
    expect(waits().at(-1)).toBe(1000);
    expect(sockets).toHaveLength(8);
  });

  it("waits longer to reconnect after a RATE_LIMITED error, whatever messages follow it before the close", async () => {
    const { socket, clock, statuses } = await silent();
    socket().emit("open");
    socket().snapshot("orders");
    await clock.advance(20_000);
    socket().message({ type: "error", code: "RATE_LIMITED", message: "no" });
    socket().message({
      type: "update",
      channel: "orders",
      time: "now",
      data: [{ orderId: "a", version: 1 } as Order],
    });
    await clock.advance(20_000);
    socket().emit("close");
    expect(statuses.at(-1)).toMatchObject({ retryInMs: 8000 });
  });

  it("renews an expired token after a handshake is refused, and then reconnects at once", async () => {
    const fetch = async (_: unknown, init: RequestInit = {}) => {
      const isOld = new Headers(init.headers).get("Authorization") === "Bearer old";
      return isOld
        ? Response.json({ error: "Token expired", needsRefresh: true }, { status: 401 })
        : Response.json({});
    };
    let isDown = true;
    const { socket, clock } = await silent(
      {},
      { fetch: (url, init) => (isDown ? Promise.reject(new TypeError("fetch failed")) : fetch(url, init)) },
    );
    for (const waitMs of [1000, 2000, 4000]) {
      socket().emit("close");
      await clock.advance(waitMs);
    }
    isDown = false;
    socket().emit("close");
    await clock.advance(0);
    expect(socket().protocols).toEqual(["access_token", "new"]);
  });

  it("drops the previous connection's data and is live again once the snapshots arrive", async () => {
    const states: string[][] = [];
    const { socket, clock, statuses } = await silent({
      onState: ({ orders }) => states.push(orders.map(({ orderId }) => orderId)),
    });
    const orders = (...ids: string[]) => ids.map((orderId) => ({ orderId, version: 1 }) as Order);
    socket().emit("open");
    socket().snapshot("orders", orders("old"));
    socket().emit("close");
    await clock.advance(1000);
    socket().emit("open");
    socket().message({ type: "update", channel: "orders", time: "now", data: orders("new") });
    expect(statuses.at(-1)?.status).toBe("syncing");
    socket().snapshot("orders");
    expect(states).toEqual([["old"], ["new"]]);
    expect(statuses.filter(({ status }) => status === "live")).toHaveLength(2);
  });

  it("ignores settings loaded for the previous connection", async () => {
    const answers: ((response: Response) => void)[] = [];
    const fetch = () => new Promise<Response>((resolve) => answers.push(resolve));
    const { socket, clock, stream } = await silent({ channels: ["settings"] }, { fetch });
    const settings = (chain: string, version: number) =>
      Response.json({ success: true, data: { chain, version, settings: {} }, timestamp: "now" });
    const chains = ["eth", "base", "sol"];
    socket().emit("open");
    await clock.advance(0);
    socket().emit("close");
    await clock.advance(1000);
    socket().emit("open");
    await clock.advance(0);
    for (const [index, chain] of chains.entries()) answers[index]?.(settings(chain, 9));
    await clock.advance(0);
    expect(stream.state).toBeUndefined();
    for (const [index, chain] of chains.entries()) answers[3 + index]?.(settings(chain, 1));
    await clock.advance(0);
    expect(chains.map((chain) => stream.state?.settings[chain as "eth"]?.version)).toEqual([1, 1, 1]);
  });

  it("retries once with a new token after a lasting refusal, then reports it", async () => {
    const fetch = async () => Response.json({ error: "Invalid token" }, { status: 401 });
    const asked: boolean[] = [];
    const token = async ({ refresh }: { refresh: boolean }) => `token ${asked.push(refresh)}`;
    const { socket, clock, statuses } = await silent({}, { fetch, token });
    socket().emit("close");
    await clock.advance(0);
    expect(socket().protocols).toEqual(["access_token", "token 2"]);
    for (const code of ["UNAUTHORIZED", "UNAUTHORIZED"]) {
      socket().emit("close");
      await clock.advance(0);
      expect(statuses.at(-1)).toMatchObject({ status: "waiting", code });
      await clock.advance(15_000);
    }
    expect(asked).toEqual([false, true]);
    socket().emit("open");
    socket().emit("close");
    await clock.advance(15_000);
    socket().emit("close");
    await clock.advance(0);
    expect(asked).toEqual([false, true, true]);
    expect(socket().protocols).toEqual(["access_token", "token 3"]);
  });

  it("waits between connections with new tokens that are refused, too", async () => {
    let count = 0;
    const token = async () => `token ${count++}`;
    const fetch = async () => Response.json({ error: "Token expired", needsRefresh: true }, { status: 401 });
    const { socket, sockets, clock, statuses } = await silent({}, { fetch, token });
    socket().emit("close");
    await clock.advance(0);
    expect(sockets).toHaveLength(2);
    for (let refusals = 0; refusals < 3; refusals++) {
      socket().emit("close");
      await clock.advance(0);
      expect(statuses.at(-1)).toMatchObject({ status: "waiting", retryInMs: 1000 });
      await clock.advance(1000);
    }
    expect(sockets).toHaveLength(5);
  });

  it("retries when the token provider fails or the WebSocket constructor throws", async () => {
    let failures = 2;
    const token = async () => {
      if (failures-- === 2) throw new Error("no token");
      return "t";
    };
    const { statuses, clock } = await silent(
      {},
      {
        token,
        WebSocket: class {
          constructor() {
            throw new Error("not secure");
          }
        } as never,
      },
    );
    await clock.advance(1000);
    expect(statuses.map((one) => ("code" in one ? one.code : one.status))).toEqual([
      ...["connecting", "TOKEN_ERROR", "connecting", "REFUSED"],
    ]);
  });

  it("reconnects when the service no longer knows the connection", async () => {
    const { socket, sockets, clock } = await silent();
    socket().emit("open");
    socket().message({ type: "error", id: 1, code: "NOT_CONNECTED", message: "no" });
    expect(socket().isClosed).toBe(true);
    await clock.advance(1000);
    expect(sockets).toHaveLength(2);
  });

  it("shows nothing from a connection that the service has given up", async () => {
    const messages: string[] = [];
    const { socket, clock, statuses } = await silent({ onMessage: ({ type }) => messages.push(type) });
    socket().emit("open");
    socket().snapshot("orders");
    socket().message({ type: "error", code: "NOT_CONNECTED", message: "no" });
    socket().snapshot("orders");
    await clock.advance(0);
    expect(statuses.map(({ status }) => status)).toEqual(["connecting", "syncing", "live", "waiting"]);
    expect(messages).toEqual(["snapshot", "error"]);
  });

  it("subscribes again after a failure of the service or a missing snapshot", async () => {
    const { socket, sockets, clock } = await silent();
    socket().emit("open");
    socket().message({ type: "error", id: 1, code: "INTERNAL_ERROR", message: "no" });
    await clock.advance(500);
    expect(socket().sent).toHaveLength(2);
    await clock.advance(14_500);
    expect(socket().sent).toHaveLength(3);
    await clock.advance(16_000);
    expect(sockets).toHaveLength(2);
  });

  it("subscribes ever less often to a failing service", async () => {
    const { socket, clock } = await silent();
    const first = socket();
    first.emit("open");
    for (let seconds = 0; seconds < 29; seconds++) {
      first.message({ type: "error", code: "INTERNAL_ERROR", message: "no" });
      first.message({ type: "error", code: "INTERNAL_ERROR", message: "no" });
      await clock.advance(1000);
    }
    // Subscribes after 0, 0.5, 2, 4, 8, 15 and 16 seconds, then after 15 without a snapshot.
    expect(first.sent.length).toBeGreaterThan(5);
    expect(first.sent.length).toBeLessThan(9);
  });
});

describe("a page", () => {
  afterEach(() => {
    vi.unstubAllGlobals();
  });

  /** Fakes a window and its document. */
  function page() {
    const window = new EventTarget();
    const document = Object.assign(new EventTarget(), { visibilityState: "visible" });
    for (const name of ["addEventListener", "removeEventListener"] as const)
      vi.stubGlobal(name, window[name].bind(window));
    vi.stubGlobal("document", document);
    const show = (visibilityState: string) => {
      document.visibilityState = visibilityState;
      document.dispatchEvent(new Event("visibilitychange"));
    };
    return { online: () => window.dispatchEvent(new Event("online")), show };
  }

  it("reconnects at once when the network returns or the page becomes visible, but not when it is hidden", async () => {
    const { online, show } = page();
    const { socket, sockets, clock } = await silent();
    for (const [back, expected] of [
      [online, 2],
      [() => show("hidden"), 2],
      [() => show("visible"), 3],
    ] as const) {
      if (sockets.length < expected) {
        socket().emit("close");
        await clock.advance(0);
      }
      back();
      await clock.advance(0);
      expect(sockets).toHaveLength(expected);
    }
    // The waits that were interrupted open no connections later.
    await clock.advance(19_000);
    expect(sockets).toHaveLength(3);
  });

  it("checks within three seconds that a connection still works when the page returns", async () => {
    const { online } = page();
    const { socket, sockets, clock } = await silent();
    online();
    expect(socket().sent).toEqual([]);
    socket().emit("open");
    socket().snapshot("orders");
    online();
    expect(socket().sent.at(-1)).toEqual({ type: "ping" });
    socket().message({ type: "pong", time: "now" });
    await clock.advance(10_000);
    expect(sockets).toHaveLength(1);
    online();
    await clock.advance(3000);
    expect(socket().isClosed).toBe(true);
    await clock.advance(1000);
    expect(sockets).toHaveLength(2);
  });

  it("stops listening to the page when the stream is closed", async () => {
    const { online } = page();
    const { stream, sockets, clock } = await silent();
    stream.close();
    online();
    await clock.advance(0);
    expect(sockets).toHaveLength(1);
  });
});

describe("reconnect", () => {
  it("replaces a connection or a wait at once and does nothing after close", async () => {
    const { stream, socket, sockets, clock, statuses } = await silent();
    socket().emit("open");
    socket().snapshot("orders");
    stream.reconnect();
    await clock.advance(0);
    expect([sockets.length, sockets[0]?.isClosed, statuses.at(-1)?.status]).toEqual([2, true, "connecting"]);
    socket().emit("close");
    await clock.advance(0);
    stream.reconnect();
    await clock.advance(19_000);
    expect(sockets).toHaveLength(3);
    stream.close();
    stream.reconnect();
    await clock.advance(0);
    expect(sockets).toHaveLength(3);
  });
});
