import { once } from "node:events";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { frameSizes } from "../../src/websocket-api/frame-sizes.ts";
import { type GivenEvent, route, talking } from "./fixture.ts";
import { eventually, join, serve } from "./stream.ts";

const resources = [...route("$connect"), ...route("$disconnect"), ...talking("$default")];
const answers = { default: ({ body }: GivenEvent) => ({ body: `${body.length}` }) };

const codesOf = (events: Record<string, GivenEvent[]>) =>
  (events.disconnect ?? []).map(({ requestContext }) => requestContext.disconnectStatusCode);

describe("limits of a message", () => {
  it("accepts a message of 128 KB in several frames", async () => {
    const { url } = await serve(resources, answers);
    const { socket, messages } = await join(url);
    for (const fin of [false, false, false, true]) socket.send("x".repeat(32 * 1024), { fin });
    await eventually(() => messages).toEqual([`${128 * 1024}`]);
  });

  it("closes the connection with 1009 for a message with one byte more", async () => {
    const { url, events } = await serve(resources, answers);
    const { socket, closed } = await join(url);
    for (const fin of [false, false, false, false]) socket.send("x".repeat(32 * 1024), { fin });
    socket.send("x", { fin: true });
    expect(await closed).toMatchObject({ code: 1009 });
    await eventually(() => codesOf(events)).toEqual([1009]);
    expect(events.default).toBeUndefined();
  });

  it("sends an answer of 100 KB", async () => {
    const body = "x".repeat(100 * 1024);
    const { url } = await serve(resources, { default: { body } });
    const { socket, messages } = await join(url);
    socket.send("?");
    await eventually(() => messages).toEqual([body]);
  });
});

describe("limits of a frame", () => {
  it("closes the connection with 1009 for a frame of more than 32 KB (documented)", async () => {
    const { url, events } = await serve(resources, answers);
    const { socket, closed } = await join(url);
    socket.send("x".repeat(32 * 1024 + 1));
    socket.send("after");
    expect(await closed).toEqual({ code: 1009, reason: "" });
    await eventually(() => codesOf(events)).toEqual([1009]);
    expect(events.default).toBeUndefined();
  });

  it("measures a frame wherever the network splits it", () => {
    const head = (length: number, ...bytes: number[]) =>
      Buffer.from([0x81, 0x80 | length, ...bytes, 1, 2, 3, 4]);
    const frames = [
      [head(0), 0],
      [head(125), 125],
      [head(126, 0x80, 0x01), 32 * 1024 + 1],
      [head(127, 0, 0, 0, 0, 0, 1, 0, 0), 64 * 1024],
      [head(3), 3],
    ] as const;
    const bytes = Buffer.concat(frames.flatMap(([start, size]) => [start, Buffer.alloc(size, 0xff)]));
    for (const step of [1, 3, 1000, bytes.length]) {
      const largest = frameSizes();
      const seen: number[] = [];
      for (let at = 0; at < bytes.length; at += step) seen.push(largest(bytes.subarray(at, at + step)));
      expect(Math.max(...seen)).toBe(64 * 1024);
      if (step === 1) expect(seen.filter((size) => size > 0)).toEqual([125, 32 * 1024 + 1, 64 * 1024, 3]);
    }
  });

  it("closes the connection with 1003 for a binary message (documented)", async () => {
    const { url, events } = await serve(resources, answers);
    const { socket, closed } = await join(url);
    socket.send(Buffer.from("{}"));
    socket.send("after");
    expect(await closed).toEqual({ code: 1003, reason: "Binary frames are not supported" });
    await eventually(() => codesOf(events)).toEqual([1003]);
    expect(events.default).toBeUndefined();
  });

  it("closes the connection with 1007 for text that is not UTF-8", async () => {
    const { url, events } = await serve(resources, answers);
    const { socket, closed } = await join(url);
    socket.send(Buffer.from([0xff]), { binary: false });
    expect(await closed).toMatchObject({ code: 1007 });
    await eventually(() => codesOf(events)).toEqual([1007]);
  });

  it("answers a ping without a function", async () => {
    const { url, events } = await serve(resources, answers);
    const { socket } = await join(url);
    socket.ping("hello");
    const [data] = await once(socket, "pong");
    expect(data.toString()).toBe("hello");
    expect(events.default).toBeUndefined();
  });
});

describe("limits of a connection", () => {
  const goingAway = { code: 1001, reason: "Going away" };
  const limits = { idleMs: 600, durationMs: 5000 };
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
  afterEach(() => void vi.useRealTimers());

  it("closes an idle connection even if it pings", async () => {
    const { url, events } = await serve(resources, answers, { limits });
    const { socket, closed } = await join(url);
    vi.advanceTimersByTime(599);
    socket.ping();
    await once(socket, "pong");
    expect(socket.readyState).toBe(socket.OPEN);
    vi.advanceTimersByTime(1);
    expect(await closed).toEqual(goingAway);
    await eventually(() => codesOf(events)).toEqual([1001]);
  });

  it.each(["sent", "received"])("keeps a connection open if a message is %s", async (direction) => {
    const { url, events, server } = await serve(resources, { default: {} }, { limits });
    const { socket, closed } = await join(url);
    const { connectionId = "" } = events.connect?.[0]?.requestContext ?? {};
    for (let count = 0; count < 3; count++) {
      vi.advanceTimersByTime(599);
      // Waits for an answer to each message, because polling would advance the time.
      const message = once(socket, "message");
      if (direction === "sent") socket.send("still here");
      else server.find(connectionId)?.send("still there");
      await message;
    }
    expect(socket.readyState).toBe(socket.OPEN);
    vi.advanceTimersByTime(600);
    expect(await closed).toEqual(goingAway);
  });

  it("closes a connection after its maximum duration", async () => {
    const { url, events } = await serve(resources, answers, { limits });
    const { socket, closed } = await join(url);
    for (let count = 1; count <= 9; count++) {
      vi.advanceTimersByTime(500);
      const message = once(socket, "message");
      socket.send("still here");
      await message;
    }
    vi.advanceTimersByTime(499);
    expect(socket.readyState).toBe(socket.OPEN);
    vi.advanceTimersByTime(1);
    expect(await closed).toEqual(goingAway);
    await eventually(() => codesOf(events)).toEqual([1001]);
  });
});
