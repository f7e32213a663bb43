import { inspect } from "node:util";
import { refusal } from "cdk-local-runner/testing";
import { describe, expect, it } from "vitest";
import { writeFallbackKeys } from "../../lib/plans/fallback-key-records.ts";
import { mirrorUser } from "../../lib/plans/mirror.ts";
import type { Throttle } from "../../lib/plans/plan.ts";
import { coverageOf, withThrottles } from "../../lib/plans/plan-stages.ts";
import { readUserKeyRecord, type UserKeyRecord } from "../../lib/plans/user-key-records.ts";
import { quietConsole } from "../support/console.ts";
import { withFault } from "./support/faults.ts";
import { observed } from "./support/observed.ts";
import { expectSettled, madeFor, retiredNames } from "./support/settled.ts";
import {
  base,
  enterprise,
  later,
  minutes,
  prefix,
  pro,
  stages,
  tierPlans,
  worldForTests,
} from "./support/world.ts";

const world = worldForTests();

/** Returns the record of a user's key, which must be in use. */
async function recordOf(
  userID: string,
): Promise<UserKeyRecord & { current: NonNullable<UserKeyRecord["current"]> }> {
  const record = await readUserKeyRecord(world.table, userID);
  if (record?.current === undefined) throw new Error(`${userID} has no key in use`);
  return { ...record, current: record.current };
}

describe("mirrorUser", () => {
  it("creates a key on the plan of the user's tier, in two calls", async () => {
    await world.put("alice", base);
    await mirrorUser(world.deps(), "alice");
    await expectSettled(world, "alice", base);
    expect(world.calls).toEqual(["POST /apikeys", `POST /usageplans/${tierPlans.Standard}/keys`]);
  });

  it("changes nothing on a second run, and only looks at a customer's plan", async () => {
    await world.put("again", enterprise(6000));
    await mirrorUser(world.deps(), "again");
    const before = await recordOf("again");
    const calls = world.calls.length;
    await mirrorUser(world.deps({ now: () => later(minutes(5)) }), "again");
    expect(await recordOf("again")).toEqual(before);
    expect(world.calls.slice(calls)).toEqual([`GET /usageplans/${before.current.planId}`]);
  });

  it("starts a key's grace period when the key is put on its plan", async () => {
    await world.put("slow", base);
    let time = 0;
    await mirrorUser(world.deps({ now: () => later(minutes(time++)), graceMs: 3000 }), "slow");
    const { current } = await recordOf("slow");
    expect(Date.parse(current.activeFrom)).toBeGreaterThan(later(minutes(1)).getTime());
  });

  it("gives the Pro plan to a customer without a rate limit", async () => {
    await world.put("unset", { tier: "Enterprise" });
    await mirrorUser(world.deps(), "unset");
    await expectSettled(world, "unset", pro);
  });

  it("continues with the recorded key after an interrupted run", async () => {
    await world.put("resumed", base);
    const deps = world.deps({ plans: world.openPlans({ maxAttempts: 1 }) });
    await withFault(deps, [5, "answer lost"], (faulty) => mirrorUser(faulty, "resumed"));
    const record = await readUserKeyRecord(world.table, "resumed");
    expect(record?.next).toBeDefined();
    await mirrorUser(deps, "resumed");
    expect((await recordOf("resumed")).current).toMatchObject({ ...record?.next });
    expect(madeFor(world, "resumed").keys).toHaveLength(1);
  });

  it("creates one key even if many runs overlap", async () => {
    await world.put("crowd", base);
    const deps = world.deps();
    const runs = await Promise.allSettled(Array.from({ length: 8 }, () => mirrorUser(deps, "crowd")));
    const failed = runs.filter((run) => run.status === "rejected");
    expect(failed.length).toBeLessThan(runs.length);
    for (const { reason } of failed) expect(reason.name).toBe("KeyChanged");
    await mirrorUser(deps, "crowd");
    await expectSettled(world, "crowd", base);
    expect(madeFor(world, "crowd").keys).toHaveLength(1);
  });
});

