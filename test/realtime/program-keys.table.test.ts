import { describe, expect, it } from "vitest";
import { admitConnection } from "../../lib/realtime/connect.ts";
import { addChannels, connectionsOfUser } from "../../lib/realtime/connection-records.ts";
import { deliverToShard, type PublicUpdate } from "../../lib/realtime/deliver.ts";
import { deliverMarkets, SubscriberLists } from "../../lib/realtime/deliver-markets.ts";
import { subscribe } from "../../lib/realtime/subscribe.ts";
import { price } from "../support/executions.ts";
import { putItems } from "../support/items.ts";
import { programKey, programKeyItem } from "../support/program-keys.ts";
import { settingsItem, streamRecord } from "../support/stream.ts";
import { publishingForTests } from "./support/publishing.ts";

const scene = publishingForTests();
const endsAt = "2026-11-21T09:30:00.000Z";
const afterEnd = new Date(endsAt);

const hungUp = () => scene.api.current.hungUp;
const known = async (userID: string) =>
  (await connectionsOfUser(scene.table, userID)).map(({ connectionId }) => connectionId);

/** Opens a connection of a program whose key is stored. */
async function connectBy(
  userID: string,
  connectionId: string,
  changes: Parameters<typeof programKey>[0] = {},
) {
  const key = programKey({ userID, endsAt, ...changes });
  await putItems(scene.table, [programKeyItem(key)]);
  const deps = { table: scene.table, limit: 30, isConnected: async () => true, onFault: scene.onFault };
  const name = { userID, connectionId };
  const admission = await admitConnection(deps, name, { shard: 3, program: key, now: scene.now });
  if (admission === "admitted") await addChannels(scene.table, name, ["prices", "orders"]);
  return { admission, key };
}

const shownOf = ({
  userID: _,
  revision: __,
  expiresAt: ___,
  endsAt: expiresAt,
  ...key
}: ReturnType<typeof programKey>) => ({
  ...key,
  expiresAt,
});

describe("publish for a program key", () => {
  it("sends each new and each revoked key to its user and the operators' bus, and closes the key's connections", async () => {
    const { key } = await connectBy("ann", "program");
    await scene.connect("ann", "page");
    await connectBy("bob", "of-bob");
    const revoked = { ...key, revokedAt: "2026-11-21T09:04:00.000Z", revision: 2 };
    const items = [programKeyItem(key), programKeyItem(revoked)] as const;
    expect(await scene.publishAll([streamRecord(items[0])])).toEqual([]);
    expect(await scene.publishAll([streamRecord(items[1], items[0])])).toEqual([]);
    const time = scene.now.toISOString();
    const added = { type: "ProgramKeyAdded", time, data: { key: shownOf(key) } };
    const ended = { type: "ProgramKeyRevoked", time, data: { key: shownOf(revoked) } };
    expect(scene.received("page")).toEqual([added, ended]);
    expect(scene.received("program")).toEqual([added]);
    expect([hungUp(), await known("ann"), await known("bob")]).toEqual([["program"], ["page"], ["of-bob"]]);
    const { keyId, name, scopes } = key;
    expect(scene.putNotice.mock.calls.map(([notice]) => notice)).toEqual([
      { type: "ProgramKeyAdded", detail: { userID: "ann", keyId, name, scopes } },
      { type: "ProgramKeyRevoked", detail: { userID: "ann", keyId, name } },
    ]);
  });

  it.each<[string, object]>([
    ["wider scopes in the same revision", { scopes: ["read", "trade"] }],
    ["another public key", { publicKey: "A".repeat(43) }],
    ["a later end", { endsAt: "2030-01-01T00:00:00.000Z" }],
    ["another user", { userID: "mallory" }],
  ])(
    "sends a key to its user again when somebody gives it %s, and sends nothing if it stays the same",
    async (name, change) => {
      const userID = `carl ${name}`;
      await scene.connect(userID, userID);
      const item = programKeyItem(programKey({ userID }));
      await scene.publishAll([streamRecord({ ...item }, item)]);
      expect(scene.received(userID)).toEqual([]);
      await scene.publishAll([streamRecord({ ...item, ...change }, item)]);
      expect(scene.received(userID)).toMatchObject([{ type: "ProgramKeyAdded" }]);
      const [[notice] = []] = scene.putNotice.mock.calls;
      expect(notice).toMatchObject({ type: "ProgramKeyAdded", detail: { userID } });
    },
  );

  it("retries an unreadable key, because a lost one could hide a theft", async () => {
    const item = programKeyItem(programKey({ userID: "eve" }));
    const record = streamRecord({ ...item, scopes: "all" });
    expect(await scene.publishAll([record])).toEqual([record.dynamodb?.SequenceNumber]);
  });
});

