import { randomUUID } from "node:crypto";
import { type GetCommand, TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Channel, channels } from "../../lib/core/channel.ts";
import { type FollowedToken, following } from "../../lib/markets/core/market-subscription.ts";
import type { Follower } from "../../lib/markets/demand.ts";
import {
  addChannels,
  type ConnectionName,
  closeConnection,
  connectionsOfUser,
  hasSubscribers,
  isOccupied,
  type MarketSubscriber,
  marketFollowers,
  marketSubscribersInShard,
  openConnection,
  removeChannels,
} from "../../lib/realtime/connection-records.ts";
import { noteStuckSubscriber } from "../../lib/realtime/stuck-records.ts";
import type { Table } from "../../lib/table/table.ts";
import { tableForTests } from "../support/dynamodb.ts";
import { interceptedTable } from "../support/intercepted-table.ts";
import { itemsNamed } from "../support/items.ts";

const db = tableForTests();

const now = new Date("2026-11-21T09:00:00.000Z");
const shard = 3;

/** Opens a new connection. */
async function connected(userID = randomUUID() as string): Promise<ConnectionName> {
  const name = { userID, connectionId: `${randomUUID()}=` };
  await openConnection(db.table, name, { shard, now });
  return name;
}

/** Changes channels, and returns those from before the change. */
const add = async (name: ConnectionName, ...wanted: Channel[]) =>
  (await addChannels(db.table, name, wanted))?.before.channels.toSorted();
const remove = async (name: ConnectionName, ...unwanted: Channel[]) =>
  (await removeChannels(db.table, name, unwanted))?.before.channels.toSorted();

/** Returns the channels in a connection's record (undefined without one), and its places among the subscribers. */
async function recordsOf({ connectionId }: ConnectionName) {
  const items = await itemsNamed(db.table, connectionId);
  const own = items.find(({ PK }) => PK.startsWith("CONNECTIONS#"));
  return {
    channels: own && [...((own.channels as Set<Channel> | undefined) ?? [])].sort(),
    places: items.map(({ PK }) => PK).filter((PK) => PK.startsWith("CHANNEL#")),
  };
}

const place = `CHANNEL#prices#${shard}`;
const marketPlace = `CHANNEL#markets#${shard}`;

const moon: FollowedToken = { chain: "base", token: "0x1" };
const charted: FollowedToken = { chain: "sol", token: "So1", candles: true };
const markets = { every: 1, tokens: [moon] } as const;

const follow = (name: ConnectionName, tokens: readonly FollowedToken[], every: 1 | 5 = 1) =>
  addChannels(db.table, name, ["prices"], (before) => ({
    every,
    tokens: following(before?.tokens ?? [], tokens).tokens,
  }));

/** Lists the places of a connection in the audience that readMarkets serves. */
const marketsOf = async ({ connectionId }: ConnectionName) =>
  (await itemsNamed(db.table, connectionId)).filter(({ PK }) => PK.startsWith("CHANNEL#markets#"));

const expiresAt = Date.parse("2026-11-21T11:10:00.000Z") / 1000;

describe("openConnection", () => {
  it("keeps the connection and its place among the subscribers ten minutes longer than API Gateway", async () => {
    const name = await connected();
    await add(name, "prices");
    expect(await itemsNamed(db.table, name.connectionId)).toEqual(
      expect.arrayContaining([
        {
          PK: `CONNECTIONS#${name.userID}`,
          SK: `CONNECTION#${name.connectionId}`,
          ...name,
          shard,
          connectedAt: now.toISOString(),
          channels: new Set(["prices"]),
          expiresAt,
        },
        { PK: place, SK: `CONNECTION#${name.connectionId}`, ...name, expiresAt },
      ]),
    );
  });

  it("adds the connection to its user's connections only", async () => {
    const first = await connected("ann");
    const second = await connected("ann");
    await connected("ann2");
    await connected("an");
    const found = (await connectionsOfUser(db.table, "ann")).map(({ connectionId }) => connectionId);
    expect(found.sort()).toEqual([first.connectionId, second.connectionId].sort());
  });
});

describe("closeConnection", () => {
  it("deletes a connection and its places, and may be repeated", async () => {
    const name = await connected();
    await add(name, "prices", "orders");
    await closeConnection(db.table, name);
    await closeConnection(db.table, name);
    expect(await itemsNamed(db.table, name.connectionId)).toEqual([]);
  });
});