describe("mirrorUser in a slow run", () => {
  it("keeps the changes of a run that started later", async () => {
    await world.put("overtaken", base);
    let calls = 0;
    const overtaken = observed(
      world.deps(),
      async (_, call) => {
        if (++calls === 7) {
          await world.put("overtaken", pro);
          await mirrorUser(world.deps(), "overtaken");
        }
        return call();
      },
      (deps) => mirrorUser(deps, "overtaken"),
    );
    await expect(overtaken).rejects.toMatchObject({ name: "KeyChanged" });
    await expectSettled(world, "overtaken", pro);
  });
});

describe("mirrorUser after two runs have created two plans", () => {
  it("replaces a key on the wrong plan", async () => {
    await world.put("twin", enterprise(6000));
    const deps = world.deps({ plans: world.openPlans({ maxAttempts: 1 }) });
    const calls = await withFault(deps, [8, "not arrived"], (faulty) => mirrorUser(faulty, "twin"));
    expect(calls).toHaveLength(8);
    const [plan] = madeFor(world, "twin").plans;
    if (plan === undefined) throw new Error("No plan was made");
    world.change({ usagePlans: [{ ...plan, id: "0" }, ...world.usage.usagePlans] });
    await expect(mirrorUser(deps, "twin")).rejects.toMatchObject({ name: "KeyChanged" });
    await mirrorUser(deps, "twin");
    await expectSettled(world, "twin", enterprise(6000));
  });
});

describe("mirrorUser after a tier plan was replaced during a run", () => {
  it("replaces a key that is on the old plan", async () => {
    await world.put("misplaced", base);
    const elsewhere = world.deps({
      tierPlans: { ...tierPlans, Standard: tierPlans.Pro },
      plans: world.openPlans({ maxAttempts: 1 }),
    });
    await withFault(elsewhere, [7, "not arrived"], (faulty) => mirrorUser(faulty, "misplaced"));
    expect(world.usage.planKeys).toHaveLength(1);
    await expect(mirrorUser(world.deps(), "misplaced")).rejects.toMatchObject({ name: "KeyChanged" });
    await mirrorUser(world.deps(), "misplaced");
    await expectSettled(world, "misplaced", base);
  });
});

describe("mirrorUser after a change of tier", () => {
  it("creates a new key, and leaves the old one on its plan until it is deleted", async () => {
    await world.put("riser", base);
    await mirrorUser(world.deps(), "riser");
    const { current: old } = await recordOf("riser");
    await world.put("riser", pro);
    await mirrorUser(world.deps(), "riser");
    await expectSettled(world, "riser", pro);
    const attachments = world.usage.planKeys.filter(({ keyId }) => keyId === old.keyId);
    expect(attachments).toMatchObject([{ usagePlanId: tierPlans.Standard }]);
    expect(await retiredNames(world, later(minutes(10)))).not.toContain(old.name);
    expect(await retiredNames(world)).toContain(old.name);
  });

  it("changes the throttle and keeps the key if only the customer's rate limit has changed", async () => {
    await world.put("grower", enterprise(6000));
    await mirrorUser(world.deps(), "grower");
    const { current: old } = await recordOf("grower");
    await world.put("grower", enterprise(20_000));
    await mirrorUser(world.deps(), "grower");
    await expectSettled(world, "grower", enterprise(20_000));
    expect((await recordOf("grower")).current).toMatchObject({ keyId: old.keyId, planId: old.planId });
  });
});

describe("mirrorUser after a change of a customer's rate limit that changes throttles of methods", () => {
  it("creates a new plan, and leaves the old key on the old one until both are deleted", async () => {
    await world.put("small", enterprise(1500));
    await mirrorUser(world.deps(), "small");
    const { current: old } = await recordOf("small");
    await world.put("small", enterprise(3000));
    await mirrorUser(world.deps(), "small");
    await expectSettled(world, "small", enterprise(3000));
    expect((await recordOf("small")).current.planId).not.toBe(old.planId);
    expect(await retiredNames(world)).toContain(old.name);
  });
});

