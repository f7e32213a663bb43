import { afterEach, describe, expect, it, vi } from "vitest";
import { errorMessage, type ServerMessage } from "../../lib/api/server-messages.ts";
import { connect, disconnect, message, unknownMessage } from "../../lib/runtime/websocket.ts";
import { quietConsole } from "../support/console.ts";
import { connectEvent, disconnectEvent, messageEvent } from "../support/websocket-events.ts";

const logged = quietConsole();

const time = "2026-11-21T09:00:00.000Z";
const secret = "4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318";
const idForm = "id must be text of 1 to 64 characters, or a whole number";
const namesForm = "channels must be an array of at most 100 channel names";

const subscriptions: ServerMessage = { type: "subscriptions", channels: ["orders"], time };
const snapshot: ServerMessage = { type: "snapshot", channel: "orders", time, data: [] };

const ping = message("ping", async () => [{ type: "pong", time }]);

const bodyOf = async (result: Promise<{ statusCode: number; body?: string }>) => {
  const { statusCode, body } = await result;
  expect(statusCode).toBe(200);
  return JSON.parse(body ?? "null");
};

describe("message", () => {
  it("passes the parsed message and its sender to the use case", async () => {
    const useCase = vi.fn(async () => [subscriptions]);
    const content = { type: "subscribe", id: "s1", channels: ["orders", "trades"] };
    await message("subscribe", useCase)(messageEvent(content));
    expect(useCase).toHaveBeenCalledExactlyOnceWith({
      ...content,
      userID: "alice",
      connectionId: "c1",
      now: expect.any(Date),
    });
  });

  it("decodes a message in base64", async () => {
    const body = Buffer.from('{"type":"ping","id":"ü"}').toString("base64");
    const event = { ...messageEvent(body), isBase64Encoded: true };
    expect(await bodyOf(ping(event))).toEqual({ type: "pong", id: "ü", time });
  });

  it.each(["p1", "x".repeat(64), "東京", 0, -1, Number.MAX_SAFE_INTEGER])("echoes the id %j", async (id) => {
    expect(await bodyOf(ping(messageEvent({ type: "ping", id })))).toEqual({ type: "pong", id, time });
  });

  it("replies to a message without an id", async () => {
    expect(await bodyOf(ping(messageEvent({ type: "ping" })))).toEqual({ type: "pong", time });
  });

  it.each<[string, unknown, string]>([
    ["an empty id", { id: "" }, idForm],
    ["a huge id", { id: "x".repeat(65) }, idForm],
    ["an id of 1 MB", { id: secret.repeat(16_000) }, idForm],
    ["a fraction as id", { id: 1.5 }, idForm],
    ["an unsafe integer as id", { id: 2 ** 53 }, idForm],
    ["null as id", { id: null }, idForm],
    ["an object as id", { id: {} }, idForm],
    [
      "no channels",
      { channels: undefined },
      `channels is required and ${namesForm.slice("channels ".length)}`,
    ],
    ["text as channels", { channels: "orders" }, namesForm],
    ["an object as channels", { channels: { 0: "orders" } }, namesForm],
    ["1000 channels", { channels: Array(1000).fill("orders") }, namesForm],
    ["a channel that is not text", { channels: ["orders", 5] }, "channels.1 must be text"],
    ["an unknown field", { chanels: [] }, "chanels is not a known field"],
    ["a secret as a field name", { [secret]: 1 }, "A field of the message is not a known field"],
    ["another type", { type: "unsubscribe" }, 'type must be "subscribe"'],
  ])("explains the error for %s, and skips the use case", async (_, changes, text) => {
    const useCase = vi.fn(async () => [subscriptions]);
    const content = { type: "subscribe", id: 7, channels: ["orders"], ...(changes as object) };
    const answer = await bodyOf(message("subscribe", useCase)(messageEvent(content)));
    const id = "id" in (changes as object) ? {} : { id: 7 };
    expect(answer).toEqual({ type: "error", code: "INVALID_MESSAGE", message: text, ...id });
    expect(useCase).not.toHaveBeenCalled();
    expect(logged()).toEqual([]);
  });
});

describe("unsubscribe", () => {
  const answerTo = (rest: object) =>
    bodyOf(
      message("unsubscribe", async () => [subscriptions])(messageEvent({ type: "unsubscribe", ...rest })),
    );

  it("requires channels or tokens", async () => {
    const { code, message: text } = await answerTo({});
    expect([code, text]).toEqual([
      "INVALID_MESSAGE",
      `channels is required and ${namesForm.slice("channels ".length)}`,
    ]);
    for (const named of [{ channels: [] }, { tokens: [] }, { tokens: [], channels: ["orders"] }])
      expect(await answerTo(named)).toEqual(subscriptions);
  });

  it("names the field of an invalid token", async () => {
    const { message: text } = await answerTo({
      tokens: [{ chain: "base", token: "0x1" }, { chain: "base" }],
    });
    expect(text).toBe("tokens.1.token is required");
  });
});

