import { describe, expect, it, vi } from "vitest";
import { errorMessage, type ServerMessage } from "../../lib/api/server-messages.ts";
import { message, unknownMessage } from "../../lib/runtime/message.ts";
import { quietConsole } from "../support/console.ts";
import { messageEvent } from "../support/websocket-events.ts";

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

describe("a message", () => {
  it("reaches its use case parsed, with who sent it", async () => {
    const useCase = vi.fn(async () => [subscriptions]);
    const content = { type: "subscribe", id: "s1", channels: ["orders", "trades"] };
    await message("subscribe", useCase)(messageEvent(content));
    expect(useCase).toHaveBeenCalledExactlyOnceWith({
      ...content,
      userID: "alice",
      connectionID: "c1",
      now: expect.any(Date),
    });
  });

  it("is read from base64 as well", async () => {
    const body = Buffer.from('{"type":"ping","id":"ü"}').toString("base64");
    const event = { ...messageEvent(body), isBase64Encoded: true };
    expect(await bodyOf(ping(event))).toEqual({ type: "pong", id: "ü", time });
  });

  it.each(["p1", "x".repeat(64), "東京", 0, -1, Number.MAX_SAFE_INTEGER])(
    "has its id %j echoed as it came",
    async (id) => {
      expect(await bodyOf(ping(messageEvent({ type: "ping", id })))).toEqual({ type: "pong", id, time });
    },
  );

  it("needs no id", async () => {
    expect(await bodyOf(ping(messageEvent({ type: "ping" })))).toEqual({ type: "pong", time });
  });

  it.each<[string, unknown, string]>([
    ["an id that is empty", { id: "" }, idForm],
    ["a huge id", { id: "x".repeat(65) }, idForm],
    ["an id of 1 MB", { id: secret.repeat(16_000) }, idForm],
    ["a fraction for an id", { id: 1.5 }, idForm],
    ["an id that no number can hold", { id: 2 ** 53 }, idForm],
    ["null for an id", { id: null }, idForm],
    ["an object for an id", { id: {} }, idForm],
    [
      "no channels",
      { channels: undefined },
      `channels is required and ${namesForm.slice("channels ".length)}`,
    ],
    ["text for channels", { channels: "orders" }, namesForm],
    ["an object for channels", { channels: { 0: "orders" } }, namesForm],
    ["1000 channels", { channels: Array(1000).fill("orders") }, namesForm],
    ["a channel that is no text", { channels: ["orders", 5] }, "channels.1 must be text"],
    ["a field that there is not", { chanels: [] }, "chanels is not a known field"],
    ["a secret for a field", { [secret]: 1 }, "A field of the message is not a known field"],
    ["another type", { type: "unsubscribe" }, 'type must be "subscribe"'],
  ])("with %s is told what is wrong, and nothing of it happens", async (_, changes, text) => {
    const useCase = vi.fn(async () => [subscriptions]);
    const content = { type: "subscribe", id: 7, channels: ["orders"], ...(changes as object) };
    const answer = await bodyOf(message("subscribe", useCase)(messageEvent(content)));
    const id = "id" in (changes as object) ? {} : { id: 7 };
    expect(answer).toEqual({ type: "error", code: "INVALID_MESSAGE", message: text, ...id });
    expect(useCase).not.toHaveBeenCalled();
    expect(logged()).toEqual([]);
  });
});

describe("the replies to a message", () => {
  const replyWith = async (replies: ServerMessage[]) => {
    const send = vi.fn(async () => {});
    const event = messageEvent({ type: "subscribe", id: "s1", channels: [] });
    const result = await message("subscribe", async () => replies, send)(event);
    return { result, send };
  };

  it("are the function's own result when there is one", async () => {
    const { result, send } = await replyWith([subscriptions]);
    expect(result).toEqual({ statusCode: 200, body: expect.any(String) });
    expect(JSON.parse(result.body ?? "")).toEqual({ ...subscriptions, id: "s1" });
    expect(send).not.toHaveBeenCalled();
  });

  it("are sent in order when there are several, with the id on those that answer", async () => {
    const problem = errorMessage("UNKNOWN_CHANNEL", "Unknown");
    const { result, send } = await replyWith([problem, subscriptions, snapshot]);
    expect(result).toEqual({ statusCode: 200 });
    const [[connectionID, texts]] = send.mock.calls as unknown as [[string, string[]]];
    expect(connectionID).toBe("c1");
    expect(texts.map((text) => JSON.parse(text))).toEqual([
      { ...problem, id: "s1" },
      { ...subscriptions, id: "s1" },
      snapshot,
    ]);
  });
});

describe("a fault", () => {
  const fault = () => Promise.reject(new Error(`failed on ${secret}`));
  const event = messageEvent({ type: "subscribe", id: "s1", channels: [secret] });
  const internal = { type: "error", id: "s1", code: "INTERNAL_ERROR", message: "Internal server error" };

  it.each([
    ["of the use case", message("subscribe", fault)],
    ["of sending the replies", message("subscribe", async () => [subscriptions, snapshot], fault)],
    ["of a reply that is not of its form", message("subscribe", async () => [{ type: "pong" } as never])],
    ["of having no way to send several replies", message("subscribe", async () => [subscriptions, snapshot])],
  ])("%s is told and logged by its name, without a word of the message", async (_, handler) => {
    expect(await bodyOf(handler(event))).toEqual(internal);
    expect(logged()).toEqual([expect.objectContaining({ operation: "subscribe" })]);
    expect(JSON.stringify(logged())).not.toContain(secret.slice(0, 8));
  });

  it("is that nobody is named, too", async () => {
    const { requestContext, ...rest } = event;
    const anonymous = { ...rest, requestContext: { ...requestContext, authorizer: {} } };
    const useCase = vi.fn(async () => [subscriptions]);
    expect(await bodyOf(message("subscribe", useCase)(anonymous))).toEqual(internal);
    expect(useCase).not.toHaveBeenCalled();
  });
});

describe("a message of no known type", () => {
  const answerTo = (content: unknown) => bodyOf(unknownMessage()(messageEvent(content)));
  const known = "type must be one of subscribe, unsubscribe, ping";

  it.each<[string, unknown, object]>([
    ["another type", { type: "trade", id: "t1" }, { id: "t1", code: "UNKNOWN_TYPE", message: known }],
    ["a type in other case", { type: "Ping" }, { code: "UNKNOWN_TYPE", message: known }],
    ["null for a type", { type: null, id: 5 }, { id: 5, code: "UNKNOWN_TYPE", message: known }],
    ["a secret for a type", { type: secret }, { code: "UNKNOWN_TYPE", message: known }],
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
    ["nothing", "", { code: "INVALID_JSON", message: "The message must be valid JSON" }],
    [
      "deep nesting",
      "[".repeat(100_000),
      { code: "INVALID_JSON", message: "The message must be valid JSON" },
    ],
    ["a list", "[1]", { code: "INVALID_MESSAGE", message: "The message must be a JSON object" }],
    ["null", "null", { code: "INVALID_MESSAGE", message: "The message must be a JSON object" }],
    ["text", '"ping"', { code: "INVALID_MESSAGE", message: "The message must be a JSON object" }],
  ])("(%s) is told what is wrong, and is no fault", async (_, content, answer) => {
    expect(await answerTo(content)).toEqual({ type: "error", ...answer });
    expect(logged()).toEqual([]);
  });

  it("is told so where a known type was expected, too", async () => {
    expect(await bodyOf(ping(messageEvent("{")))).toEqual({
      type: "error",
      code: "INVALID_JSON",
      message: "The message must be valid JSON",
    });
  });
});
