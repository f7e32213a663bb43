import { inspect } from "node:util";
import { refusal } from "cdk-local-runner/testing";
import { describe, expect, it } from "vitest";
import { readUserKeyRecord, type UserKeyRecord } from "../../lib/aws/user-key-records.ts";
import { mirrorUser } from "../../lib/plans/mirror.ts";
import { quietConsole } from "../support/console.ts";
import { withFault } from "./support/faults.ts";
import { observed } from "./support/observed.ts";
import { expectSettled, madeFor, retiredNames } from "./support/settled.ts";
import { base, enterprise, later, minutes, prefix, pro, standing, worldForTests } from "./support/world.ts";

const world = worldForTests();

/** What the table says of a user's key, with one in use. */
async function recordOf(
  userID: string,
): Promise<UserKeyRecord & { current: NonNullable<UserKeyRecord["current"]> }> {
  const record = await readUserKeyRecord(world.table, userID);
  if (record?.current === undefined) throw new Error(`${userID} has no key in use`);
  return { ...record, current: record.current };
}

describe("a user's key", () => {
  it("is made on the plan of their tier, in two calls", async () => {
    await world.put("alice", base);
    await mirrorUser(world.mirror(), "alice");
    await expectSettled(world, "alice", base);
    expect(world.calls).toEqual(["POST /apikeys", `POST /usageplans/${standing.Standard}/keys`]);
  });

  it("is left alone by whoever comes again", async () => {
    await world.put("again", enterprise(6000));
    await mirrorUser(world.mirror(), "again");
    const before = await recordOf("again");
    const calls = world.calls.length;
    await mirrorUser(world.mirror({ now: () => later(minutes(5)) }), "again");
    expect(await recordOf("again")).toEqual(before);
    expect(world.calls).toHaveLength(calls);
  });

  it("is active once the grace has passed since it was put on its plan", async () => {
    await world.put("slow", base);
    let time = 0;
    await mirrorUser(world.mirror({ now: () => later(minutes(time++)), grace: 3000 }), "slow");
    const { current } = await recordOf("slow");
    expect(Date.parse(current.activeFrom)).toBeGreaterThan(later(minutes(1)).getTime());
  });

  it("has Pro's plan while a customer's number is not set", async () => {
    await world.put("unset", { tier: "Enterprise" });
    await mirrorUser(world.mirror(), "unset");
    await expectSettled(world, "unset", pro);
  });

  it("is one, however many runs are at it at the same time", async () => {
    await world.put("crowd", base);
    const mirror = world.mirror();
    const runs = await Promise.allSettled(Array.from({ length: 8 }, () => mirrorUser(mirror, "crowd")));
    const failed = runs.filter((run) => run.status === "rejected");
    expect(failed.length).toBeLessThan(runs.length);
    for (const { reason } of failed) expect(reason.name).toBe("KeyChanged");
    await mirrorUser(mirror, "crowd");
    await expectSettled(world, "crowd", base);
    expect(madeFor(world, "crowd").keys).toHaveLength(1);
  });
});

describe("a slow run", () => {
  it("does not undo what a later one has done", async () => {
    await world.put("overtaken", base);
    let calls = 0;
    const overtaken = observed(
      world.mirror(),
      async (_, call) => {
        if (++calls === 6) {
          await world.put("overtaken", pro);
          await mirrorUser(world.mirror(), "overtaken");
        }
        return call();
      },
      (world) => mirrorUser(world, "overtaken"),
    );
    await expect(overtaken).rejects.toMatchObject({ name: "KeyChanged" });
    await expectSettled(world, "overtaken", pro);
  });
});

describe("a customer", () => {
  it("whose key is on the second of two plans that were made gets another key", async () => {
    await world.put("twin", enterprise(6000));
    const mirror = world.mirror({ plans: world.openPlans({ maxAttempts: 1 }) });
    const calls = await withFault(mirror, [8, "not arrived"], (world) => mirrorUser(world, "twin"));
    expect(calls).toHaveLength(8);
    const [plan] = madeFor(world, "twin").plans;
    if (plan === undefined) throw new Error("No plan was made");
    world.change({ usagePlans: [{ ...plan, id: "0" }, ...world.usage.usagePlans] });
    await expect(mirrorUser(mirror, "twin")).rejects.toMatchObject({ name: "NotFoundException" });
    await mirrorUser(mirror, "twin");
    await expectSettled(world, "twin", enterprise(6000));
  });
});

