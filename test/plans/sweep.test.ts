import { refusal } from "cdk-local-runner/testing";
import { describe, expect, it } from "vitest";
import { readUserKeyRecord } from "../../lib/aws/user-key-records.ts";
import { mirrorUser } from "../../lib/plans/mirror.ts";
import { deleteRetiredKeys, freeIdleKeys } from "../../lib/plans/sweep.ts";
import { type Fault, withFault } from "./support/faults.ts";
import { expectSettled, madeFor, retiredNames } from "./support/settled.ts";
import {
  base,
  enterprise,
  later,
  minutes,
  pro,
  stages,
  start,
  type User,
  worldForTests,
} from "./support/world.ts";

const world = worldForTests();
const days = (count: number) => minutes(count * 24 * 60);

const rethrow = (error: unknown) => {
  throw error;
};
const sweepAt = (time: Date) => deleteRetiredKeys(world.mirror(), time, rethrow);

/** Mirrors a user who is one after the other. */
async function pass(userID: string, ...users: User[]): Promise<void> {
  for (const user of users) {
    await world.put(userID, user);
    await mirrorUser(world.mirror(), userID);
  }
}

describe("a retired key", () => {
  it("is deleted once it is due, and not before", async () => {
    await pass("riser", base, pro);
    await sweepAt(later(minutes(10)));
    expect(madeFor(world, "riser").keys).toHaveLength(2);
    await sweepAt(later(minutes(10) + 1));
    expect(madeFor(world, "riser").keys).toHaveLength(1);
    await expectSettled(world, "riser", pro);
    expect(await retiredNames(world)).toEqual([]);
  });

  it("takes a customer's plan with it, and leaves the one of a customer who came back", async () => {
    await pass("returner", enterprise(6000), base, enterprise(6000));
    expect(madeFor(world, "returner").plans).toHaveLength(2);
    await sweepAt(later(minutes(11)));
    await expectSettled(world, "returner", enterprise(6000));
    expect(madeFor(world, "returner").plans).toHaveLength(1);
  });

  it("that cannot be deleted stays for the next time, and holds up no other", async () => {
    await pass("stuck", base, pro);
    await pass("free", base, pro);
    const [stuck] = madeFor(world, "stuck").keys;
    const { apiKeys, planKeys, usagePlans } = world.usage;
    world.reset({
      before: ({ method, target }) =>
        method === "DELETE" && target === `/apikeys/${stuck?.id}`
          ? Promise.resolve(refusal(400, "BadRequestException", "no"))
          : undefined,
    });
    world.change({ apiKeys, planKeys, usagePlans });
    const faults: unknown[] = [];
    await deleteRetiredKeys(world.mirror(), later(minutes(11)), (error) => faults.push(error));
    expect(faults).toMatchObject([{ name: "BadRequestException" }]);
    expect(madeFor(world, "free").keys).toHaveLength(1);
    world.reset();
    world.change({ apiKeys, planKeys, usagePlans });
    await sweepAt(later(minutes(11)));
    expect(madeFor(world, "stuck").keys).toHaveLength(1);
  });

  it.each(["not arrived", "answer lost"] satisfies Fault[])("goes in the next run: %s", async (fault) => {
    const mirror = world.mirror({ plans: world.openPlans({ maxAttempts: 1 }) });
    const swept = (world: typeof mirror) => deleteRetiredKeys(world, later(minutes(11)), () => undefined);
    await pass("whole", enterprise(6000), "nobody");
    const calls = await withFault(mirror, [Number.POSITIVE_INFINITY, fault], swept);
    expect(calls.length).toBeGreaterThan(6);
    for (const number of calls.keys()) {
      await pass(`cut ${number}`, enterprise(6000), "nobody");
      await withFault(mirror, [number + 1, fault], swept);
      await swept(mirror);
      expect(world.usage.apiKeys).toEqual([]);
      expect(world.usage.usagePlans).toHaveLength(2);
      expect(await retiredNames(world)).toEqual([]);
    }
  });
});

describe("a user who was not seen for 30 days", () => {
  const free = (time: Date) => freeIdleKeys(world.mirror(), time, rethrow);

  it("goes without a key until the next visit", async () => {
    await pass("idler", base);
    await free(later(days(30)));
    await expectSettled(world, "idler", base);

    await free(later(days(30) + 1));
    expect(await readUserKeyRecord(world.table, "idler")).toBeUndefined();
    expect(madeFor(world, "idler").keys).toHaveLength(1);
    await sweepAt(later(days(30) + minutes(10)));
    expect(madeFor(world, "idler").keys).toHaveLength(1);
    await sweepAt(later(days(30) + minutes(11)));
    expect(madeFor(world, "idler").keys).toEqual([]);

    await world.put("idler", base, { lastVisited: later(days(31)).toISOString() });
    await mirrorUser(world.mirror(), "idler");
    await expectSettled(world, "idler", base);
    await free(later(days(60)));
    await expectSettled(world, "idler", base);
  });

  it("keeps the plan that was agreed on", async () => {
    await pass("customer", enterprise(6000));
    await free(later(days(400)));
    await expectSettled(world, "customer", enterprise(6000));
  });

  it("loses a key that was never finished", async () => {
    await world.put("unfinished", base);
    const mirror = world.mirror({ plans: world.openPlans({ maxAttempts: 1 }) });
    await withFault(mirror, [5, "not arrived"], (world) => mirrorUser(world, "unfinished"));
    expect(madeFor(world, "unfinished").keys).toHaveLength(1);
    await free(later(days(31)));
    await sweepAt(later(days(32)));
    expect(world.usage.apiKeys).toEqual([]);
  });

  it("and others who were, in any number of pages: only theirs are freed", async () => {
    const users = Array.from({ length: 12 }, (_, index) => `many ${index}`);
    for (const [index, userID] of users.entries()) {
      await pass(userID, base);
      const lastVisited = later(days(index)).toISOString();
      await world.put(userID, base, { lastVisited });
    }
    await free(later(days(35)));
    const kept = await Promise.all(
      users.map(async (userID) => (await readUserKeyRecord(world.table, userID)) !== undefined),
    );
    expect(kept).toEqual(users.map((_, index) => index >= 5));
  });

  it("and of whom there is no profile loses it as well, and other keys of the account are let alone", async () => {
    await pass("gone", base);
    await world.put("gone", "nobody");
    world.change({
      apiKeys: [
        ...world.usage.apiKeys,
        ...["gone/1", "Terminal/other/gone/1"].map((name) => ({
          ...{
            id: name,
            name,
            value: name,
            from: "program" as const,
            enabled: true,
            stageKeys: stages.map(String),
          },
          ...{ createdDate: start.getTime(), lastUpdatedDate: start.getTime(), tags: {} },
        })),
      ],
    });
    await free(start);
    await sweepAt(later(minutes(11)));
    expect(world.usage.apiKeys.map(({ name }) => name)).toEqual(["gone/1", "Terminal/other/gone/1"]);
  });
});
