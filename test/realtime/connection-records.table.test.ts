import { randomUUID } from "node:crypto";
import type { GetCommand } from "@aws-sdk/lib-dynamodb";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Channel, channels } from "../../lib/core/channel.ts";
import {
  addChannels,
  type ConnectionName,
  closeConnection,
  connectionsOfUser,
  openConnection,
  removeChannels,
} from "../../lib/realtime/connection-records.ts";
import type { Table } from "../../lib/table/table.ts";
import { tableForTests } from "../support/dynamodb.ts";
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

const add = (name: ConnectionName, ...wanted: Channel[]) => addChannels(db.table, name, wanted);
const remove = (name: ConnectionName, ...unwanted: Channel[]) => removeChannels(db.table, name, unwanted);

/** The channels in a connection's record (undefined without one), and its places among the subscribers. */
async function recordsOf({ connectionId }: ConnectionName) {
  const items = await itemsNamed(db.table, connectionId);
  const own = items.find(({ PK }) => PK.startsWith("CONNECTIONS#"));
  return {
    channels: own && [...((own.channels as Set<Channel> | undefined) ?? [])].sort(),
    places: items.map(({ PK }) => PK).filter((PK) => PK.startsWith("CHANNEL#")),
  };
}

const place = `CHANNEL#prices#${shard}`;
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

  it("adds the connection to those of its user only", async () => {
    const first = await connected("ann");
    const second = await connected("ann");
    await connected("ann2");
    await connected("an");
    const found = (await connectionsOfUser(db.table, "ann")).map(({ connectionId }) => connectionId);
    expect(found.sort()).toEqual([first.connectionId, second.connectionId].sort());
  });
});

describe("closeConnection", () => {
  it("deletes the connection and its places, and may be repeated", async () => {
    const name = await connected();
    await add(name, "prices", "orders");
    await closeConnection(db.table, name);
    await closeConnection(db.table, name);
    expect(await itemsNamed(db.table, name.connectionId)).toEqual([]);
  });
});

describe("addChannels and removeChannels", () => {
  it("add each channel once, and return the channels before", async () => {
    const name = await connected();
    expect(await add(name, "prices", "prices")).toEqual([]);
    expect(await add(name, "orders", "prices")).toEqual(["prices"]);
    expect((await add(name))?.sort()).toEqual(["orders", "prices"]);
    expect(await recordsOf(name)).toEqual({ channels: ["orders", "prices"], places: [place] });
  });

  it("remove channels down to none, and ignore those that the connection does not have", async () => {
    const name = await connected();
    await add(name, "prices", "orders");
    expect((await remove(name, "prices", "positions"))?.sort()).toEqual(["orders", "prices"]);
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
  ])("return undefined, and write nothing, for a connection that %s", async (_, nameOf) => {
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
  it("apply one after the other", async () => {
    const name = await connected();
    const before = await Promise.all(channels.map((channel) => add(name, channel)));
    expect(before.map((had) => had?.length).sort()).toEqual([0, 1, 2]);
    expect((await recordsOf(name)).channels).toEqual([...channels]);
  });

  it("add a channel once if twenty add it", async () => {
    const name = await connected();
    const before = await Promise.all(Array.from({ length: 20 }, () => add(name, "prices")));
    expect(before.filter((had) => had?.length === 0)).toHaveLength(1);
    expect(await recordsOf(name)).toEqual({ channels: ["prices"], places: [place] });
  });

  it("leave the subscribers consistent with the connection's record, in any order", async () => {
    const change = fc.record({ adds: fc.boolean(), names: fc.subarray([...channels], { minLength: 1 }) });
    const plan = fc.record({
      changes: fc.array(change, { minLength: 2, maxLength: 6 }),
      closes: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), plan, async (scheduler, { changes, closes }) => {
        const name = await connected();
        const table = inTurnsOf(scheduler);
        const ends = closes ? [closeConnection(table, name)] : [];
        const ran = changes.map(({ adds, names }) =>
          (adds ? addChannels : removeChannels)(table, name, names),
        );
        await scheduler.waitFor(Promise.all([...ran, ...ends]));
        const { channels: left, places } = await recordsOf(name);
        expect(left === undefined).toBe(closes);
        expect(places).toEqual(left?.includes("prices") ? [place] : []);
      }),
      { numRuns: 30 },
    );
  });
});

/** The table, with sequential calls in an order that fast-check chooses. */
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
