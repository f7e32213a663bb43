import { describe, expect, it } from "vitest";
import { settingsEvents, settingsInView, versionOf } from "../support/settings-events.ts";
import { type Stream, streamOf, subscribe } from "../support/stream.ts";
import { settingsShape, settingsUpdated } from "../support/stream-shapes.ts";
import { changeSettings, type Settings, settingsAfter } from "../support/terminal.ts";
import { newUser } from "../support/users.ts";

const chains = ["eth", "base", "sol"] as const;

const settingsIn = ({ _id, userID, createdAt, updatedAt, ...settings }: Settings) => settings;

const inOrder = (streams: readonly Stream[], versions: [chain: string, version: number][]) =>
  Promise.all(
    streams.map(async (stream) => {
      for (const [chain, version] of versions) await stream.take(versionOf(chain, version));
    }),
  );

describe.each(chains)("a change of the settings of %s", (chain) => {
  it("sends changed settings completely, with their version, even to a client without subscriptions", async () => {
    const user = await newUser();
    const stream = await streamOf(user);

    // Makes changes one after another, because only the last of several changes published together is sent.
    const first = await settingsAfter(user, chain, { slippage: 2 });
    const events = [await stream.take(versionOf(chain, 1))];
    const second = await settingsAfter(user, chain, { autoBuy: true });
    events.push(await stream.take(versionOf(chain, 2)));

    expect(events).toStrictEqual([
      settingsUpdated(chain, 1, settingsIn(first)),
      settingsUpdated(chain, 2, settingsIn(second)),
    ]);
    expect(events[1]).toStrictEqual(settingsUpdated(chain, 2, settingsShape[chain]));
  });
});

it("sends a refused change to nobody", async () => {
  const user = await newUser();
  const stream = await streamOf(user);

  await changeSettings(user, "eth", { slippage: -1 });
  await changeSettings(user, "btc", { slippage: 1 });
  await changeSettings(user, "eth", { slippage: 1 }, { "If-Match": '"1"' });
  await settingsAfter(user, "eth", { slippage: 7 });
  await stream.take({ type: "TradingSettingsUpdated" });

  expect(settingsEvents(stream)).toMatchObject([{ chain: "eth", version: 1, settings: { slippage: 7 } }]);
});

it("sends each connection all its user's changes in order, and nobody else's", async () => {
  const users = [await newUser(), await newUser()];
  const streams = await Promise.all(
    users.map(async (user) => [await streamOf(user), await streamOf(user)] as const),
  );
  const changes = (slippage: number) =>
    chains.flatMap((chain) => [1, 2].map((version) => [chain, version, slippage + version / 10] as const));

  const made = await Promise.all(
    users.map(async (user, index) => {
      const records: [string, Settings][] = [];
      for (const [chain, version, slippage] of changes(10 * (index + 1))) {
        records.push([chain, settingsIn(await settingsAfter(user, chain, { slippage }))]);
        await inOrder(streams[index] ?? [], [[chain, version]]);
      }
      return records;
    }),
  );
  // Users change settings one after another, so that no event is in flight when the counts are compared.
  for (const [index, user] of users.entries()) {
    await settingsAfter(user, "sol", { slippage: 99 });
    await inOrder(streams[index] ?? [], [["sol", 3]]);
  }
  await settingsAfter(users[0] as (typeof users)[0], "sol", { slippage: 98 });
  await inOrder(streams[0] ?? [], [["sol", 4]]);

  for (const [index, records] of made.entries()) {
    const expected = records.map(([chain, settings], at) => ({ chain, version: 1 + (at % 2), settings }));
    for (const stream of streams[index] ?? [])
      expect(settingsEvents(stream).slice(0, 6)).toStrictEqual(expected);
  }
  expect(streams.map((pair) => pair.map((stream) => settingsEvents(stream).length))).toEqual([
    [8, 8],
    [7, 7],
  ]);
});

it("after a client reconnects, sends further changes only on its new connection", async () => {
  const user = await newUser();
  const before = await streamOf(user);
  await settingsAfter(user, "eth", { slippage: 1 });
  await before.take(versionOf("eth", 1));
  before.close();
  await before.closed;
  await settingsAfter(user, "eth", { slippage: 2 });

  const after = await streamOf(user);
  await settingsAfter(user, "eth", { slippage: 3 });
  await after.take(versionOf("eth", 3));

  expect(settingsInView(after, "eth")).toMatchObject({ slippage: 3 });
  expect(settingsEvents(before)).toHaveLength(1);
});

it("sends a client changes regardless of its subscriptions", async () => {
  const user = await newUser();
  const stream = await streamOf(user);
  await subscribe(stream, "orders", "positions", "prices");
  await stream.ask({ type: "unsubscribe", id: "off", channels: ["orders", "positions", "prices"] });

  await settingsAfter(user, "base", { slippage: 5 });

  expect(await stream.take(versionOf("base", 1))).toMatchObject({ data: { settings: { slippage: 5 } } });
});
