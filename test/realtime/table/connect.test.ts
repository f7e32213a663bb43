import { describe, expect, it } from "vitest";
import { connectionsOfUser } from "../../../lib/aws/connection-records.ts";
import { connectionKey } from "../../../lib/aws/table-keys.ts";
import { admitConnection, maxConnections } from "../../../lib/realtime/connect.ts";
import { tableForTests } from "../../support/dynamodb.ts";
import { putItems } from "../../support/items.ts";

const db = tableForTests();

const now = new Date("2026-11-21T09:00:00.000Z");
const seconds = now.getTime() / 1000;

/** Puts connections of a user into the table. */
const putConnections = (userID: string, count: number, expiresAt = seconds + 1) =>
  putItems(
    db.table,
    Array.from({ length: count }, (_, index) => {
      const name = { userID, connectionID: `${userID}-${expiresAt}-${index}` };
      return { ...connectionKey(userID, name.connectionID), ...name, shard: 0, expiresAt };
    }),
  );

const admit = (userID: string) =>
  admitConnection(db.table, { userID, connectionID: "new" }, { shard: 2, now });

const isRecorded = async (userID: string) =>
  (await connectionsOfUser(db.table, userID)).some(({ connectionID }) => connectionID === "new");

describe("admitConnection", () => {
  it("records a connection if its user has fewer than the maximum", async () => {
    await putConnections("ann", maxConnections - 1);
    expect(await admit("ann")).toBe(true);
    expect(await isRecorded("ann")).toBe(true);
  });

  it("rejects a connection beyond the maximum, per user", async () => {
    await putConnections("bob", maxConnections);
    expect(await admit("bob")).toBe(false);
    expect(await isRecorded("bob")).toBe(false);
    expect(await admit("bobby")).toBe(true);
  });

  it("does not count connections whose records have expired but still exist", async () => {
    await putConnections("cyd", maxConnections - 1);
    await putConnections("cyd", 20, seconds);
    expect(await admit("cyd")).toBe(true);
  });
});
