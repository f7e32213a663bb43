import { refusal } from "cdk-local-runner/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { mirrorUser } from "../../../lib/plans/mirror.ts";
import { readUserKeyRecord } from "../../../lib/plans/user-key-records.ts";
import type { PlanTarget } from "../../../lib/tools/admin/target.ts";
import { expectSettled, madeFor } from "../../plans/support/settled.ts";
import { base, enterprise, pro, start, type User, worldForTests } from "../../plans/support/world.ts";
import { linesOf, run } from "./support/admin.ts";
import type { targetWith } from "./support/custody.ts";
import { expectNoSecretPrinted, keepSecret } from "./support/secrets.ts";

const world = worldForTests();
const users: Record<string, User> = {
  alice: base,
  bob: pro,
  carol: enterprise(6000),
  dave: enterprise(9000),
};

let target: PlanTarget;
beforeEach(async () => {
  target = world.deps();
  for (const [userID, user] of Object.entries(users)) await pass(userID, user);
});
afterEach(async () => {
  for (const { value } of world.usage.apiKeys) keepSecret(Buffer.from(value));
  expectNoSecretPrinted();
  for (const userID of [...Object.keys(users), "erin"]) await pass(userID, "nobody");
});

async function pass(userID: string, user: User): Promise<void> {
  await world.put(userID, user);
  await mirrorUser({ ...target, now: () => start }, userID);
}

/** Runs the command with access to nothing except plans. */
const syncPlans = (args: string[], parts: Parameters<typeof run>[2] = {}) =>
  run({} as ReturnType<typeof targetWith>, ["sync-plans", ...args], {
    openPlans: async () => target,
    now: () => start,
    ...parts,
  });

async function currentOf(userID: string) {
  const current = (await readUserKeyRecord(world.table, userID))?.current;
  if (current === undefined) throw new Error(`${userID} has no key`);
  return current;
}

const without = <Thing>(things: readonly Thing[], unwanted: (thing: Thing) => boolean) =>
  things.filter((thing) => !unwanted(thing));

/** Causes one difference of each kind. Returns the lines that the command should print. */
async function disturb(): Promise<string[]> {
  const [alice, bob, carol, dave] = [
    await currentOf("alice"),
    await currentOf("bob"),
    await currentOf("carol"),
    await currentOf("dave"),
  ];
  const { apiKeys, planKeys, usagePlans } = world.usage;
  world.change({
    apiKeys: without(apiKeys, ({ id }) => id === alice.keyId)
      .concat(
        apiKeys.flatMap((key) =>
          key.id === bob.keyId
            ? [{ ...key, id: "orphan", name: "Terminal/user/zoe/1", value: "z".repeat(40) }]
            : [],
        ),
      )
      .map((key) => (key.id === carol.keyId ? { ...key, tags: undefined } : key)),
    planKeys: without(planKeys, ({ keyId }) => [alice.keyId, bob.keyId].includes(keyId)),
    usagePlans: usagePlans.flatMap((plan) => {
      if (plan.id === carol.planId)
        return [{ ...plan, throttle: { rateLimit: 1, burstLimit: 1 }, tags: { another: "tag" } }];
      return plan.id === dave.planId ? [plan, { ...plan, id: "0twin" }] : [plan];
    }),
  });
  await world.put("dave", "nobody");
  await world.put("erin", base);
  return [
    "zoe: key orphan is in API Gateway, but not on record",
    "dave: plan 0twin is in API Gateway, but not on record",
    `carol: key ${carol.keyId} has no tag, so functions may not delete it`,
    `carol: plan ${carol.planId} has no tag, so functions may not change it`,
    "dave: has a key on record, but there is no such user",
    `alice: key ${alice.keyId} is on record, but not in API Gateway`,
    `bob: key ${bob.keyId} is not on its plan`,
    `carol: plan ${carol.planId} has the wrong throttles or stages`,
    "erin: has no key for the plan of the user's tier",
  ];
}

/** Adds API keys without a record in the table. */
function addOrphans(count: number): void {
  const [pattern] = world.usage.apiKeys;
  if (pattern === undefined) throw new Error("There is no key");
  const orphans = Array.from({ length: count }, (_, index) => ({
    ...pattern,
    id: `orphan${index}`,
    name: `Terminal/user/zoe/${index}`,
    value: `${index}`.padStart(40, "z"),
  }));
  world.change({ apiKeys: [...world.usage.apiKeys, ...orphans] });
}

