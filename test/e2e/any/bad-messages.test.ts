import { beforeAll, describe, expect, test } from "vitest";
import { type Stream, streamOf, subscribe } from "../support/stream.ts";
import { error, pong, subscriptions } from "../support/stream-shapes.ts";
import { someUser, type User } from "../support/users.ts";

let user: User;

beforeAll(async () => {
  user = await someUser();
});

const open = (): Promise<Stream> => streamOf(user);

/** The connection is of use after an error, and subscribed to nothing. */
async function expectToBeAsBefore(stream: Stream): Promise<void> {
  const answer = await stream.ask({ type: "unsubscribe", id: "what now?", channels: [] });
  expect(answer).toStrictEqual(subscriptions([], { id: "what now?" }));
}

const kilobytes = (count: number) => "x".repeat(count * 1024);

/** API Gateway takes frames of 32 KB at most. */
const inFrames = (text: string) => text.match(/.{1,30000}/gs) ?? [];

describe("A message is refused, and the connection goes on:", () => {
  test.each<[title: string, code: string, message: unknown]>([
    ["nothing", "INVALID_JSON", ""],
    ["a space", "INVALID_JSON", " "],
    ["plain text", "INVALID_JSON", "subscribe"],
    ["half of a message", "INVALID_JSON", '{"type":"ping"'],
    ["two messages in one", "INVALID_JSON", '{"type":"ping"}{"type":"ping"}'],
    ["single quotes", "INVALID_JSON", "{'type':'ping'}"],
    ["a byte order mark", "INVALID_JSON", '\uFEFF{"type":"ping"}'],
    ["a NUL byte behind it", "INVALID_JSON", '{"type":"ping"}\0'],
    ["lists 10,000 deep that do not end", "INVALID_JSON", "[".repeat(10_000)],
    ["null", "INVALID_MESSAGE", "null"],
    ["a number", "INVALID_MESSAGE", "42"],
    ["a string", "INVALID_MESSAGE", '"ping"'],
    ["a list", "INVALID_MESSAGE", '[{"type":"ping"}]'],
    ["an object with nothing in it", "INVALID_MESSAGE", {}],
    ["no type", "INVALID_MESSAGE", { channels: ["prices"] }],
    ["a type that is no text", "UNKNOWN_TYPE", { type: 7 }],
    ["a type that is null", "UNKNOWN_TYPE", { type: null }],
    ["a type in a list", "UNKNOWN_TYPE", { type: ["ping"] }],
    ["an unknown type", "UNKNOWN_TYPE", { type: "buy" }],
    ["a type in upper case", "UNKNOWN_TYPE", { type: "PING" }],
    ["an empty type", "UNKNOWN_TYPE", { type: "" }],
    ["a message of the service's", "UNKNOWN_TYPE", { type: "TradingSettingsUpdated", data: {} }],
    ["the name of a method of every object", "UNKNOWN_TYPE", { type: "toString" }],
    ["__proto__", "UNKNOWN_TYPE", '{"type":"__proto__"}'],
    ["no channels", "INVALID_MESSAGE", { type: "subscribe" }],
    ["channels that are null", "INVALID_MESSAGE", { type: "subscribe", channels: null }],
    ["one channel without a list", "INVALID_MESSAGE", { type: "subscribe", channels: "prices" }],
    ["an object for a list", "INVALID_MESSAGE", { type: "unsubscribe", channels: { 0: "prices" } }],
    ["a channel that is no text", "INVALID_MESSAGE", { type: "subscribe", channels: [7] }],
    ["a bad channel beside a good one", "INVALID_MESSAGE", { type: "subscribe", channels: ["prices", null] }],
    [
      "1000 channels",
      "INVALID_MESSAGE",
      { type: "subscribe", channels: Array.from({ length: 1000 }, (_, index) => `channel${index}`) },
    ],
    [
      "a good one 1000 times",
      "INVALID_MESSAGE",
      { type: "subscribe", channels: Array.from({ length: 1000 }, () => "prices") },
    ],
    ["an unknown field", "INVALID_MESSAGE", { type: "subscribe", channels: ["prices"], user: "somebody" }],
    ["a field too many in a ping", "INVALID_MESSAGE", { type: "ping", channels: [] }],
    ["another constructor", "INVALID_MESSAGE", { type: "ping", constructor: { prototype: {} } }],
    ["another prototype", "INVALID_MESSAGE", '{"type":"ping","__proto__":{"id":"x"}}'],
    ["an empty id", "INVALID_MESSAGE", { type: "ping", id: "" }],
    ["an id that is too long", "INVALID_MESSAGE", { type: "ping", id: "x".repeat(65) }],
    ["an id of 20 KB", "INVALID_MESSAGE", { type: "subscribe", id: kilobytes(20), channels: ["prices"] }],
    ["half a number for an id", "INVALID_MESSAGE", { type: "ping", id: 1.5 }],
    ["a number for an id that is too large to be kept", "INVALID_MESSAGE", { type: "ping", id: 2 ** 53 }],
    ["an id that is null", "INVALID_MESSAGE", { type: "ping", id: null }],
    ["an id in a list", "INVALID_MESSAGE", { type: "ping", id: ["c1"] }],
    ["an unknown channel", "UNKNOWN_CHANNEL", { type: "subscribe", channels: ["candles"] }],
    ["a channel in upper case", "UNKNOWN_CHANNEL", { type: "subscribe", channels: ["Prices"] }],
    ["a channel of another user's", "UNKNOWN_CHANNEL", { type: "subscribe", channels: ["orders#somebody"] }],
    ["__proto__ for a channel", "UNKNOWN_CHANNEL", { type: "subscribe", channels: ["__proto__"] }],
    ["an unknown channel to leave", "UNKNOWN_CHANNEL", { type: "unsubscribe", channels: ["candles"] }],
  ])("%s (%s)", async (_, code, message) => {
    const stream = await open();

    stream.send(message);

    const answer = await stream.take({ type: "error" });
    expect(answer).toStrictEqual(error(code));
    expect(String(answer.message).length).toBeLessThan(300);
    await expectToBeAsBefore(stream);
  });

  test("up to 128 KB, in frames", async () => {
    const stream = await open();
    const [before, after] = ['{"type":"ping","padding":"', '"}'];
    const padding = "x".repeat(128 * 1024 - before.length - after.length);

    stream.sendInFrames(inFrames(before + padding + after));

    expect(await stream.take({ type: "error" })).toStrictEqual(error("INVALID_MESSAGE"));
    await expectToBeAsBefore(stream);
  });

  test.each([
    [{ type: "buy", id: "c1" }, "UNKNOWN_TYPE"],
    [{ id: "c1" }, "INVALID_MESSAGE"],
    [{ type: "subscribe", id: "c1", channels: "prices" }, "INVALID_MESSAGE"],
    [{ type: "unsubscribe", id: "c1", channels: ["candles"] }, "UNKNOWN_CHANNEL"],
  ])("%j, and the answer carries the id", async (message, code) => {
    const stream = await open();

    stream.send(message);

    expect(await stream.take({ type: "error" })).toStrictEqual(error(code, { id: "c1" }));
  });
});