describe("mirrorUser at a customer's next visit", () => {
  /** Changes the throttles of methods in the plans of all customers. */
  const disturb = (throttles: Record<string, Throttle>) =>
    world.change({
      usagePlans: world.usage.usagePlans.map((plan) =>
        plan.from === "program" ? { ...plan, apiStages: withThrottles(stages, throttles) } : plan,
      ),
    });

  it.each([
    ["no throttles of methods", {}],
    ["another throttle of a method", { "/api/v2/lock/POST": { rateLimit: 1, burstLimit: 1 } }],
  ])("replaces a plan that has %s", async (_, throttles) => {
    await world.put("upgraded", enterprise(6000));
    await mirrorUser(world.deps(), "upgraded");
    disturb(throttles);
    await mirrorUser(world.deps(), "upgraded");
    await expectSettled(world, "upgraded", enterprise(6000));
  });

  it.each([
    ["/usageplans", "PlanLimitReached"],
    ["/apikeys", "KeyLimitReached"],
  ])("keeps the key of an outdated plan if %s has no room, and replaces it later", async (target, name) => {
    await world.put("kept", enterprise(6000));
    await mirrorUser(world.deps(), "kept");
    const { current: old } = await recordOf("kept");
    const { usage } = world;
    world.reset({
      before: (request) =>
        request.method === "POST" && request.target === target
          ? Promise.resolve(refusal(429, "LimitExceededException", "Too many"))
          : undefined,
    });
    world.change(usage);
    disturb({});
    await expect(mirrorUser(world.deps(), "kept")).rejects.toMatchObject({ name });
    expect((await recordOf("kept")).current).toEqual(old);
    expect(await retiredNames(world)).not.toContain(old.name);
    const left = world.usage;
    world.reset();
    world.change(left);
    await mirrorUser(world.deps(), "kept");
    await expectSettled(world, "kept", enterprise(6000));
  });

  it("keeps the old key until ten minutes after the new one is active", async () => {
    await world.put("served", enterprise(6000));
    await mirrorUser(world.deps(), "served");
    const { current: old } = await recordOf("served");
    disturb({});
    const deps = world.deps({ now: () => later(minutes(60)), graceMs: minutes(30) });
    await mirrorUser(deps, "served");
    expect((await recordOf("served")).current.untilActive).toBe(old.value);
    expect(await retiredNames(world, later(minutes(99)))).not.toContain(old.name);
    expect(await retiredNames(world, later(minutes(101)))).toContain(old.name);
  });
});

describe("mirrorUser with a key that cannot be used", () => {
  it("replaces a key that was created for another API", async () => {
    await world.put("moved", base);
    const elsewhere = { ...world.openPlans(), stages: [{ apiId: "Rest", stage: "live" }] };
    await mirrorUser(world.deps({ plans: elsewhere }), "moved");
    const { current: old } = await recordOf("moved");
    await mirrorUser(world.deps(), "moved");
    await expectSettled(world, "moved", base);
    expect(await retiredNames(world)).toContain(old.name);
  });

  it("replaces a key that is on the wrong tier plan", async () => {
    await world.put("replanned", base);
    await mirrorUser(world.deps({ tierPlans: { ...tierPlans, Standard: tierPlans.Pro } }), "replanned");
    await mirrorUser(world.deps(), "replanned");
    await expectSettled(world, "replanned", base);
  });

  it("replaces a key if the customer's plan that should be changed no longer exists", async () => {
    await world.put("bereft", enterprise(6000));
    await mirrorUser(world.deps(), "bereft");
    world.change({ usagePlans: world.usage.usagePlans.filter(({ name }) => !name.startsWith(prefix)) });
    await world.put("bereft", enterprise(7000));
    await mirrorUser(world.deps(), "bereft");
    await expectSettled(world, "bereft", enterprise(7000));
  });
});