describe("replies to a message", () => {
  const problem = errorMessage("UNKNOWN_CHANNEL", "Unknown");
  const event = messageEvent({ type: "subscribe", id: "s1", channels: [] });

  it("returns the reply as the function's result if it cannot push", async () => {
    const result = await message("subscribe", async () => [subscriptions])(event);
    expect(result).toEqual({ statusCode: 200, body: expect.any(String) });
    expect(JSON.parse(result.body ?? "")).toEqual({ ...subscriptions, id: "s1" });
  });

  it.each([
    ["a single reply", [subscriptions], [{ ...subscriptions, id: "s1" }]],
    [
      "several replies in order, with the id on those that answer the message",
      [problem, subscriptions, snapshot],
      [{ ...problem, id: "s1" }, { ...subscriptions, id: "s1" }, snapshot],
    ],
  ])("pushes %s, and returns no body", async (_, replies, expected) => {
    const { send, pushed } = pushes();
    const result = await message("subscribe", async () => replies, send)(event);
    expect(result).toEqual({ statusCode: 200 });
    expect(pushed).toEqual(expected.map((reply) => ["c1", reply]));
  });

  it("pushes the error of an invalid message", async () => {
    const { send, pushed } = pushes();
    const result = await message("subscribe", async () => [], send)(messageEvent("{"));
    expect(result).toEqual({ statusCode: 200 });
    const answer = { type: "error", code: "INVALID_JSON", message: "The message must be valid JSON" };
    expect(pushed).toEqual([["c1", answer]]);
  });
});

/** Makes a push function that records connections and messages. The first calls fail. */
function pushes(failures = 0) {
  const pushed: [string, unknown][] = [];
  let calls = 0;
  const send = async (connectionId: string, messages: readonly string[]) => {
    if (++calls <= failures) throw new Error("failed");
    pushed.push(...messages.map((text): [string, unknown] => [connectionId, JSON.parse(text)]));
  };
  return { send, pushed };
}

describe("a message after an earlier error", () => {
  const fault = () => Promise.reject(new Error(`failed on ${secret}`));
  const event = messageEvent({ type: "subscribe", id: "s1", channels: [secret] });
  const internal = { type: "error", id: "s1", code: "INTERNAL_ERROR", message: "Internal server error" };

  it.each([
    ["in the use case", message("subscribe", fault)],
    ["in the form of a reply", message("subscribe", async () => [{ type: "pong" } as never])],
    ["because several replies cannot be sent", message("subscribe", async () => [subscriptions, snapshot])],
    ["because there is no reply to send", message("subscribe", async () => [])],
  ])(
    "replies INTERNAL_ERROR for an error %s, and logs its name without quoting the message",
    async (_, handler) => {
      expect(await bodyOf(handler(event))).toEqual(internal);
      expect(logged()).toEqual([expect.objectContaining({ operation: "subscribe" })]);
      expect(JSON.stringify(logged())).not.toContain(secret.slice(0, 8));
    },
  );

  it("pushes INTERNAL_ERROR after an error in the use case or in sending the replies", async () => {
    for (const [useCase, failures] of [[fault, 0] as const, [async () => [snapshot], 1] as const]) {
      const { send, pushed } = pushes(failures);
      expect(await message("subscribe", useCase, send)(event)).toEqual({ statusCode: 200 });
      expect(pushed).toEqual([["c1", internal]]);
    }
    expect(logged()).toHaveLength(2);
  });

  it("logs that INTERNAL_ERROR cannot be pushed, and returns no body", async () => {
    const { send } = pushes(2);
    const result = await message("subscribe", async () => [snapshot], send)(event);
    expect(result).toEqual({ statusCode: 500 });
    expect(logged()).toHaveLength(2);
  });

  it("treats an event without a user as an error", async () => {
    const { requestContext, ...rest } = event;
    const anonymous = { ...rest, requestContext: { ...requestContext, authorizer: {} } };
    const useCase = vi.fn(async () => [subscriptions]);
    expect(await bodyOf(message("subscribe", useCase)(anonymous))).toEqual(internal);
    expect(useCase).not.toHaveBeenCalled();
  });
});