describe("a connection of a program", () => {
  it("is refused, and not recorded, if the key was revoked meanwhile", async () => {
    const revokedAt = "2026-11-21T09:04:59.000Z";
    expect((await connectBy("dora", "late", { revokedAt })).admission).toBe("revoked");
    expect(await known("dora")).toEqual([]);
  });

  it("gets no change after the end of its key, and is closed instead", async () => {
    await connectBy("fred", "program");
    await scene.connect("fred", "page");
    const change = streamRecord(settingsItem("fred", "eth", { version: 2 }));
    await scene.publishAll([change], { now: afterEnd });
    expect(scene.received("program")).toEqual([]);
    expect(scene.received("page")).toHaveLength(1);
    expect([hungUp(), await known("fred")]).toEqual([["program"], ["page"]]);
  });

  it("gets no prices after the end of its key, and is closed instead", async () => {
    await connectBy("gus", "program");
    const { pusher } = scene.api.current;
    const deps = { table: scene.table, pusher, onFault: scene.onFault, onMissed: scene.onMissed };
    const time = afterEnd.toISOString();
    const update: PublicUpdate = { type: "update", channel: "prices", time, data: [price()] };
    await deliverToShard(deps, { shard: 3, update }, { now: afterEnd });
    expect(scene.received("program")).toEqual([]);
    expect(hungUp()).toContain("program");
    expect(await known("gus")).toEqual([]);
  });

  it("gets no markets after the end of its key, and is closed instead", async () => {
    await connectBy("gwen", "program");
    const follow = () => ({ every: 1 as const, tokens: [] });
    await addChannels(scene.table, { userID: "gwen", connectionId: "program" }, ["prices"], follow);
    const deps = {
      table: scene.table,
      pusher: scene.api.current.pusher,
      lists: new SubscriberLists(scene.table),
      onFault: scene.onFault,
      onMissed: scene.onMissed,
    };
    const atMs = afterEnd.getTime();
    const pace = { sinceMs: 0, least: "all" } as const;
    const markets = { atMs, heads: {}, coins: [], records: [], fast: pace, slow: { ...pace, phase: 0 } };
    const delivery = { shard: 3, markets: { ...markets, newConnections: ["program"], listSinceMs: 0 } };
    await deliverMarkets(deps, delivery as never, { now: afterEnd });
    expect([scene.received("program"), await known("gwen")]).toEqual([[], []]);
    expect(hungUp()).toContain("program");
  });

  it("gets no snapshot after the end of its key", async () => {
    await connectBy("hank", "program");
    const request = { userID: "hank", connectionId: "program", channels: ["orders"] };
    const typesAt = async (now: Date) =>
      (await subscribe(scene.table, { ...request, now })).map(({ type }) => type);
    expect(await typesAt(scene.now)).toContain("snapshot");
    expect(await typesAt(afterEnd)).toEqual(["error"]);
  });
});

describe("subscribe", () => {
  it("tells users who were offline which program keys are in force", async () => {
    const inForce = programKey({ userID: "ida" });
    const revoked = programKey({ userID: "ida", keyId: "pk_revokedrevokedrevoked", revokedAt: endsAt });
    await putItems(scene.table, [programKeyItem(inForce), programKeyItem(revoked)]);
    await scene.connect("ida", "i-1");
    const messages = await subscribe(scene.table, {
      userID: "ida",
      connectionId: "i-1",
      channels: ["prices"],
      now: scene.now,
    });
    const keys = messages.filter(({ type }) => type.startsWith("ProgramKey"));
    expect(keys).toEqual([
      { type: "ProgramKeyAdded", time: scene.now.toISOString(), data: { key: shownOf(inForce) } },
    ]);
  });
});