describe("the value of a key", () => {
  const logged = quietConsole();

  it("keeps the value of a key out of errors and log lines", async () => {
    await world.put("secretive", base);
    const deps = world.deps({ plans: world.openPlans({ maxAttempts: 1 }) });
    await withFault(deps, [5, "not arrived"], (faulty) => mirrorUser(faulty, "secretive"));
    const value = (await readUserKeyRecord(world.table, "secretive"))?.next?.value ?? "none";
    const faults: unknown[] = [];
    for (const [status, name] of [
      [400, "BadRequestException"],
      [409, "ConflictException"],
      [429, "LimitExceededException"],
      [429, "TooManyRequestsException"],
      [500, "InternalFailure"],
    ] as const) {
      world.reset({
        before: ({ method }) =>
          method === "POST" ? Promise.resolve(refusal(status, name, "no")) : undefined,
      });
      await mirrorUser(deps, "secretive").catch((error: unknown) => faults.push(error));
    }
    expect(faults).toHaveLength(5);
    expect(value).toMatch(/^[a-z0-9]{40}$/);
    expect(inspect(faults, { depth: 4 })).not.toContain(value);
    expect(logged()).toEqual([]);
  });
});

describe("mirrorUser if the account has reached a limit", () => {
  it("leaves the user without a key until there is room for one", async () => {
    world.reset({ maxKeys: 1 });
    for (const userID of ["first", "second"]) await world.put(userID, base);
    await mirrorUser(world.deps(), "first");
    await expect(mirrorUser(world.deps(), "second")).rejects.toMatchObject({ name: "KeyLimitReached" });
    // Expects that the SDK does not retry.
    expect(world.calls.filter((call) => call === "POST /apikeys")).toHaveLength(2);
    expect(await readUserKeyRecord(world.table, "second")).toMatchObject({
      next: { plan: { name: "Standard" } },
    });

    world.change({ apiKeys: [], planKeys: [] });
    await mirrorUser(world.deps(), "second");
    await expectSettled(world, "second", base);
  });

  it("retires a key that cannot be used after a change of tier", async () => {
    world.reset({ maxKeys: 1 });
    await world.put("upgraded", base);
    await mirrorUser(world.deps(), "upgraded");
    const { current: old } = await recordOf("upgraded");
    await world.put("upgraded", pro);
    await expect(mirrorUser(world.deps(), "upgraded")).rejects.toMatchObject({ name: "KeyLimitReached" });
    const record = await readUserKeyRecord(world.table, "upgraded");
    expect(record?.current).toBeUndefined();
    expect(record?.next).toMatchObject({ plan: { name: "Pro" } });
    expect(await retiredNames(world)).toContain(old.name);
    await expect(mirrorUser(world.deps(), "upgraded")).rejects.toMatchObject({ name: "KeyLimitReached" });
    expect(await readUserKeyRecord(world.table, "upgraded")).toEqual(record);
  });

  it("creates no key on a full plan Standard, because the remaining keys are for fallback keys and other plans", async () => {
    const record = { planId: tierPlans.Standard, coverage: coverageOf(stages), usable: [] };
    const full = await writeFallbackKeys(world.table, undefined, { ...record, isFull: true });
    for (const [userID, user] of [
      ["late", base],
      ["paying", pro],
    ] as const)
      await world.put(userID, user);
    await expect(mirrorUser(world.deps(), "late")).rejects.toMatchObject({ name: "KeyLimitReached" });
    expect(world.calls).toEqual([]);
    await mirrorUser(world.deps(), "paying");
    await expectSettled(world, "paying", pro);
    await writeFallbackKeys(world.table, full, { ...record, isFull: false });
    await mirrorUser(world.deps(), "late");
    await expectSettled(world, "late", base);
  });

  it("leaves the customer without a plan if no further plan fits", async () => {
    await world.put("customer", enterprise(6000));
    world.reset({
      before: (request) =>
        request.method === "POST" && request.target === "/usageplans"
          ? Promise.resolve(refusal(429, "LimitExceededException", "Too many"))
          : undefined,
    });
    await expect(mirrorUser(world.deps(), "customer")).rejects.toMatchObject({ name: "PlanLimitReached" });
    expect(world.usage.apiKeys).toEqual([]);
  });
});
