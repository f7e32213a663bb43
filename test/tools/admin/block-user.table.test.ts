import { GoneException } from "@aws-sdk/client-apigatewaymanagementapi";
import { describe, expect, it, vi } from "vitest";
import { admitConnection } from "../../../lib/realtime/connect.ts";
import { connectionsOfUser } from "../../../lib/realtime/connection-records.ts";
import { disconnectUser } from "../../../lib/realtime/disconnect.ts";
import { readLeaderboard } from "../../../lib/rewards/standing-records.ts";
import { changeUser } from "../../../lib/tools/admin/commands/set-user.ts";
import { changeProfile, readOwnProfile, readProfile } from "../../../lib/users/profile-records.ts";
import { register } from "../../../lib/users/register.ts";
import { connectionsApiForTests } from "../../support/connections-api.ts";
import { tableForTests } from "../../support/dynamodb.ts";
import { now, run } from "./support/admin.ts";

const db = tableForTests();
const api = connectionsApiForTests();

const gone = () => new GoneException({ $metadata: {}, message: "Gone" });

const secondsAgo = (seconds: number) => new Date(now.getTime() - seconds * 1000);

const connect = (userID: string, connectionId: string, at = secondsAgo(60)) =>
  admitConnection(
    { table: db.table, limit: 30, isConnected: async () => true, onFault: () => {} },
    { userID, connectionId },
    { shard: 0, now: at },
  );

async function userWith(userID: string, ...connectionIds: string[]): Promise<void> {
  await register(db.table, { userID, names: [userID], ref: undefined }, now);
  for (const connectionId of connectionIds) await connect(userID, connectionId);
}

const admin = (...args: string[]) => {
  const target = { table: db.table, pusher: api.current.pusher };
  return run(target as never, args, { openConnections: async () => target });
};

const blockedAt = async (userID: string) => (await readProfile(db.table, userID))?.blockedAt;

describe("block", () => {
  it("blocks a user, ends only that user's connections and refuses new ones", async () => {
    await userWith("ann", "a1", "a2");
    await userWith("bob", "b1");
    expect(await admin("block", "ann")).toEqual({
      code: 0,
      out: "ann is blocked\nconnections ended: 2\n",
      err: "",
    });
    expect(api.current.hungUp.sort()).toEqual(["a1", "a2"]);
    expect(await blockedAt("ann")).toBe(now.toISOString());
    expect(await connectionsOfUser(db.table, "ann")).toEqual([]);
    expect(await connect("ann", "a3")).toBe("blocked");
    expect(await connectionsOfUser(db.table, "bob")).toHaveLength(1);
  });

  it("keeps the time of the first block when a user is blocked again", async () => {
    await userWith("cyd");
    await admin("block", "cyd");
    const again = { now: () => new Date(now.getTime() + 60_000) };
    const target = { table: db.table, pusher: api.current.pusher };
    const { code } = await run(target as never, ["block", "cyd"], {
      openConnections: async () => target,
      ...again,
    });
    expect(code).toBe(0);
    expect(await blockedAt("cyd")).toBe(now.toISOString());
  });

  it("takes a user off the leaderboards until the user is unblocked", async () => {
    await userWith("eve");
    const profile = await readOwnProfile(db.table, "eve");
    await changeProfile(db.table, profile, { ranked: true, publicName: "Eve" });
    await changeUser(db.table, "eve", { xp: 5 }, now);
    const entries = async () =>
      (await readLeaderboard(db.table, { userID: "eve", window: "daily", now })).entries.length;
    const counts = [await entries()];
    for (const command of ["block", "unblock"]) {
      await admin(command, "eve");
      counts.push(await entries());
    }
    expect(counts).toEqual([1, 0, 1]);
  });

  it.each(["block", "unblock", "disconnect"])("fails to %s an unknown user", async (command) => {
    const { code, err } = await admin(command, "nobody");
    expect({ code, err }).toEqual({
      code: 1,
      err: "error: There is no user nobody; users are created when they first sign in\n",
    });
  });
});

describe("unblock", () => {
  it("admits an unblocked user again", async () => {
    await userWith("dan");
    await admin("block", "dan");
    expect(await admin("unblock", "dan")).toEqual({ code: 0, out: "dan is not blocked\n", err: "" });
    expect(await blockedAt("dan")).toBeUndefined();
    expect(await connect("dan", "d1")).toBe("admitted");
  });
});

describe("disconnect", () => {
  it("ends the user's connections but lets the user connect again", async () => {
    await userWith("eve", "e1");
    expect((await admin("disconnect", "eve")).out).toBe("connections ended: 1\n");
    expect(await blockedAt("eve")).toBeUndefined();
    expect(await connect("eve", "e2")).toBe("admitted");
  });
});

describe("disconnectUser", () => {
  it("retries a connection that API Gateway cannot close during its handshake", async () => {
    await userWith("fay");
    let at = now;
    await connect("fay", "f1", at);
    const hangUps: boolean[] = [false, false, true];
    const send = vi.fn(async () => {
      if (!hangUps.shift()) throw gone();
    });
    const pauseMs = vi.fn(async (ms: number) => {
      at = new Date(at.getTime() + ms);
    });
    const pusher = { send } as never;
    expect(await disconnectUser({ table: db.table, pusher, now: () => at, pauseMs }, "fay")).toEqual({
      ended: 1,
      failed: 0,
    });
    expect(pauseMs).toHaveBeenCalledTimes(2);
    expect(await connectionsOfUser(db.table, "fay")).toEqual([]);
  });

  it("gives up after half a minute on connections that never open, and counts those left", async () => {
    await userWith("gus");
    let at = now;
    for (const id of ["g1", "g2"]) await connect("gus", id, at);
    const send = async ({ input }: { input: { ConnectionId: string } }) => {
      throw input.ConnectionId === "g1" ? gone() : new Error("no");
    };
    const pauseMs = async (ms: number) => {
      at = new Date(at.getTime() + ms);
    };
    const deps = { table: db.table, pusher: { send } as never, now: () => at, pauseMs };
    expect(await disconnectUser(deps, "gus")).toEqual({ ended: 1, failed: 1 });
    expect(at.getTime() - now.getTime()).toBe(35_000);
    expect((await connectionsOfUser(db.table, "gus")).map(({ connectionId }) => connectionId)).toEqual([
      "g2",
    ]);
  });
});
