import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { keepDeadline } from "../../lib/aws/deadline.ts";
import { limited } from "../../lib/runtime/message-limit.ts";
import { quietConsole } from "../support/console.ts";
import { messageEvent } from "../support/websocket-events.ts";

const logged = quietConsole();

const handle = vi.fn(async () => ({ statusCode: 200, body: "handled" }));
const send = vi.fn<(connectionId: string, messages: readonly string[]) => Promise<void>>();
const hangUp = vi.fn<(connectionId: string) => Promise<void>>();

let receive: ReturnType<typeof limited>;
beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: new Date("2026-11-21T09:00:00.000Z") });
  handle.mockClear();
  send.mockReset().mockResolvedValue();
  hangUp.mockReset().mockResolvedValue();
  receive = limited("ping", { send, hangUp }, handle);
});
afterEach(() => vi.useRealTimers());

const tooMany = {
  type: "error",
  code: "RATE_LIMITED",
  message: "Too many messages: at most 10 a second, and 50 at once. The connection is closed.",
};

const waitMs = (ms: number) => vi.setSystemTime(Date.now() + ms);

function from(connectionId: string) {
  const { requestContext, ...event } = messageEvent({ type: "ping" });
  return { ...event, requestContext: { ...requestContext, connectionId } };
}

async function receiveMany(count: number, connectionId = "c1"): Promise<void> {
  for (let index = 0; index < count; index++) await receive(from(connectionId));
}

describe("limited", () => {
  it("handles 50 messages at once, and then 10 a second", async () => {
    await receiveMany(50);
    for (let second = 1; second <= 5; second++) {
      waitMs(1000);
      await receiveMany(10);
    }
    expect(handle).toHaveBeenCalledTimes(100);
    expect(await receive(from("c2"))).toEqual({ statusCode: 200, body: "handled" });
    expect(send).not.toHaveBeenCalled();
  });

  it("sends one error for excess messages, then closes the connection and ignores the rest", async () => {
    await receiveMany(80);
    expect(handle).toHaveBeenCalledTimes(50);
    expect(send.mock.calls.map(([id, texts]) => [id, texts.map((text) => JSON.parse(text))])).toEqual([
      ["c1", [tooMany]],
    ]);
    expect(hangUp.mock.calls).toEqual([["c1"]]);
    expect(send.mock.invocationCallOrder[0]).toBeLessThan(hangUp.mock.invocationCallOrder[0] ?? 0);
    waitMs(60_000);
    await receive(from("c1"));
    expect(handle).toHaveBeenCalledTimes(50);
    expect(send).toHaveBeenCalledTimes(1);
  });

  it("closes a connection that outlives the program key that opened it, at its next message", async () => {
    const { requestContext, ...event } = from("c1");
    const authorizer = { ...requestContext.authorizer, programKeyEndsAt: "2026-11-21T09:00:10.000Z" };
    const byKey = { ...event, requestContext: { ...requestContext, authorizer } };
    waitMs(9999);
    expect(await receive(byKey)).toEqual({ statusCode: 200, body: "handled" });
    waitMs(1);
    const ended = { type: "error", code: "NOT_CONNECTED" };
    for (const { body = "" } of [await receive(byKey), await receive(byKey)])
      expect(JSON.parse(body)).toMatchObject(ended);
    expect(handle).toHaveBeenCalledTimes(1);
    expect(send.mock.calls.map(([, texts]) => texts.map((text) => JSON.parse(text)))).toEqual([
      [expect.objectContaining(ended)],
    ]);
    expect(hangUp.mock.calls).toEqual([["c1"]]);
  });

  it("always returns a body, because a connected client would otherwise get an empty message", async () => {
    hangUp.mockRejectedValueOnce(new Error("no"));
    await receiveMany(50);
    for (const result of [await receive(from("c1")), await receive(from("c1")), await receive(from("c1"))])
      expect({ ...result, body: JSON.parse(result.body ?? "") }).toEqual({ statusCode: 200, body: tooMany });
  });

  it("closes a connection whose error takes too long to send", async () => {
    let hasDeadline = false;
    send.mockImplementation(async () => {
      // Middleware of the SDK's clients ends the call to the API.
      hasDeadline = await keepDeadline(() => new Promise<never>(() => {}))({}).catch(() => true);
      throw new Error("no");
    });
    receive = limited("ping", { send, hangUp }, handle, 20);
    await receiveMany(51);
    expect(hasDeadline).toBe(true);
    expect(hangUp).toHaveBeenCalledTimes(1);
  });

  it("limits each connection separately", async () => {
    await receiveMany(51, "flood");
    await receiveMany(50, "other");
    expect(handle).toHaveBeenCalledTimes(100);
    expect(hangUp.mock.calls).toEqual([["flood"]]);
  });

  it("closes a connection that does not accept the error", async () => {
    send.mockRejectedValue(new Error("no"));
    await receiveMany(51);
    expect(hangUp).toHaveBeenCalledTimes(1);
    expect(logged()).toEqual([expect.objectContaining({ operation: "ping", error: "Error" })]);
  });

  it("retries with the next message if the connection could not be closed", async () => {
    hangUp.mockRejectedValueOnce(new Error("no"));
    await receiveMany(51);
    expect(logged()).toHaveLength(1);
    await receiveMany(2);
    expect(handle).toHaveBeenCalledTimes(50);
    expect(hangUp).toHaveBeenCalledTimes(2);
  });

  it("keeps the allowance when the clock is set back", async () => {
    await receiveMany(40);
    waitMs(-60_000);
    await receiveMany(10);
    expect(handle).toHaveBeenCalledTimes(50);
  });
});