test("the good channels of a request count beside unknown ones", async () => {
  const stream = await open();

  stream.send({ type: "subscribe", id: 5, channels: ["candles", "orders", "__proto__", "positions"] });

  const problem = await stream.take({ type: "error" });
  expect(problem).toStrictEqual(error("UNKNOWN_CHANNEL", { id: 5 }));
  expect(problem.message).toContain("candles");
  const answer = await stream.take({ type: "subscriptions" });
  expect(answer).toStrictEqual(subscriptions(["orders", "positions"], { id: 5 }));
  for (const channel of ["orders", "positions"]) await stream.take({ type: "snapshot", channel });

  stream.send({ type: "unsubscribe", id: 6, channels: ["orders", "candles"] });
  expect(await stream.take({ type: "error" })).toStrictEqual(error("UNKNOWN_CHANNEL", { id: 6 }));
  expect(await stream.take({ type: "subscriptions" })).toStrictEqual(subscriptions(["positions"], { id: 6 }));
});

test.each(["$connect", "$disconnect", "$default"])(
  "a message of the type %s does not become what the gateway means by it",
  async (type) => {
    const stream = await open();
    await subscribe(stream, "orders");

    stream.send({ type });

    expect(await stream.ask({ type: "ping", id: "then" })).toStrictEqual(pong({ id: "then" }));
    const answer = await stream.ask({ type: "subscribe", id: "now", channels: [] });
    expect(answer).toStrictEqual(subscriptions(["orders"], { id: "now" }));
  },
);

describe("A connection is closed", () => {
  test("with 1009 when a message has more than 128 KB", async () => {
    const stream = await open();

    stream.sendInFrames(inFrames(JSON.stringify({ type: "ping", padding: kilobytes(128) })));

    expect(await stream.closed).toBe(1009);
  });

  test("with 1003 when a message is binary", async () => {
    const stream = await open();

    stream.send(Buffer.from('{"type":"ping"}'));

    expect(await stream.closed).toBe(1003);
  });
});