describe("unknownMessage", () => {
  const answerTo = (content: unknown) => bodyOf(unknownMessage()(messageEvent(content)));
  const known = "type must be one of subscribe, unsubscribe, ping";

  it.each<[string, unknown, object]>([
    ["an unknown type", { type: "trade", id: "t1" }, { id: "t1", code: "UNKNOWN_TYPE", message: known }],
    ["a type in other case", { type: "Ping" }, { code: "UNKNOWN_TYPE", message: known }],
    ["null as type", { type: null, id: 5 }, { id: 5, code: "UNKNOWN_TYPE", message: known }],
    ["a secret as type", { type: secret }, { code: "UNKNOWN_TYPE", message: known }],
    ["a huge id", { type: "x", id: "x".repeat(65) }, { code: "UNKNOWN_TYPE", message: known }],
    [
      "no type",
      {},
      {
        code: "INVALID_MESSAGE",
        message: `type is required and must be ${known.slice("type must be ".length)}`,
      },
    ],
    ["bad JSON", '{"type":', { code: "INVALID_JSON", message: "The message must be valid JSON" }],
    ["an empty message", "", { code: "INVALID_JSON", message: "The message must be valid JSON" }],
    [
      "deep nesting",
      "[".repeat(100_000),
      { code: "INVALID_JSON", message: "The message must be valid JSON" },
    ],
    ["a list", "[1]", { code: "INVALID_MESSAGE", message: "The message must be a JSON object" }],
    ["null", "null", { code: "INVALID_MESSAGE", message: "The message must be a JSON object" }],
    ["text", '"ping"', { code: "INVALID_MESSAGE", message: "The message must be a JSON object" }],
  ])("explains the error for %s, and logs nothing", async (_, content, answer) => {
    expect(await answerTo(content)).toEqual({ type: "error", ...answer });
    expect(logged()).toEqual([]);
  });

  it("replies to invalid JSON like the handler message", async () => {
    expect(await bodyOf(ping(messageEvent("{")))).toEqual({
      type: "error",
      code: "INVALID_JSON",
      message: "The message must be valid JSON",
    });
  });
});

const named = { userID: "alice", connectionId: "c1", now: new Date("2026-11-21T09:00:00.000Z") };

describe("connect", () => {
  it("opens a connection for the authorized user, at the time of the request", async () => {
    const open = vi.fn(async () => "admitted" as const);
    expect(await connect(open)(connectEvent())).toEqual({ statusCode: 200 });
    expect(open).toHaveBeenCalledExactlyOnceWith(named);
  });

  it.each([
    ["access_token, a.b.c", { "Sec-WebSocket-Protocol": "access_token" }],
    ["json", undefined],
  ])("selects a subprotocol of %s", async (asked, headers) => {
    const event = connectEvent({ "sec-websocket-protocol": asked });
    expect(await connect(async () => "admitted" as const)(event)).toEqual({
      statusCode: 200,
      ...(headers && { headers }),
    });
  });

  it.each([
    ["too many" as const, 429],
    ["blocked" as const, 401],
  ])("reports a refused user: %s, %i", async (reason, statusCode) => {
    const event = connectEvent({ "Sec-WebSocket-Protocol": "access_token, a.b.c" });
    expect(await connect(async () => reason)(event)).toEqual({ statusCode });
    expect(logged()).toEqual([]);
  });

  it("responds with 500 if the connection cannot be stored, and logs the error by its name", async () => {
    const open = () => Promise.reject(new Error("no table for a.b.c"));
    const event = connectEvent({ "Sec-WebSocket-Protocol": "access_token, a.b.c" });
    expect(await connect(open)(event)).toEqual({ statusCode: 500 });
    expect(logged()).toEqual([expect.objectContaining({ operation: "connect", error: "Error" })]);
    expect(JSON.stringify(logged())).not.toContain("a.b.c");
  });

  it("responds with 500 to an event without a user", async () => {
    const open = vi.fn(async () => "admitted" as const);
    const event = connectEvent();
    event.requestContext.authorizer = {};
    expect(await connect(open)(event)).toEqual({ statusCode: 500 });
    expect(open).not.toHaveBeenCalled();
  });
});

describe("disconnect", () => {
  it("closes the connection", async () => {
    const close = vi.fn(async () => {});
    expect(await disconnect(close)(disconnectEvent())).toEqual({ statusCode: 200 });
    expect(close).toHaveBeenCalledExactlyOnceWith(
      expect.objectContaining({ userID: "alice", connectionId: "c1" }),
    );
  });

  it("logs an error if the connection cannot be removed", async () => {
    const close = () => Promise.reject(new Error("no table"));
    expect(await disconnect(close)(disconnectEvent())).toEqual({ statusCode: 500 });
    expect(logged()).toEqual([expect.objectContaining({ operation: "disconnect" })]);
  });
});

describe("connect and disconnect", () => {
  const open = vi.fn(async () => "admitted" as const);
  const close = vi.fn(async () => {});
  afterEach(() => {
    expect(open).not.toHaveBeenCalled();
    expect(close).not.toHaveBeenCalled();
  });

  it.each(["$connect", "$disconnect"])("ignores a message of type %s", async (type) => {
    const event = messageEvent({ type }, type);
    expect(await connect(open)(event)).toEqual({ statusCode: 400 });
    expect(await disconnect(close)(event)).toEqual({ statusCode: 400 });
  });

  it("connect ignores disconnect events, and disconnect ignores connect events", async () => {
    expect(await connect(open)(disconnectEvent())).toEqual({ statusCode: 400 });
    expect(await disconnect(close)(connectEvent())).toEqual({ statusCode: 400 });
  });
});
