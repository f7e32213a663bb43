import { refusal } from "cdk-local-runner/testing";
import { describe, expect, it } from "vitest";
import { mirrorUser } from "../../lib/plans/mirror.ts";
import { deleteRetiredKeys, freeIdleKeys } from "../../lib/plans/sweep.ts";
import { readUserKeyRecord } from "../../lib/plans/user-key-records.ts";
import { type Fault, withFault } from "./support/faults.ts";
import { observed } from "./support/observed.ts";
import { expectSettled, madeFor, retiredNames } from "./support/settled.ts";
import {
  base,
  enterprise,
  inTime,
  later,
  minutes,
  pro,
  start,
  type User,
  worldForTests,
} from "./support/world.ts";

const world = worldForTests();
const days = (count: number) => minutes(count * 24 * 60);

const rethrow = (error: unknown) => {
  throw error;
};
const sweepAt = (time: Date) => deleteRetiredKeys(world.deps(), inTime(time), rethrow);

/** Mirrors a user after each of these changes. */
async function pass(userID: string, ...users: User[]): Promise<void> {
  for (const user of users) {
    await world.put(userID, user);
    await mirrorUser(world.deps(), userID);
  }
}

describe("deleteRetiredKeys", () => {
  it("deletes a key once it is due, and not earlier", async () => {
    await pass("riser", base, pro);
    await sweepAt(later(minutes(10)));
    expect(madeFor(world, "riser").keys).toHaveLength(2);
    await sweepAt(later(minutes(10) + 1));
    expect(madeFor(world, "riser").keys).toHaveLength(1);
    await expectSettled(world, "riser", pro);
    expect(await retiredNames(world)).toEqual([]);
  });

  it("deletes the plan of a former customer, but not of a customer who came back", async () => {
    await pass("returner", enterprise(6000), base, enterprise(6000));
    expect(madeFor(world, "returner").plans).toHaveLength(2);
    await sweepAt(later(minutes(11)));
    await expectSettled(world, "returner", enterprise(6000));
    expect(madeFor(world, "returner").plans).toHaveLength(1);
  });

  it("leaves a key that cannot be deleted to the next run, and deletes the others", async () => {
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
    await deleteRetiredKeys(world.deps(), inTime(later(minutes(11))), (error) => faults.push(error));
    expect(faults).toMatchObject([{ name: "BadRequestException" }]);
    expect(madeFor(world, "free").keys).toHaveLength(1);
    world.reset();
    world.change({ apiKeys, planKeys, usagePlans });
    await sweepAt(later(minutes(11)));
    expect(madeFor(world, "stuck").keys).toHaveLength(1);
  });

  it("deletes nothing after its deadline, and reports no fault", async () => {
    await pass("later", base, pro);
    await deleteRetiredKeys(world.deps(), { now: later(minutes(11)), deadline: new Date(0) }, rethrow);
    expect(madeFor(world, "later").keys).toHaveLength(2);
    await sweepAt(later(minutes(11)));
    expect(madeFor(world, "later").keys).toHaveLength(1);
  });

  /** Upgrades a user in an account without room for another key. */
  async function upgradeInFullAccount(userID: string): Promise<void> {
    world.reset({ maxKeys: 1 });
    await pass(userID, base);
    await world.put(userID, pro);
    await expect(mirrorUser(world.deps(), userID)).rejects.toMatchObject({ name: "KeyLimitReached" });
  }

  it("lets an upgraded user of a full account reuse the room of their old key", async () => {
    await upgradeInFullAccount("upgraded");
    await sweepAt(later(minutes(11)));
    await expectSettled(world, "upgraded", pro);
    expect(madeFor(world, "upgraded").keys).toHaveLength(1);
    expect(await retiredNames(world)).toEqual([]);
  });

  it("retries in the next run if other keys have taken the room of the old key", async () => {
    await upgradeInFullAccount("unlucky");
    const { apiKeys, planKeys } = world.usage;
    world.reset({
      before: ({ method, target }) =>
        method === "POST" && target === "/apikeys"
          ? Promise.resolve(refusal(429, "LimitExceededException", "no room"))
          : undefined,
    });
    world.change({ apiKeys, planKeys });
    await sweepAt(later(minutes(11)));
    expect(madeFor(world, "unlucky").keys).toEqual([]);
    world.reset();
    await sweepAt(later(minutes(16)));
    await expectSettled(world, "unlucky", pro);
    expect(await retiredNames(world)).toEqual([]);
  });

  it.each(["not arrived", "answer lost"] satisfies Fault[])(
    "completes a run that was interrupted at any call: %s",
    async (fault) => {
      const deps = world.deps({ plans: world.openPlans({ maxAttempts: 1 }) });
      const swept = (faulty: typeof deps) =>
        deleteRetiredKeys(faulty, inTime(later(minutes(11))), () => undefined);
      await pass("whole", enterprise(6000), "nobody");
      const calls = await withFault(deps, [Number.POSITIVE_INFINITY, fault], swept);
      expect(calls.length).toBeGreaterThan(6);
      for (const number of calls.keys()) {
        await pass(`cut ${number}`, enterprise(6000), "nobody");
        await withFault(deps, [number + 1, fault], swept);
        await swept(deps);
        expect(world.usage.apiKeys).toEqual([]);
        expect(world.usage.usagePlans).toHaveLength(3);
        expect(await retiredNames(world)).toEqual([]);
      }
    },
  );
});

