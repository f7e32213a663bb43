import { expect, it } from "vitest";
import { settingsEvents, settingsInView, versionOf } from "../support/settings-events.ts";
import { streamOf } from "../support/stream.ts";
import { subscriptions } from "../support/stream-shapes.ts";
import { changeSettings, profileOf, settingsAfter } from "../support/terminal.ts";
import { newUser } from "../support/users.ts";

const times = <Result>(count: number, make: (index: number) => Promise<Result>): Promise<Result[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => make(index)));

it("sends a change to all of a user's 30 simultaneously opened connections", async () => {
  const user = await newUser();
  const streams = await times(30, () => streamOf(user));

  await settingsAfter(user, "eth", { slippage: 8.5 });

  await Promise.all(streams.map((stream) => stream.take(versionOf("eth", 1))));
  for (const stream of streams)
    expect(settingsEvents(stream)).toMatchObject([{ version: 1, settings: { slippage: 8.5 } }]);
});

it("sends every connection the final value after 20 simultaneous changes", async () => {
  const user = await newUser();
  const streams = await times(5, () => streamOf(user));

  const answers = await times(20, (index) => changeSettings(user, "eth", { slippage: index + 1 }));

  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  await Promise.all(streams.map((stream) => stream.take(versionOf("eth", 20))));
  const { ethereum } = (await profileOf(user)).tradingSettings;
  // Only the last of several changes published together is sent.
  for (const stream of streams) expect(settingsInView(stream, "eth")).toStrictEqual(ethereum);
});

it("answers all of 30 simultaneous requests on one connection", async () => {
  const stream = await streamOf(await newUser());
  const channels = ["orders", "positions", "prices"];

  const answers = await times(30, (index) =>
    stream.ask({ type: "subscribe", id: index, channels: [channels[index % 3]] }),
  );

  for (const [index, answer] of answers.entries())
    expect(answer).toMatchObject({ type: "subscriptions", id: index });
  for (const channel of channels.flatMap((channel) => Array<string>(10).fill(channel)))
    await stream.take({ type: "snapshot", channel });
  expect(await stream.ask({ type: "subscribe", id: "now", channels: [] })).toStrictEqual(
    subscriptions(channels, { id: "now" }),
  );
  expect(stream.received.filter(({ type }) => type === "snapshot")).toHaveLength(30);
});
