import { createTerminal, type Order, type TerminalState } from "trading-terminal-client";
import { describe, expect, it, vi } from "vitest";
import { silent } from "./support/silent-service.ts";

const order = (orderId: string, version: number, createdAt = "2026-11-21T09:30:00Z") =>
  ({ orderId, version, createdAt }) as Order;
const ids = ({ orders }: TerminalState) => orders.map(({ orderId }) => orderId);

describe("a stream of a terminal", () => {
  it("connects to the API's address with its token and subscribes", async () => {
    const { socket, statuses } = await silent({ channels: ["prices", "orders"] });
    expect(socket()).toMatchObject({ url: "wss://host/api/stream", protocols: ["access_token", "old"] });
    expect(socket().sent).toEqual([]);
    socket().emit("open");
    expect(socket().sent).toEqual([{ type: "subscribe", channels: ["orders", "prices"] }]);
    expect(statuses).toEqual([{ status: "connecting" }, { status: "syncing" }]);
  });

  it("relies on the cookie without a token provider", async () => {
    const { socket } = await silent({}, { token: undefined as never });
    expect(socket().protocols).toEqual([]);
  });

  it("shows nothing until every snapshot is complete, then each change once", async () => {
    const states: string[][] = [];
    const { socket, stream } = await silent({
      channels: ["orders", "prices"],
      onState: (state) => states.push(ids(state)),
    });
    socket().emit("open");
    socket().message({ type: "update", channel: "orders", time: "now", data: [order("a", 2)] });
    socket().snapshot("orders", [order("a", 1), order("b", 1, "2026-11-22T09:30:00Z")], { more: true });
    socket().snapshot("prices");
    expect([states, stream.state]).toEqual([[], undefined]);
    socket().snapshot("orders", [order("c", 1)]);
    socket().snapshot("orders", [order("c", 1)]);
    socket().message("no JSON");
    socket().message({ type: "SomethingNew", data: [] });
    socket().message({ type: "update", channel: "positions", time: "now", data: [{}] });
    expect(states).toEqual([["b", "c", "a"]]);
    expect(stream.state?.orders.find(({ orderId }) => orderId === "a")?.version).toBe(2);
  });

  it("continues after a callback of the program throws", async () => {
    const { socket, stream } = await silent({
      onState: () => {
        throw new Error("a mistake");
      },
    });
    const later: (() => void)[] = [];
    vi.stubGlobal("queueMicrotask", (act: () => void) => later.push(act));
    socket().emit("open");
    socket().snapshot("orders");
    vi.unstubAllGlobals();
    expect(stream.state).toBeDefined();
    expect(later).toHaveLength(1);
    expect(later[0]).toThrow("a mistake");
  });

  it("keeps the same objects for unchanged parts of the state", async () => {
    const { socket, stream } = await silent({ channels: ["orders", "positions"] });
    socket().emit("open");
    socket().snapshot("orders");
    socket().snapshot("positions");
    const before = stream.state;
    socket().message({ type: "update", channel: "orders", time: "now", data: [order("a", 1)] });
    expect(stream.state?.positions).toBe(before?.positions);
    expect(stream.state?.orders).not.toBe(before?.orders);
  });

  it("reports a stream as live at once if it follows no channels", async () => {
    const states: TerminalState[] = [];
    const { socket, statuses } = await silent({ channels: [], onState: (state) => states.push(state) });
    socket().emit("open");
    expect([statuses.at(-1)?.status, states.length]).toEqual(["live", 1]);
  });

  it("reloads the wallet list when a message names a missing wallet", async () => {
    const wallets = [{ _id: "1", version: 1 }];
    const lists: (() => void)[] = [];
    const fetch = () =>
      new Promise<Response>((resolve) => {
        const data = { wallets: [...wallets] };
        lists.push(() => resolve(Response.json({ success: true, data, timestamp: "now" })));
      });
    const { socket, stream, clock } = await silent({ channels: ["wallets"] }, { fetch });
    socket().emit("open");
    await clock.advance(0);
    wallets.push({ _id: "2", version: 1 });
    const announced = { _id: "2", version: 1, state: "active" };
    socket().message({ type: "WalletsUpdated", time: "now", data: { wallets: [announced] } });
    lists[0]?.();
    await clock.advance(500);
    expect(stream.state?.wallets.map(({ _id }) => _id)).toEqual(["1"]);
    lists[1]?.();
    await clock.advance(500);
    expect(stream.state?.wallets.map(({ _id }) => _id)).toEqual(["1", "2"]);
    expect(lists).toHaveLength(2);
  });
});

describe("until", () => {
  it("resolves to the first result, now or later, and rejects once the stream is closed", async () => {
    const { socket, stream } = await silent();
    const found = stream.until(({ orders }) => orders.find(({ orderId }) => orderId === "b"));
    const never = stream.until(({ orders }) => orders.find(({ orderId }) => orderId === "z"));
    const failing = stream.until(() => {
      throw new Error("a mistake");
    });
    socket().emit("open");
    socket().snapshot("orders", [order("a", 1)]);
    await expect(failing).rejects.toThrow("a mistake");
    expect(await stream.until(({ orders }) => orders[0]?.orderId)).toBe("a");
    socket().message({ type: "update", channel: "orders", time: "now", data: [order("b", 1)] });
    expect((await found).orderId).toBe("b");
    stream.close();
    await expect(never).rejects.toThrow("The stream is closed");
    await expect(stream.until(() => true)).rejects.toThrow("The stream is closed");
  });
});