describe("another tier", () => {
  it("brings a new key, and the old one stays on its plan until it may go", async () => {
    await world.put("riser", base);
    await mirrorUser(world.mirror(), "riser");
    const { current: old } = await recordOf("riser");
    await world.put("riser", pro);
    await mirrorUser(world.mirror(), "riser");
    await expectSettled(world, "riser", pro);
    const attachments = world.usage.planKeys.filter(({ keyId }) => keyId === old.keyID);
    expect(attachments).toMatchObject([{ usagePlanId: standing.Standard }]);
    expect(await retiredNames(world, later(minutes(10)))).not.toContain(old.name);
    expect(await retiredNames(world)).toContain(old.name);
  });

  it("is not needed for another number: the customer's plan gets it, and the key stays", async () => {
    await world.put("grower", enterprise(6000));
    await mirrorUser(world.mirror(), "grower");
    const { current: old } = await recordOf("grower");
    await world.put("grower", enterprise(20_000));
    await mirrorUser(world.mirror(), "grower");
    await expectSettled(world, "grower", enterprise(20_000));
    expect((await recordOf("grower")).current).toMatchObject({ keyID: old.keyID, planID: old.planID });
  });
});

describe("a key that is none any more", () => {
  it("is replaced when the API is another one", async () => {
    await world.put("moved", base);
    const elsewhere = { ...world.openPlans(), stages: [{ apiId: "Rest", stage: "live" }] };
    await mirrorUser(world.mirror({ plans: elsewhere }), "moved");
    const { current: old } = await recordOf("moved");
    await mirrorUser(world.mirror(), "moved");
    await expectSettled(world, "moved", base);
    expect(await retiredNames(world)).toContain(old.name);
  });

  it("is replaced when the plan is another one", async () => {
    await world.put("replanned", base);
    await mirrorUser(world.mirror({ standing: { ...standing, Standard: standing.Pro } }), "replanned");
    await mirrorUser(world.mirror(), "replanned");
    await expectSettled(world, "replanned", base);
  });

  it("is replaced when a customer's plan is gone that should get another number", async () => {
    await world.put("bereft", enterprise(6000));
    await mirrorUser(world.mirror(), "bereft");
    world.change({ usagePlans: world.usage.usagePlans.filter(({ name }) => !name.startsWith(prefix)) });
    await world.put("bereft", enterprise(7000));
    await mirrorUser(world.mirror(), "bereft");
    await expectSettled(world, "bereft", enterprise(7000));
  });
});

describe("a key's value", () => {
  const logged = quietConsole();

  it("is in no error, and nothing is logged", async () => {
    await world.put("secretive", base);
    const mirror = world.mirror({ plans: world.openPlans({ maxAttempts: 1 }) });
    await withFault(mirror, [4, "not arrived"], (world) => mirrorUser(world, "secretive"));
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
      await mirrorUser(mirror, "secretive").catch((error: unknown) => faults.push(error));
    }
    expect(faults).toHaveLength(5);
    expect(value).toMatch(/^[a-z0-9]{40}$/);
    expect(inspect(faults, { depth: 4 })).not.toContain(value);
    expect(logged()).toEqual([]);
  });
});

describe("at a limit of the account", () => {
  it("of keys, the user goes without one, and the next try is made when there is room", async () => {
    world.reset({ maxKeys: 1 });
    for (const userID of ["first", "second"]) await world.put(userID, base);
    await mirrorUser(world.mirror(), "first");
    await expect(mirrorUser(world.mirror(), "second")).rejects.toMatchObject({ name: "KeyLimitReached" });
    // The SDK has not tried again.
    expect(world.calls.filter((call) => call === "POST /apikeys")).toHaveLength(2);
    expect(await readUserKeyRecord(world.table, "second")).toMatchObject({
      next: { plan: { name: "Standard" } },
    });

    world.change({ apiKeys: [], planKeys: [] });
    await mirrorUser(world.mirror(), "second");
    await expectSettled(world, "second", base);
  });

  it("of plans, the customer goes without one", async () => {
    await world.put("customer", enterprise(6000));
    world.reset({
      before: (request) =>
        request.method === "POST" && request.target === "/usageplans"
          ? Promise.resolve(refusal(429, "LimitExceededException", "Too many"))
          : undefined,
    });
    await expect(mirrorUser(world.mirror(), "customer")).rejects.toMatchObject({ name: "PlanLimitReached" });
    expect(world.usage.apiKeys).toEqual([]);
  });
});