describe("freeIdleKeys", () => {
  const free = (time: Date) => freeIdleKeys(world.deps(), inTime(time), rethrow);

  it("retires the key of a user who has been away for 30 days, until the next visit", async () => {
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
    await mirrorUser(world.deps(), "idler");
    await expectSettled(world, "idler", base);
    await free(later(days(60)));
    await expectSettled(world, "idler", base);
  });

  it.each([
    ["comes back", { lastVisited: later(days(31)).toISOString() }, base],
    ["changes the tier", {}, pro],
    ["imports a wallet", { walletCount: 1 }, base],
  ])("keeps the key of a user who %s in the meantime", async (what, changes, user) => {
    const userID = `${what} meanwhile`;
    await pass(userID, base);
    const record = await readUserKeyRecord(world.table, userID);
    await observed(
      world.deps(),
      async (kind, call) => {
        if (kind === "write") await world.put(userID, user, changes);
        return call();
      },
      (deps) => freeIdleKeys(deps, inTime(later(days(31))), rethrow),
    );
    expect(await readUserKeyRecord(world.table, userID)).toEqual(record);
  });

  it("retires nothing after its deadline, and reports no fault", async () => {
    await pass("much later", base);
    const record = await readUserKeyRecord(world.table, "much later");
    await freeIdleKeys(world.deps(), { now: later(days(31)), deadline: new Date(0) }, rethrow);
    expect(await readUserKeyRecord(world.table, "much later")).toEqual(record);
  });

  it("keeps the key of an Enterprise customer", async () => {
    await pass("customer", enterprise(6000));
    await free(later(days(400)));
    await expectSettled(world, "customer", enterprise(6000));
  });

  it("retires a key that was never completely created", async () => {
    await world.put("unfinished", base);
    const deps = world.deps({ plans: world.openPlans({ maxAttempts: 1 }) });
    await withFault(deps, [6, "not arrived"], (faulty) => mirrorUser(faulty, "unfinished"));
    expect(madeFor(world, "unfinished").keys).toHaveLength(1);
    await free(later(days(31)));
    await sweepAt(later(days(32)));
    expect(world.usage.apiKeys).toEqual([]);
  });

  it("retires only the keys of idle users", async () => {
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

  it("retires the key of a user without a profile, and no other key of the account", async () => {
    await pass("gone", base);
    await world.put("gone", "nobody");
    world.change({
      apiKeys: [
        ...world.usage.apiKeys,
        ...["gone/1", "Terminal/other/gone/1"].map((name) => ({
          id: name,
          name,
          value: name,
          from: "program" as const,
          enabled: true,
          createdDate: start.getTime(),
        })),
      ],
    });
    await free(start);
    await sweepAt(later(minutes(11)));
    expect(world.usage.apiKeys.map(({ name }) => name)).toEqual(["gone/1", "Terminal/other/gone/1"]);
  });
});
