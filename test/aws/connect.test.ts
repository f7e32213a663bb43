import { describe, expect, it } from "vitest";
import { connectionsOfUser } from "../../lib/aws/connection-records.ts";
import { connectionKey } from "../../lib/aws/table-keys.ts";
import { connect, mostConnections } from "../../lib/realtime/connect.ts";
import { tableForTests } from "../support/dynamodb.ts";
import { putItems } from "../support/items.ts";

const db = tableForTests();

const now = new Date("2026-11-21T09:00:00.000Z");
const seconds = now.getTime() / 1000;

/** Connections that a user has, which expire at that time. */
const has = (userID: string, count: number, expiresAt = seconds + 1) =>
  putItems(
    db.table,
    Array.from({ length: count }, (_, index) => {
      const name = { userID, connectionID: `${userID}-${expiresAt}-${index}` };
      return { ...connectionKey(userID, name.connectionID), ...name, shard: 0, expiresAt };
    }),
  );

const connecting = (userID: string) => connect(db.table, { userID, connectionID: "new" }, { shard: 2, now });

const isThere = async (userID: string) =>
  (await connectionsOfUser(db.table, userID)).some(({ connectionID }) => connectionID === "new");

describe("a new connection", () => {
  it("is remembered as long as its user has fewer than the most", async () => {
    await has("ann", mostConnections - 1);
    expect(await connecting("ann")).toBe(true);
    expect(await isThere("ann")).toBe(true);
  });

  it("is not when they have the most, whatever others have", async () => {
    await has("bob", mostConnections);
    expect(await connecting("bob")).toBe(false);
    expect(await isThere("bob")).toBe(false);
    expect(await connecting("bobby")).toBe(true);
  });

  it("finds room where others have expired, though their records are there still", async () => {
    await has("cyd", mostConnections - 1);
    await has("cyd", 20, seconds);
    expect(await connecting("cyd")).toBe(true);
  });
});
