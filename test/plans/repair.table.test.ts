import { describe, expect, it } from "vitest";
import type { Drift } from "../../lib/plans/drift.ts";
import { mirrorUser } from "../../lib/plans/mirror.ts";
import { withThrottles } from "../../lib/plans/plan-stages.ts";
import { repair } from "../../lib/plans/repair.ts";
import { readUserKeyRecord } from "../../lib/plans/user-key-records.ts";
import { expectSettled } from "./support/settled.ts";
import { enterprise, stages, worldForTests } from "./support/world.ts";

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

  it.each([
    [9_999, "replaces"],
    [10_000, "keeps"],
  ])("in an account of %i keys, %s a customer's plan with a wrong throttle of a method", async (keys, _) => {
    await world.put("whale", enterprise(6000));
    await mirrorUser(world.deps(), "whale");
    const { current } = (await readUserKeyRecord(world.table, "whale")) ?? {};
    const { apiKeys, planKeys, usagePlans } = world.usage;
    const [pattern] = apiKeys;
    if (pattern === undefined || current === undefined) throw new Error("There is no key");
    const others = Array.from({ length: keys - 1 }, (_, index) => ({
      ...pattern,
      id: `other ${index}`,
      name: `other ${index}`,
      value: `${index}`.padStart(40, "z"),
    }));
    world.reset({ maxKeys: 10_000 });
    world.change({
      apiKeys: [pattern, ...others],
      planKeys,
      usagePlans: usagePlans.map((plan) =>
        plan.id === current.planId
          ? {
              ...plan,
              apiStages: withThrottles(stages, { "/api/v2/lock/POST": { rateLimit: 9, burstLimit: 9 } }),
            }
          : plan,
      ),
    });
    const repaired = repair(world.deps(), { what: "stale plan", userID: "whale", id: current.planId });
    if (keys < 10_000) {
      await repaired;
      await expectSettled(world, "whale", enterprise(6000));
    } else {
      await expect(repaired).rejects.toMatchObject({ name: "KeyLimitReached" });
      expect((await readUserKeyRecord(world.table, "whale"))?.current).toEqual(current);
    }
  });

  it("changes nothing for an unknown user", async () => {
    await repair(world.deps(), { what: "lost key", userID: "unknown", id: "gone" });
    expect(world.usage.apiKeys).toEqual([]);
  });
});