describe("sync-plans --check", () => {
  it("succeeds without differences", async () => {
    expect(await syncPlans(["--check"])).toEqual({ code: 0, out: "differences: 0\n", err: "" });
  });

  it("lists every difference, changes nothing and fails", async () => {
    const found = await disturb();
    const before = world.usage;
    const { code, out, err } = await syncPlans(["--check"]);
    expect(linesOf(out).toSorted()).toEqual([...found, "differences: 9"].toSorted());
    expect(code).toBe(1);
    expect(err).toBe("error: There are differences, maybe from changes in progress; --fix repairs them\n");
    expect(world.usage).toBe(before);
  });
});

describe("sync-plans --fix", () => {
  const right = { ...users, dave: "nobody", erin: base } satisfies Record<string, User>;

  async function expectRight(): Promise<void> {
    for (const [userID, user] of Object.entries(right)) await expectSettled(world, userID, user);
    expect(madeFor(world, "zoe").keys).toEqual([]);
    expect(await syncPlans(["--check"])).toMatchObject({ code: 0, out: "differences: 0\n" });
  }

  it("changes nothing without differences", async () => {
    expect(await syncPlans(["--fix"])).toEqual({ code: 0, out: "repaired: 0\nfailed: 0\n", err: "" });
  });

  it("repairs every difference and prints each", async () => {
    const found = await disturb();
    const { code, out, err } = await syncPlans(["--fix"]);
    const repaired = found.map((line) => `${line}: repaired`);
    expect(linesOf(out).toSorted()).toEqual([...repaired, "repaired: 9", "failed: 0"].toSorted());
    expect(code).toBe(0);
    expect(linesOf(err).at(-1)).toBe("repairing 9/9");
    await expectRight();
  });

  it("deletes orphaned keys first to make room for new ones", async () => {
    await disturb();
    const { apiKeys, planKeys, usagePlans } = world.usage;
    world.reset({ maxKeys: apiKeys.length });
    world.change({ apiKeys, planKeys, usagePlans });
    const { out } = await syncPlans(["--fix"]);
    // One of the three users without a key gets the place of the orphaned key.
    expect(
      out.match(/: failed, KeyLimitReached: The account's limit in this region is reached$/gm),
    ).toHaveLength(2);
    expect(linesOf(out).slice(-2)).toEqual(["repaired: 7", "failed: 2"]);
  });

  it("continues after a failure and repairs the rest on the next run", async () => {
    await disturb();
    const { apiKeys, planKeys, usagePlans } = world.usage;
    world.reset({
      before: ({ method, target }) =>
        method === "DELETE" && target === "/apikeys/orphan"
          ? Promise.resolve(refusal(403, "AccessDeniedException", "not authorized"))
          : undefined,
    });
    world.change({ apiKeys, planKeys, usagePlans });
    const { code, out, err } = await syncPlans(["--fix"]);
    expect(code).toBe(1);
    expect(out).toMatch(/^zoe: .*: failed, AccessDeniedException: not authorized$/m);
    expect(linesOf(out).slice(-2)).toEqual(["repaired: 8", "failed: 1"]);
    expect(linesOf(err).at(-1)).toBe(
      "error: Incomplete; differences left: 1; run the same command again to continue",
    );
    const mended = world.usage;
    world.reset();
    world.change(mended);
    expect((await syncPlans(["--fix"])).code).toBe(0);
    await expectRight();
  });

  it("stops before the next difference when interrupted", async () => {
    await disturb();
    const controller = new AbortController();
    const { apiKeys, planKeys, usagePlans } = world.usage;
    world.reset({
      before: ({ method, target }) => {
        if (method === "DELETE" && target === "/usageplans/0twin") controller.abort();
        return undefined;
      },
    });
    world.change({ apiKeys, planKeys, usagePlans });
    const { code, out, err } = await syncPlans(["--fix"], { interruption: () => controller.signal });
    expect(code).toBe(1);
    expect(linesOf(out).slice(-2)).toEqual(["repaired: 2", "failed: 0"]);
    expect(linesOf(err).at(-1)).toBe(
      "error: Stopped; differences left: 7; run the same command again to continue",
    );
    expect((await syncPlans(["--fix"])).code).toBe(0);
    await expectRight();
  });

  it("deletes many keys only with --yes", async () => {
    addOrphans(21);
    const before = world.usage;

    expect(await syncPlans(["--fix"])).toEqual({
      code: 1,
      out: "",
      err: "error: Nothing was repaired: 21 keys and plans would be deleted; look at them with --check, then add --yes\n",
    });
    expect(world.usage).toBe(before);

    expect(await syncPlans(["--fix", "--yes"])).toMatchObject({ code: 0 });
    expect(madeFor(world, "zoe").keys).toEqual([]);
  });

  it("deletes 20 keys without --yes", async () => {
    addOrphans(20);
    expect(await syncPlans(["--fix"])).toMatchObject({ code: 0 });
    expect(madeFor(world, "zoe").keys).toEqual([]);
  });
});
