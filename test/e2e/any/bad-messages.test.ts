import { describe, expect, it } from "vitest";
import { badMessages, badMessagesWithId } from "../../cases/bad-messages.ts";
import { sampled } from "../../cases/sample.ts";
import { type Stream, streamOf, subscribe } from "../support/stream.ts";
import { error, pong, subscriptions } from "../support/stream-shapes.ts";
import { someUser } from "../support/users.ts";

const user = someUser();

const open = (): Promise<Stream> => streamOf(user);

/** Expects an open connection without subscriptions. */
async function expectToBeAsBefore(stream: Stream): Promise<void> {
  const answer = await stream.ask({ type: "unsubscribe", id: "what now?", channels: [] });
  expect(answer).toStrictEqual(subscriptions([], { id: "what now?" }));
}

const kilobytes = (count: number) => "x".repeat(count * 1024);

/** API Gateway accepts frames of up to 32 KB. */
const inFrames = (text: string) => text.match(/.{1,30000}/gs) ?? [];

describe("the stream", () => {
  it.each(sampled(badMessages))(
    "answers $title with $code, and keeps the connection open",
    async ({ code, message }) => {
      const stream = await open();

      stream.send(message);

      const answer = await stream.take({ type: "error" });
      expect(answer).toStrictEqual(error(code));
      expect(String(answer.message).length).toBeLessThan(300);
      await expectToBeAsBefore(stream);
    },
  );

  it("answers a bad message of 128 KB, in frames, and keeps the connection open", async () => {
    const stream = await open();
    const [before, after] = ['{"type":"ping","padding":"', '"}'];
    const padding = "x".repeat(128 * 1024 - before.length - after.length);

    stream.sendInFrames(inFrames(before + padding + after));

    expect(await stream.take({ type: "error" })).toStrictEqual(error("INVALID_MESSAGE"));
    await expectToBeAsBefore(stream);
  });

  it.each(sampled(badMessagesWithId))("answers $title with the id of the message", async (bad) => {
    const stream = await open();

    stream.send(bad.message);

    expect(await stream.take({ type: "error" })).toStrictEqual(error(bad.code, { id: "c1" }));
  });

  it("subscribes to the valid channels of a request that also names unknown ones", async () => {
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
    expect(await stream.take({ type: "subscriptions" })).toStrictEqual(
      subscriptions(["positions"], { id: 6 }),
    );
  });

  it.each(["$connect", "$disconnect", "$default"])(
    "treats a message of type %s as a client's message, not as an event of API Gateway",
    async (type) => {
      const stream = await open();
      await subscribe(stream, "orders");

      stream.send({ type });

      expect(await stream.ask({ type: "ping", id: "then" })).toStrictEqual(pong({ id: "then" }));
      const answer = await stream.ask({ type: "subscribe", id: "now", channels: [] });
      expect(answer).toStrictEqual(subscriptions(["orders"], { id: "now" }));
    },
  );

  it("closes the connection with 1009 on a message larger than 128 KB", async () => {
    const stream = await open();

    stream.sendInFrames(inFrames(JSON.stringify({ type: "ping", padding: kilobytes(128) })));

    expect(await stream.closed).toBe(1009);
  });

  it("closes the connection with 1003 on a binary message", async () => {
    const stream = await open();

    stream.send(Buffer.from('{"type":"ping"}'));

    expect(await stream.closed).toBe(1003);
  });
});
