import { describe, expect, it } from "vitest";
import { readUserKeyRecord } from "../../lib/aws/user-key-records.ts";
import type { Drift } from "../../lib/plans/drift.ts";
import { mirrorUser } from "../../lib/plans/mirror.ts";
import { repair } from "../../lib/plans/repair.ts";
import { enterprise, worldForTests } from "./support/world.ts";

const world = worldForTests();

describe("a difference that has gone by itself", () => {
  const differences: ((user: { userID: string; keyID: string; planID: string }) => Drift)[] = [
    ({ userID }) => ({ what: "not mirrored", userID }),
    ({ userID }) => ({ what: "left record", userID }),
    ({ userID, keyID }) => ({ what: "lost key", userID, id: keyID }),
    ({ userID, keyID }) => ({ what: "detached key", userID, id: keyID }),
    ({ userID }) => ({ what: "lost key", userID, id: "the one before" }),
    ({ userID }) => ({ what: "stale plan", userID, id: "the one before" }),
    ({ userID }) => ({ what: "orphan key", userID, id: "gone" }),
    ({ userID }) => ({ what: "orphan plan", userID, id: "gone" }),
  ];
  it.each(differences.map((difference, index) => [`user ${index}`, difference] as const))(
    "changes nothing: %s",
    async (userID, difference) => {
      await world.put(userID, enterprise(6000));
      await mirrorUser(world.mirror(), userID);
      const record = await readUserKeyRecord(world.table, userID);
      const { keyID = "", planID = "" } = record?.current ?? {};
      const before = world.usage;
      await repair(world.mirror(), difference({ userID, keyID, planID }));
      expect(await readUserKeyRecord(world.table, userID)).toEqual(record);
      expect(world.usage).toBe(before);
    },
  );

  it("is none for a user of whom there is nothing", async () => {
    await repair(world.mirror(), { what: "lost key", userID: "unknown", id: "gone" });
    expect(world.usage.apiKeys).toEqual([]);
  });
});