describe("addChannels and removeChannels", () => {
  it("adds each channel once, and returns the channels from before", async () => {
    const name = await connected();
    expect(await add(name, "prices", "prices")).toEqual([]);
    expect(await add(name, "orders", "prices")).toEqual(["prices"]);
    expect(await add(name)).toEqual(["orders", "prices"]);
    expect(await recordsOf(name)).toEqual({ channels: ["orders", "prices"], places: [place] });
  });

  it("removes channels until none is left, and ignores channels without a subscription", async () => {
    const name = await connected();
    await add(name, "prices", "orders");
    expect(await remove(name, "prices", "positions")).toEqual(["orders", "prices"]);
    expect(await recordsOf(name)).toEqual({ channels: ["orders"], places: [] });
    expect(await remove(name, ...channels)).toEqual(["orders"]);
    expect(await remove(name, ...channels)).toEqual([]);
    expect(await recordsOf(name)).toEqual({ channels: [], places: [] });
  });

  it.each([
    ["never existed", async () => ({ userID: "ann", connectionId: randomUUID() })],
    [
      "was closed",
      async () => {
        const name = await connected();
        await closeConnection(db.table, name);
        return name;
      },
    ],
    ["is another user's", async () => ({ ...(await connected("bob")), userID: "ann" })],
  ])("returns undefined and writes nothing for a connection that %s", async (_, nameOf) => {
    const name = await nameOf();
    const before = await itemsNamed(db.table, name.connectionId);
    for (const change of [add, remove]) {
      expect(await change(name, "prices")).toBeUndefined();
      expect(await change(name)).toBeUndefined();
    }
    expect(await itemsNamed(db.table, name.connectionId)).toEqual(before);
  });
});

describe("concurrent changes of a connection", () => {
  it("applies concurrent changes one after another", async () => {
    const name = await connected();
    const before = await Promise.all(channels.map((channel) => add(name, channel)));
    expect(before.map((had) => had?.length).sort()).toEqual([0, 1, 2]);
    expect((await recordsOf(name)).channels).toEqual([...channels]);
  });

  it("adds a channel once even if twenty requests add it", async () => {
    const name = await connected();
    const before = await Promise.all(Array.from({ length: 20 }, () => add(name, "prices")));
    expect(before.filter((had) => had?.length === 0)).toHaveLength(1);
    expect(await recordsOf(name)).toEqual({ channels: ["prices"], places: [place] });
  });

  it("keeps the subscribers consistent with the connection's record, in any order of changes", async () => {
    const change = fc.record({
      adds: fc.boolean(),
      names: fc.subarray([...channels], { minLength: 1 }),
      tokens: fc.subarray([moon, charted]),
    });
    const plan = fc.record({
      changes: fc.array(change, { minLength: 2, maxLength: 6 }),
      closes: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), plan, async (scheduler, { changes, closes }) => {
        const name = await connected();
        const table = inTurnsOf(scheduler);
        const ends = closes ? [closeConnection(table, name)] : [];
        const ran = changes.map(({ adds, names, tokens }) =>
          adds
            ? addChannels(table, name, names, (old) =>
                names.includes("prices") && tokens.length > 0 ? { every: 1, tokens } : old,
              )
            : removeChannels(table, name, names, tokens),
        );
        await scheduler.waitFor(Promise.all([...ran, ...ends]));
        const { channels: left, places } = await recordsOf(name);
        expect(left === undefined).toBe(closes);
        const [own] = await connectionsOfUser(db.table, name.userID);
        const audience = own?.every === undefined ? place : marketPlace;
        expect(places).toEqual(left?.includes("prices") ? [audience] : []);
        const followed = own?.every && { every: own.every, tokens: own.tokens };
        expect(await marketsOf(name)).toMatchObject(followed ? [followed] : []);
      }),
      { numRuns: 30 },
    );
  });
});

