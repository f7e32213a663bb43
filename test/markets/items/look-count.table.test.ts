import { describe, expect, it } from "vitest";
import { countHistory, mostHistories, uncountHistory } from "../../../lib/markets/items/look-count.ts";
import { tableForTests } from "../../support/dynamodb.ts";

const db = tableForTests();

describe("countHistory", () => {
  it("counts up to a limit for each user and each day in UTC", async () => {
    const count = (userID: string, time: string) => countHistory(db.table, userID, new Date(time));
    const counted = await Promise.all(
      Array.from({ length: mostHistories + 3 }, () => count("ann", "2026-11-21T23:59:59Z")),
    );
    expect(counted.filter(Boolean)).toHaveLength(mostHistories);
    expect(await count("bob", "2026-11-21T23:59:59Z")).toBe(true);
    expect(await count("ann", "2026-11-22T00:00:00Z")).toBe(true);
  });

  it("counts again what was taken back, and takes back no more than was counted", async () => {
    const now = new Date("2026-11-23T12:00:00Z");
    await uncountHistory(db.table, "eve", now);
    const counts = () =>
      Promise.all(Array.from({ length: mostHistories + 1 }, () => countHistory(db.table, "eve", now)));
    expect((await counts()).filter(Boolean)).toHaveLength(mostHistories);
    await uncountHistory(db.table, "eve", now);
    expect((await counts()).filter(Boolean)).toHaveLength(1);
  });
});