describe("until with limits", () => {
  it("rejects on an aborted signal or a timeout, and then stops searching", async () => {
    const { socket, stream, clock } = await silent();
    const tries: string[] = [];
    const find = (name: string) => () => {
      tries.push(name);
    };
    const leaving = new AbortController();
    const left = stream.until(find("left"), { signal: leaving.signal });
    const late = stream.until(find("late"), { timeoutMs: 1000 });
    late.catch(() => {});
    leaving.abort(new Error("left"));
    await expect(left).rejects.toThrow("left");
    await clock.advance(1000);
    await expect(late).rejects.toMatchObject({ name: "TimeoutError" });
    socket().emit("open");
    socket().snapshot("orders");
    expect(tries).toEqual([]);
    const found = stream.until(() => true, { signal: leaving.signal });
    await expect(found).rejects.toThrow("left");
    expect(await stream.until(() => true, { timeoutMs: 1000 })).toBe(true);
  });
});

describe("close", () => {
  it("closes the stream at once and for good", async () => {
    const { socket, sockets, stream, clock, statuses } = await silent();
    socket().emit("open");
    stream.close();
    stream.close();
    socket().snapshot("orders");
    socket().emit("close");
    await clock.advance(120_000);
    expect(statuses.map(({ status }) => status)).toEqual(["connecting", "syncing", "closed"]);
    expect([sockets.length, socket().isClosed, stream.state]).toEqual([1, true, undefined]);
  });

  it("leaves no timers behind when a stream is closed in any state", async () => {
    for (const phase of ["connecting", "syncing", "live", "waiting"]) {
      const { socket, stream, clock } = await silent();
      if (phase !== "connecting") socket().emit("open");
      if (phase === "live") socket().snapshot("orders");
      if (phase === "waiting") socket().emit("close");
      stream.close();
      await clock.advance(0);
      expect(clock.timers(), phase).toBe(0);
    }
  });

  it("opens no connection if the stream is closed before the token arrives", async () => {
    const answers: ((token: string) => void)[] = [];
    const token = () => new Promise<string>((resolve) => answers.push(resolve));
    const { sockets, stream, clock } = await silent({}, { token });
    stream.close();
    answers[0]?.("token");
    await clock.advance(0);
    expect([answers.length, sockets.length]).toEqual([1, 0]);
  });

  it("closes the stream from within a message callback", async () => {
    const { socket, stream, statuses } = await silent({ onMessage: () => stream.close() });
    socket().emit("open");
    socket().snapshot("orders");
    expect(statuses.at(-1)).toEqual({ status: "closed" });
    expect(stream.state).toBeUndefined();
  });

  it("closes the stream from within onStatus, onState and until, with no callbacks afterwards", async () => {
    const closeOn = (where: string) => {
      const seen: string[] = [];
      const see = (what: string) => {
        seen.push(what);
        if (what === where) closing.close();
      };
      let closing = { close() {} };
      return {
        seen,
        see,
        use: (stream: { close(): void }) => {
          closing = stream;
        },
      };
    };
    for (const where of ["live", "state", "until"]) {
      const { seen, see, use } = closeOn(where);
      const { socket, stream } = await silent({
        onStatus: ({ status }) => see(status),
        onState: () => see("state"),
      });
      use(stream);
      const waiting = [1, 2].map(() => stream.until(() => see("until")).catch(() => {}));
      socket().emit("open");
      socket().snapshot("orders");
      await Promise.all(waiting);
      const all = ["connecting", "syncing", "live", "state", "until"];
      expect(seen).toEqual([...all.slice(0, all.indexOf(where) + 1), "closed"]);
    }
  });

  it("cancels the request that asks why a handshake was refused", async () => {
    const signals: (AbortSignal | null | undefined)[] = [];
    const fetch = (_: unknown, init: RequestInit = {}) => {
      signals.push(init.signal);
      return new Promise<never>(() => {});
    };
    const { socket, stream, clock } = await silent({}, { fetch });
    socket().emit("close");
    await clock.advance(0);
    expect(signals.map((signal) => signal?.aborted)).toEqual([false]);
    stream.close();
    expect(signals.map((signal) => signal?.aborted)).toEqual([true]);
  });

  it("ends the wait for the next connection", async () => {
    const { socket, sockets, stream, clock } = await silent();
    socket().emit("close");
    await clock.advance(0);
    stream.close();
    await clock.advance(60_000);
    expect(sockets).toHaveLength(1);
  });
});

describe("follow", () => {
  it("fails at once for an unknown channel, even if the types were bypassed", async () => {
    const { terminal, sockets } = await silent();
    const channels = ["orders", "trades"] as never;
    expect(() => terminal.follow({ channels })).toThrow(/There is no channel trades, only orders, /);
    expect(sockets).toHaveLength(1);
  });

  it("requires a WebSocket, which Node 20 lacks", () => {
    const { WebSocket } = globalThis;
    try {
      Reflect.deleteProperty(globalThis, "WebSocket");
      const terminal = createTerminal({ baseUrl: "http://service" });
      expect(() => terminal.follow({ channels: [] })).toThrow("pass one to createTerminal");
    } finally {
      globalThis.WebSocket = WebSocket;
    }
  });
});
