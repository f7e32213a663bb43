import { setTimeout as pause } from "node:timers/promises";
import { PutCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { admitConnection, type ConnectDeps } from "../../lib/realtime/connect.ts";
import {
  acceptConnections,
  closeConnection,
  connectionsOfUser,
  refuseConnections,
} from "../../lib/realtime/connection-records.ts";
import type { Table } from "../../lib/table/table.ts";
import { tableForTests } from "../support/dynamodb.ts";
import { interceptedTable } from "../support/intercepted-table.ts";
import { itemsNamed } from "../support/items.ts";

const db = tableForTests();

const start = new Date("2026-11-21T09:00:00.000Z");
const later = (seconds: number) => new Date(start.getTime() + seconds * 1000);
const afterHandshakes = later(31);

const isConnected = vi.fn<ConnectDeps["isConnected"]>();
const onFault = vi.fn();
beforeEach(() => {
  onFault.mockReset();
  isConnected.mockReset().mockResolvedValue(true);
});

type Options = { table?: Table; limit?: number; now?: Date };

const admit = (
  userID: string,
  connectionId: string,
  { table = db.table, limit = 3, now = start }: Options = {},
) => admitConnection({ table, limit, isConnected, onFault }, { userID, connectionId }, { shard: 2, now });

const recorded = async (userID: string) =>
  (await connectionsOfUser(db.table, userID)).map(({ connectionId }) => connectionId).sort();

describe("admitConnection", () => {
  it("records a user's connections up to the limit, independently of other users", async () => {
    for (const id of ["a1", "a2", "a3"]) expect(await admit("ann", id)).toBe("admitted");
    expect(await admit("ann", "a4")).toBe("too many");
    expect(await recorded("ann")).toEqual(["a1", "a2", "a3"]);
    expect(await admit("anna", "a5")).toBe("admitted");
  });

  it("accepts exactly the limit when 300 connect at once", async () => {
    const random = () => pause(Math.random() * 20);
    const table = interceptedTable(db.table, random, random);
    const admitted = await Promise.all(
      Array.from({ length: 300 }, (_, index) =>
        // Simulates machines with different clocks.
        admit("crowd", `c${index}`, { table, limit: 30, now: later(Math.random()) }),
      ),
    );
    expect(admitted.filter((admission) => admission === "admitted")).toHaveLength(30);
    expect(await recorded("crowd")).toEqual(
      admitted.flatMap((admission, index) => (admission === "admitted" ? [`c${index}`] : [])).sort(),
    );
  });

  it("rejects a connection over the limit even if its clock is behind the others' clocks", async () => {
    for (const id of ["b1", "b2", "b3"]) await admit("bob", id, { now: later(5) });
    expect(await admit("bob", "b0", { now: start })).toBe("too many");
  });

  it("accepts another connection after one has ended, without checking any connection", async () => {
    for (const id of ["c1", "c2", "c3"]) await admit("cyd", id);
    await closeConnection(db.table, { userID: "cyd", connectionId: "c2" });
    expect(await admit("cyd", "c4")).toBe("admitted");
    expect(await admit("cyd", "c5")).toBe("too many");
    expect(await recorded("cyd")).toEqual(["c1", "c3", "c4"]);
    expect(isConnected).not.toHaveBeenCalled();
  });

  it("ignores connections whose expired records still exist", async () => {
    for (const id of ["d1", "d2", "d3"]) await admit("dan", id);
    const aDayLater = later(24 * 60 * 60);
    for (const id of ["d4", "d5", "d6"]) expect(await admit("dan", id, { now: aDayLater })).toBe("admitted");
    expect(await admit("dan", "d7", { now: aDayLater })).toBe("too many");
  });

  it("finds connections whose end went unnoticed", async () => {
    for (const id of ["e1", "e2", "e3"]) await admit("eve", id);
    isConnected.mockImplementation(async (id) => id !== "e2");
    expect(await admit("eve", "e4", { now: afterHandshakes })).toBe("admitted");
    expect(await recorded("eve")).toEqual(["e1", "e3", "e4"]);
  });

  it("accepts exactly the limit at once, even if all counted connections ended unnoticed", async () => {
    for (let index = 0; index < 3; index++) await admit("gil", `old${index}`);
    isConnected.mockImplementation(async (id) => !id.startsWith("old"));
    const admitted = await Promise.all(
      Array.from({ length: 30 }, (_, index) => admit("gil", `new${index}`, { now: afterHandshakes })),
    );
    expect(admitted.filter((admission) => admission === "admitted")).toHaveLength(3);
    expect(await recorded("gil")).toEqual(Array(3).fill(expect.stringMatching(/^new/)));
  });

  it("checks at most three connections, and none whose handshake may still be in progress", async () => {
    for (let index = 0; index < 20; index++) await admit("fay", `f${index}`, { limit: 20 });
    expect(await admit("fay", "g1", { limit: 20, now: later(30) })).toBe("too many");
    expect(isConnected).not.toHaveBeenCalled();
    expect(await admit("fay", "g2", { limit: 20, now: afterHandshakes })).toBe("too many");
    expect(new Set(isConnected.mock.calls.flat()).size).toBe(3);
  });

  it("counts a connection that it cannot check, and reports the error", async () => {
    for (const id of ["h1", "h2", "h3"]) await admit("hal", id);
    isConnected.mockRejectedValue(new Error("no"));
    expect(await admit("hal", "h4", { now: afterHandshakes })).toBe("too many");
    expect(onFault).toHaveBeenCalledTimes(3);
    expect(await recorded("hal")).toEqual(["h1", "h2", "h3"]);
  });

  it("accepts no connection of a blocked user until the user is unblocked", async () => {
    expect(await admit("lou", "l1")).toBe("admitted");
    await refuseConnections(db.table, "lou", start);
    expect(await admit("lou", "l2")).toBe("blocked");
    expect(await recorded("lou")).toEqual(["l1"]);
    await acceptConnections(db.table, "lou");
    expect(await admit("lou", "l2")).toBe("admitted");
  });

  it("accepts the last connection even if the response to the write was lost and the write is repeated", async () => {
    const again = async (command: unknown) => {
      if (command instanceof UpdateCommand) await db.table.client.send(command);
    };
    const table = interceptedTable(db.table, again);
    expect(await admit("ian", "i1", { limit: 1, table })).toBe("admitted");
    expect(await admit("ian", "i2", { limit: 1, table })).toBe("too many");
  });

  it("records a connection before counting it, so that a crash in between does not use up the limit", async () => {
    const crash = async (command: unknown) => {
      if (command instanceof PutCommand) throw new Error("crash");
    };
    await expect(
      admit("joy", "j0", { limit: 1, table: interceptedTable(db.table, () => {}, crash) }),
    ).rejects.toThrow("crash");
    expect(await recorded("joy")).toEqual(["j0"]);
    expect(await admit("joy", "j1", { limit: 1 })).toBe("admitted");
  });

  it("expires the count of a user's connections together with the connections", async () => {
    await admit("kim", "k1");
    const [count] = (await itemsNamed(db.table, "CONNECTIONS#kim CONNECTIONS")).filter(
      ({ SK }) => SK === "CONNECTIONS",
    );
    expect(count).toMatchObject({ expiresAt: later((2 * 60 + 10) * 60).getTime() / 1000 });
  });
});
