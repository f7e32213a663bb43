import { describe, expect, it } from "vitest";
import type { Drift } from "../../lib/plans/drift.ts";
import { mirrorUser } from "../../lib/plans/mirror.ts";
import { repair } from "../../lib/plans/repair.ts";
import { readUserKeyRecord } from "../../lib/plans/user-key-records.ts";
import { enterprise, worldForTests } from "./support/world.ts";

const world = worldForTests();

describe("repair", () => {
  const differences: ((user: { userID: string; keyId: string; planId: string }) => Drift)[] = [
    ({ userID }) => ({ what: "not mirrored", userID }),
    ({ userID }) => ({ what: "left record", userID }),
    ({ userID, keyId }) => ({ what: "lost key", userID, id: keyId }),
    ({ userID, keyId }) => ({ what: "detached key", userID, id: keyId }),
    ({ userID }) => ({ what: "lost key", userID, id: "the one before" }),
    ({ userID }) => ({ what: "stale plan", userID, id: "the one before" }),
    ({ userID }) => ({ what: "orphan key", userID, id: "gone" }),
    ({ userID }) => ({ what: "orphan plan", userID, id: "gone" }),
    ({ userID }) => ({ what: "untagged key", userID, id: "gone" }),
    ({ userID }) => ({ what: "untagged plan", userID, id: "gone" }),
  ];
  it.each(
    differences.map((difference) => {
      const { what, ...ids } = difference({ userID: "user", keyId: "the key", planId: "the plan" });
      return [`${what}${"id" in ids ? ` of ${ids.id}` : ""}`, difference] as const;
    }),
  )("changes nothing if the difference no longer exists: %s", async (userID, difference) => {
    await world.put(userID, enterprise(6000));
    await mirrorUser(world.deps(), userID);
    const record = await readUserKeyRecord(world.table, userID);
    const { keyId = "", planId = "" } = record?.current ?? {};
    const before = world.usage;
    await repair(world.deps(), difference({ userID, keyId, planId }));
    expect(await readUserKeyRecord(world.table, userID)).toEqual(record);
    expect(world.usage).toBe(before);
  });

  it("changes nothing for an unknown user", async () => {
    await repair(world.deps(), { what: "lost key", userID: "unknown", id: "gone" });
    expect(world.usage.apiKeys).toEqual([]);
  });
});
