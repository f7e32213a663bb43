import { expect, it } from "vitest";
import { settingsEvents, settingsInView, versionOf } from "../support/settings-events.ts";
import { type Stream, streamOf, subscribe } from "../support/stream.ts";
import { subscriptions } from "../support/stream-shapes.ts";
import { profileOf, settingsAfter } from "../support/terminal.ts";
import { newUser } from "../support/users.ts";

it("delays no other clients when connections are lost, and sends reconnected ones the current settings", async () => {
  const user = await newUser();
  const open = (count: number) => Promise.all(Array.from({ length: count }, () => streamOf(user)));
  const [stays, lost]: [Stream, Stream[]] = [await streamOf(user), await open(5)];
  for (const stream of [stays, ...lost]) await subscribe(stream, "prices", "orders");
  await settingsAfter(user, "eth", { slippage: 1 });
  await Promise.all([stays, ...lost].map((stream) => stream.take(versionOf("eth", 1))));

  for (const stream of lost) stream.terminate();
  for (let version = 2; version <= 5; version++) {
    await settingsAfter(user, "eth", { slippage: version });
    await stays.take(versionOf("eth", version));
  }
  const [back] = await open(1);
  if (back === undefined) return;
  const answer = await back.ask({ type: "subscribe", id: 1, channels: ["positions"] });
  const { ethereum } = (await profileOf(user)).tradingSettings;
  await settingsAfter(user, "eth", { autoBuy: true });
  await Promise.all([stays, back].map((stream) => stream.take(versionOf("eth", 6))));

  expect(settingsEvents(stays).map(({ version }) => version)).toEqual([1, 2, 3, 4, 5, 6]);
  expect(ethereum).toMatchObject({ slippage: 5 });
  expect(settingsInView(back, "eth")).toStrictEqual({ ...ethereum, autoBuy: true });
  expect(answer).toStrictEqual(subscriptions(["positions"], { id: 1 }));
});

it("does not affect other clients when one disconnects during its requests", async () => {
  const user = await newUser();
  const stays = await streamOf(user);
  for (let times = 0; times < 10; times++) {
    const stream = await streamOf(user);
    stream.send({ type: "subscribe", channels: ["prices", "orders"] });
    stream.send({ type: "ping" });
    stream.terminate();
  }

  await subscribe(stays, "prices");
  await stays.take({ type: "update", channel: "prices" });
  await settingsAfter(user, "sol", { slippage: 2 });
  await stays.take(versionOf("sol", 1));

  expect(settingsEvents(stays)).toHaveLength(1);
});
