import { afterEach, describe, expect, it, vi } from "vitest";
import { connect, disconnect } from "../../lib/runtime/connection-events.ts";
import { quietConsole } from "../support/console.ts";
import { connectEvent, disconnectEvent, messageEvent } from "../support/websocket-events.ts";

const logged = quietConsole();

const named = { userID: "alice", connectionID: "c1", now: new Date("2026-11-21T09:00:00.000Z") };

describe("a new connection", () => {
  it("is opened for who was authorized, at the time of the request", async () => {
    const open = vi.fn(async () => true);
    expect(await connect(open)(connectEvent())).toEqual({ statusCode: 200 });
    expect(open).toHaveBeenCalledExactlyOnceWith(named);
  });

  it.each([
    ["access_token, a.b.c", { "Sec-WebSocket-Protocol": "access_token" }],
    ["json", undefined],
  ])("that asks for the subprotocols %s is told which it has", async (asked, headers) => {
    const event = connectEvent({ "sec-websocket-protocol": asked });
    expect(await connect(async () => true)(event)).toEqual({ statusCode: 200, ...(headers && { headers }) });
  });

  it("for which there is no room is turned away like a request too many", async () => {
    const event = connectEvent({ "Sec-WebSocket-Protocol": "access_token, a.b.c" });
    expect(await connect(async () => false)(event)).toEqual({ statusCode: 429 });
    expect(logged()).toEqual([]);
  });

  it("that cannot be remembered is turned away, without a word of why", async () => {
    const open = () => Promise.reject(new Error("no table for a.b.c"));
    const event = connectEvent({ "Sec-WebSocket-Protocol": "access_token, a.b.c" });
    expect(await connect(open)(event)).toEqual({ statusCode: 500 });
    expect(logged()).toEqual([expect.objectContaining({ operation: "connect", error: "Error" })]);
    expect(JSON.stringify(logged())).not.toContain("a.b.c");
  });

  it("of nobody is turned away", async () => {
    const open = vi.fn(async () => true);
    const event = connectEvent();
    event.requestContext.authorizer = {};
    expect(await connect(open)(event)).toEqual({ statusCode: 500 });
    expect(open).not.toHaveBeenCalled();
  });
});

describe("a connection that ends", () => {
  it("is closed", async () => {
    const close = vi.fn(async () => {});
    expect(await disconnect(close)(disconnectEvent())).toEqual({ statusCode: 200 });
    expect(close).toHaveBeenCalledExactlyOnceWith(
      expect.objectContaining({ userID: "alice", connectionID: "c1" }),
    );
  });

  it("and cannot be forgotten is a fault that is logged", async () => {
    const close = () => Promise.reject(new Error("no table"));
    expect(await disconnect(close)(disconnectEvent())).toEqual({ statusCode: 500 });
    expect(logged()).toEqual([expect.objectContaining({ operation: "disconnect" })]);
  });
});

describe("a message whose type is a route of the connection itself", () => {
  const open = vi.fn(async () => true);
  const close = vi.fn(async () => {});
  afterEach(() => {
    expect(open).not.toHaveBeenCalled();
    expect(close).not.toHaveBeenCalled();
  });

  it.each(["$connect", "$disconnect"])("opens and closes nothing (%s)", async (type) => {
    const event = messageEvent({ type }, type);
    expect(await connect(open)(event)).toEqual({ statusCode: 400 });
    expect(await disconnect(close)(event)).toEqual({ statusCode: 400 });
  });

  it("is no matter for the other route's event either", async () => {
    expect(await connect(open)(disconnectEvent())).toEqual({ statusCode: 400 });
    expect(await disconnect(close)(connectEvent())).toEqual({ statusCode: 400 });
  });
});
