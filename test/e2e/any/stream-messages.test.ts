import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { expectToWork, type Stream, streamOf, subscribe } from "../support/stream.ts";
import { error, pong, snapshot, subscriptions } from "../support/stream-shapes.ts";
import { someUser } from "../support/users.ts";

const all = ["orders", "positions", "prices"];

const user = someUser();

const open = (): Promise<Stream> => streamOf(user);

/** Replies to messages, without updates and events. */
const answers = ({ received }: Stream) =>
  received.filter(({ type }) => type !== "update" && type !== "TradingSettingsUpdated");

describe("subscribe", () => {
  it("answers a subscription with all channels, sorted, and a snapshot of each", async () => {
    const stream = await open();

    const answer = await stream.ask({ type: "subscribe", id: "c1", channels: all.toReversed() });
    for (const channel of all)
      expect(await stream.take({ type: "snapshot", channel })).toStrictEqual(snapshot(channel));

    expect(answer).toStrictEqual(subscriptions(all, { id: "c1" }));
    expect(answers(stream)[0]).toBe(answer);
    expect(answers(stream)).toHaveLength(4);
  });

  it("adds channels one after another, and sends a snapshot of each channel named", async () => {
    const stream = await open();
    await subscribe(stream, "orders");

    const answer = await stream.ask({ type: "subscribe", id: 2, channels: ["prices"] });
    await stream.take({ type: "snapshot", channel: "prices" });
    const again = await stream.ask({ type: "subscribe", id: 3, channels: ["prices", "orders", "prices"] });
    for (const channel of ["orders", "prices"]) await stream.take({ type: "snapshot", channel });
    await subscribe(stream, "positions");

    expect(answer).toStrictEqual(subscriptions(["orders", "prices"], { id: 2 }));
    expect(again).toStrictEqual(subscriptions(["orders", "prices"], { id: 3 }));
    const snapshots = answers(stream).filter(({ type }) => type === "snapshot");
    expect(snapshots.map(({ channel }) => channel)).toEqual([
      "orders",
      "prices",
      "orders",
      "prices",
      "positions",
    ]);
  });

  it("answers a subscription without channels with the current subscriptions", async () => {
    const stream = await open();
    expect(await stream.ask({ type: "subscribe", id: 1, channels: [] })).toStrictEqual(
      subscriptions([], { id: 1 }),
    );
    await subscribe(stream, "positions");

    expect(await stream.ask({ type: "subscribe", id: 2, channels: [] })).toStrictEqual(
      subscriptions(["positions"], { id: 2 }),
    );
  });

  it("leaves the user's other connections alone", async () => {
    const [stream, other] = [await streamOf(user), await streamOf(user)];
    await subscribe(stream, "orders", "positions");

    expect(await other.ask({ type: "subscribe", id: 1, channels: [] })).toStrictEqual(
      subscriptions([], { id: 1 }),
    );
  });
});

describe("unsubscribe", () => {
  it("answers an unsubscription with the remaining channels", async () => {
    const stream = await open();
    await subscribe(stream, ...all);

    const one = await stream.ask({ type: "unsubscribe", id: "c2", channels: ["orders"] });
    const others = await stream.ask({ type: "unsubscribe", id: "c3", channels: ["prices", "positions"] });

    expect(one).toStrictEqual(subscriptions(["positions", "prices"], { id: "c2" }));
    expect(others).toStrictEqual(subscriptions([], { id: "c3" }));
  });

  it("changes nothing when it unsubscribes from unknown channels or from none", async () => {
    const stream = await open();
    await subscribe(stream, "positions");

    const other = await stream.ask({ type: "unsubscribe", id: 1, channels: ["orders", "prices"] });
    const none = await stream.ask({ type: "unsubscribe", id: 2, channels: [] });

    expect(other).toStrictEqual(subscriptions(["positions"], { id: 1 }));
    expect(none).toStrictEqual(subscriptions(["positions"], { id: 2 }));
  });
});

describe("ping", () => {
  it("answers a ping with a pong and the time", async () => {
    const stream = await open();

    stream.send({ type: "ping" });

    const answer = await stream.take({ type: "pong" });
    expect(answer).toStrictEqual(pong());
    expect(Math.abs(Date.parse(answer.time as string) - Date.now())).toBeLessThan(60_000);
  });

  it("answers 20 pings that are sent at once", async () => {
    const stream = await open();
    const ids = Array.from({ length: 20 }, (_, index) => index);

    const pongs = await Promise.all(ids.map((id) => stream.ask({ type: "ping", id })));

    expect(pongs).toStrictEqual(ids.map((id) => pong({ id })));
  });
});

describe("the id of a message", () => {
  it.each<string | number>([
    "c1",
    "x",
    "x".repeat(64),
    "null",
    "7",
    'with a space, "quotes" and a\nline',
    "Zürich 🦊",
    "__proto__",
    0,
    7,
    -1,
    Number.MAX_SAFE_INTEGER,
  ])("returns the id of a message unchanged: %j", async (id) => {
    const stream = await open();

    expect(await stream.ask({ type: "ping", id })).toStrictEqual(pong({ id }));
  });

  it("accepts every message without an id", async () => {
    const stream = await open();

    stream.send({ type: "subscribe", channels: ["orders"] });
    expect(await stream.take({ type: "subscriptions" })).toStrictEqual(subscriptions(["orders"]));
    await stream.take({ type: "snapshot" });
    stream.send({ type: "unsubscribe", channels: ["orders"] });
    expect(await stream.take({ type: "subscriptions" })).toStrictEqual(subscriptions([]));
  });
});

it("accepts messages in several frames, with surrounding white space", async () => {
  const stream = await open();

  stream.sendInFrames([' \n{"type":"pi', 'ng","id":', '"in parts"}\t']);

  expect(await stream.take({ id: "in parts" })).toStrictEqual(pong({ id: "in parts" }));
});

it("ends a connection without an error when the client closes it", async () => {
  const stream = await open();
  await expectToWork(stream);

  stream.close();

  expect(await stream.closed).toBe(1005);
});

it("closes a connection with an error when it sends too many messages", async () => {
  const [stream, other] = await Promise.all([open(), open()]);
  let isOpen = true;
  void stream.closed.then(() => {
    isOpen = false;
  });

  while (isOpen) {
    stream.send({ type: "ping" });
    await pause(5);
  }

  const problems = stream.received.filter(({ type }) => type === "error");
  // Each instance of a function counts separately, so a second one may send the error before the connection
  // is closed.
  expect(problems).toContainEqual(error("RATE_LIMITED"));
  expect(problems).toEqual(problems.map(() => error("RATE_LIMITED")));
  await expectToWork(other);
});