describe("the tokens of a connection", () => {
  it("moves a connection between audiences, so that it is never in two at once", async () => {
    const name = await connected();
    await add(name, "prices", "orders");
    await follow(name, [moon, charted]);
    expect(await marketsOf(name)).toEqual([
      {
        PK: marketPlace,
        SK: `CONNECTION#${name.connectionId}`,
        ...name,
        expiresAt,
        every: 1,
        tokens: [moon, charted],
      },
    ]);
    await add(name, "prices");
    await follow(name, [], 5);
    await removeChannels(db.table, name, ["orders"], [moon]);
    expect(await marketsOf(name)).toMatchObject([{ every: 5, tokens: [charted] }]);
    // readMarkets still serves a connection without tokens, at its pace.
    await removeChannels(db.table, name, [], [charted, moon]);
    expect(await marketsOf(name)).toMatchObject([{ every: 5, tokens: [] }]);
    await remove(name, "prices");
    expect(await recordsOf(name)).toEqual({ channels: [], places: [] });
    await add(name, "prices");
    expect(await recordsOf(name)).toEqual({ channels: ["prices"], places: [place] });
    expect(await marketsOf(name)).toEqual([]);
  });

  it("keeps the tokens of twenty simultaneous messages that each name one token", async () => {
    const name = await connected();
    const tokens = Array.from({ length: 20 }, (_, index) => ({ ...moon, token: `0x${index}` }));
    await Promise.all(tokens.map((token) => follow(name, [token])));
    const [own] = await connectionsOfUser(db.table, name.userID);
    expect(new Set(own?.tokens?.map(({ token }) => token)).size).toBe(20);
    expect(await marketsOf(name)).toMatchObject([{ tokens: own?.tokens }]);
  });

  it("leaves no place behind if the connection unsubscribes from the channel while it moves to the other audience", async () => {
    const name = await connected();
    await add(name, "prices");
    let hasMoved = false;
    const table = interceptedTable(db.table, async (command) => {
      if (hasMoved || !(command instanceof TransactWriteCommand)) return;
      hasMoved = true;
      await follow(name, [moon]);
    });
    const changed = await removeChannels(table, name, ["prices"]);
    expect(changed?.before.markets).toEqual(markets);
    expect(await recordsOf(name)).toEqual({ channels: [], places: [] });
  });

  it("when a connection's tokens change, keeps the time since which the connection is stuck", async () => {
    const name = await connected();
    await follow(name, [moon]);
    await noteStuckSubscriber(db.table, { audience: "markets", shard, connectionId: name.connectionId }, now);
    await follow(name, [charted]);
    expect(await marketsOf(name)).toMatchObject([{ stuckSince: now.toISOString(), tokens: [moon, charted] }]);
  });

  it("removes a connection's tokens when it ends", async () => {
    const name = await connected();
    await follow(name, [moon]);
    await closeConnection(db.table, name);
    expect(await itemsNamed(db.table, name.connectionId)).toEqual([]);
    expect(await follow(name, [moon])).toBeUndefined();
    expect(await itemsNamed(db.table, name.connectionId)).toEqual([]);
  });

  it("adds tokens once when the SDK repeats writes after a lost response", async () => {
    const name = await connected();
    const table = repeating();
    await addChannels(table, name, ["orders"]);
    const { before, after } = (await addChannels(table, name, ["prices"], () => markets)) ?? {};
    expect([before?.channels, after?.markets]).toEqual([["orders"], markets]);
    expect(await marketsOf(name)).toMatchObject([markets]);
    await removeChannels(table, name, ["prices"]);
    expect(await recordsOf(name)).toEqual({ channels: ["orders"], places: [] });
  });

  it("finds the tokens of the connections in a shard", async () => {
    const table = db.table;
    const tokens = Array.from({ length: 20 }, (_, index) => ({ ...moon, token: `0x${index}` }));
    for (let index = 0; index < 3; index++) {
      const name = { userID: "ann", connectionId: `page-${index}` };
      await openConnection(table, name, { shard: 77, now });
      await addChannels(table, name, ["prices"], () => ({ every: 5, tokens }));
    }
    const found: MarketSubscriber[] = [];
    for await (const each of marketSubscribersInShard(table, 77)) found.push(each);
    expect(found).toEqual(
      [0, 1, 2].map((index) => ({ userID: "ann", connectionId: `page-${index}`, every: 5, tokens })),
    );
    expect(await isOccupied(table, "prices", 77)).toBe(false);
    expect(await isOccupied(table, "markets", 77)).toBe(true);
    expect(await hasSubscribers(table, "markets", 78)).toBe(true);
  });

  it("lists the tokens with their shards, up to the last shard in use", async () => {
    for (const [shard, followed] of [
      [80, { every: 1, tokens: [charted] }],
      [83, { every: 5, tokens: [moon] }],
      [82, undefined],
      [84, { every: 1, tokens: [moon] }],
    ] as const) {
      const name = { userID: `user ${shard}`, connectionId: `c${shard}` };
      await openConnection(db.table, name, { shard, now });
      await addChannels(db.table, name, ["prices"], () => followed);
    }
    const followers: Follower[] = [];
    for await (const portion of marketFollowers(db.table, 84)) followers.push(...portion);
    expect(followers.filter(({ shard }) => shard >= 80)).toEqual([
      { userID: "user 80", connectionId: "c80", shard: 80, tokens: [charted] },
      { userID: "user 83", connectionId: "c83", shard: 83, tokens: [moon] },
    ]);
  });
});

/** Sends each write to the table twice, as the SDK does when a response is lost. */
function repeating(): Table {
  const { name, client } = db.table;
  const send = async (command: GetCommand | TransactWriteCommand) => {
    if (command instanceof TransactWriteCommand) command.input.ClientRequestToken = randomUUID();
    await client.send(command as GetCommand);
    return client.send(command as GetCommand);
  };
  return { name, client: { send } as unknown as Table["client"] };
}

/** Runs sequential calls to the table in an order that fast-check chooses. */
function inTurnsOf(scheduler: fc.Scheduler): Table {
  const { name, client } = db.table;
  const send = async (command: GetCommand) => {
    const { promise: answered, resolve } = Promise.withResolvers<void>();
    await scheduler.schedule(Promise.resolve(), command.constructor.name, undefined, async (go) => {
      await go();
      await answered;
    });
    return client.send(command).finally(resolve);
  };
  return { name, client: { send } as unknown as Table["client"] };
}
