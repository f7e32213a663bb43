import { inspect } from "node:util";
import { DeleteCommand } from "@aws-sdk/lib-dynamodb";
import { refusal } from "cdk-local-runner/testing";
import { beforeEach, describe, expect, it } from "vitest";
import { readFallbackKeys } from "../../lib/plans/fallback-key-records.ts";
import {
  fallbackKeyName,
  fallbackKeyValue,
  maxFallbackKeys,
  roomForUsers,
  usableCount,
} from "../../lib/plans/fallback-keys.ts";
import { fallbackKeysKey } from "../../lib/plans/item-keys.ts";
import { type FallbackKeyDeps, makeFallbackKeys } from "../../lib/plans/make-fallback-keys.ts";
import { coverageOf } from "../../lib/plans/plan-stages.ts";
import { type Fault, withFault } from "./support/faults.ts";
import { inQuickTime } from "./support/quick-time.ts";
import {
  fallbackPlan,
  fallbackPrefix,
  graceMs,
  later,
  minutes,
  prefix,
  sharedKey,
  stages,
  start,
  tierPlans,
  worldForTests,
} from "./support/world.ts";

const world = worldForTests();

const never = new Date("2286-01-01");

async function forgetKeys(): Promise<void> {
  const { client, name } = world.table;
  await client.send(new DeleteCommand({ TableName: name, Key: fallbackKeysKey }));
}
beforeEach(forgetKeys);

/** Makes keys on a clock that starts at this time. */
const make = (parts: Partial<FallbackKeyDeps> = {}, begin = start, deadline = never) =>
  inQuickTime(world.fallbackKeyDeps(parts), (deps) => makeFallbackKeys(deps, deadline), begin);

/** Lists the numbers of the keys that exist on the plan Fallback. */
function onPlan(): number[] {
  const attached = new Set(
    world.usage.planKeys.filter(({ usagePlanId }) => usagePlanId === fallbackPlan).map(({ keyId }) => keyId),
  );
  return world.usage.apiKeys
    .filter(({ id }) => attached.has(id))
    .map(({ name = "" }) => Number(name.slice(fallbackPrefix.length)))
    .toSorted((a, b) => a - b);
}

const upTo = (count: number) => Array.from({ length: count }, (_, number) => number);

const usableAt = async (time: Date) => usableCount((await readFallbackKeys(world.table))?.usable ?? [], time);

const called = (call: RegExp) => world.calls.filter((made) => call.test(made)).length;

describe("makeFallbackKeys", () => {
  it("makes tagged keys on the plan Fallback, which are usable after the grace period", async () => {
    await make();
    expect(onPlan()).toEqual(upTo(12));
    for (const [number, key] of world.usage.apiKeys.entries())
      expect(key).toMatchObject({
        name: fallbackPrefix + fallbackKeyName(number),
        value: fallbackKeyValue(sharedKey, number),
        enabled: true,
        tags: { "plan-prefix": fallbackPrefix },
      });
    const madeAt = 12 * 250;
    expect(await usableAt(later(graceMs))).toBe(0);
    expect(await usableAt(later(madeAt + graceMs + 1000))).toBe(12);
    expect(await readFallbackKeys(world.table)).toMatchObject({
      planId: fallbackPlan,
      coverage: coverageOf(stages),
    });
  });

  it("makes no changes if all keys exist", async () => {
    await make();
    const [record, usage, calls] = [await readFallbackKeys(world.table), world.usage, world.calls.length];
    await make({}, later(minutes(5)));
    expect(await readFallbackKeys(world.table)).toEqual(record);
    expect(world.usage).toBe(usage);
    expect(world.calls.slice(calls)).toEqual(
      [fallbackPlan, tierPlans.Standard].map((planId) => `GET /usageplans/${planId}/keys`),
    );
  });

  it("stays within the quotas of the control plane, and leaves part of the quotas to other callers", async () => {
    world.reset({ throttled: true, now: () => Date.now() });
    let endedAt = 0;
    await inQuickTime(world.fallbackKeyDeps({ wanted: 60 }), async (deps) => {
      await makeFallbackKeys(deps, never);
      endedAt = Date.now();
    });
    expect(onPlan()).toEqual(upTo(60));
    expect(called(/^POST \/apikeys$/)).toBe(60);
    expect(endedAt - start.getTime()).toBeGreaterThanOrEqual(60 * 250);
  });

  it("continues after a throttled call", async () => {
    let refusals = 3;
    world.reset({
      before: ({ method }) =>
        method === "POST" && refusals-- > 0
          ? Promise.resolve(refusal(429, "TooManyRequestsException", "Too Many Requests"))
          : undefined,
    });
    await make();
    expect(onPlan()).toEqual(upTo(12));
  });

  it("starts nothing after its deadline, and the next run continues from there", async () => {
    await make({}, start, later(1000));
    expect(onPlan()).toEqual(upTo(4));
    expect(await usableAt(later(minutes(4)))).toBe(4);
    const calls = world.calls.length;
    await make({}, later(minutes(5)));
    expect(onPlan()).toEqual(upTo(12));
    expect(world.calls.slice(calls).filter((call) => call === "POST /apikeys")).toHaveLength(8);
    expect(await usableAt(later(minutes(6)))).toBe(4);
    expect(await usableAt(later(minutes(8)))).toBe(12);
  });

  it.each(["not arrived", "answer lost"] satisfies Fault[])(
    "completes a run that was interrupted at any call: %s",
    async (fault) => {
      const parts = () => ({
        wanted: 2,
        plans: { ...world.openPlans({ maxAttempts: 1 }), prefix: fallbackPrefix },
      });
      const cutShort = async (number: number) => {
        let calls = 0;
        await inQuickTime(world.fallbackKeyDeps(parts()), async (deps) => {
          ({ length: calls } = await withFault(deps, [number, fault], (faulty) =>
            makeFallbackKeys(faulty, never),
          ));
        });
        return calls;
      };
      const calls = await cutShort(Number.POSITIVE_INFINITY);
      expect(calls).toBe(10);
      for (let number = 1; number <= calls; number++) {
        world.reset();
        await forgetKeys();
        expect(await cutShort(number)).toBeGreaterThanOrEqual(number);
        await make(parts(), later(minutes(5)));
        expect(onPlan()).toEqual([0, 1]);
        expect(world.usage.apiKeys).toHaveLength(2);
        expect(await usableAt(later(minutes(8)))).toBe(2);
      }
    },
  );

  it("uses the keys that an account has room for, and makes the rest once there is more room", async () => {
    world.reset({ maxKeys: 5 });
    await expect(make()).rejects.toMatchObject({ name: "KeyLimitReached" });
    expect(await usableAt(later(minutes(3)))).toBe(5);
    const { apiKeys, planKeys } = world.usage;
    world.reset();
    world.change({ apiKeys, planKeys });
    await make({}, later(minutes(5)));
    expect(await usableAt(later(minutes(8)))).toBe(12);
  });

  it("replaces a lost key, and a key that was taken off the plan", async () => {
    await make();
    const [lost, detached] = world.usage.apiKeys;
    const record = await readFallbackKeys(world.table);
    world.change({
      apiKeys: world.usage.apiKeys.filter(({ id }) => id !== lost?.id),
      planKeys: world.usage.planKeys.filter(({ keyId }) => keyId !== lost?.id && keyId !== detached?.id),
    });
    await make({}, later(minutes(5)));
    expect(onPlan()).toEqual(upTo(12));
    expect(world.usage.apiKeys).toHaveLength(12);
    expect(await readFallbackKeys(world.table)).toEqual(record);
  });

  it("deletes the keys of an earlier stack of the same name, even when they fill the account", async () => {
    world.reset({ maxKeys: 12 });
    await make({ sharedKey: sharedKey.replace("0", "1") });
    world.change({ planKeys: [] });
    const stale = world.usage.apiKeys.map(({ value }) => value);
    await make({}, later(minutes(5)));
    expect(onPlan()).toEqual(upTo(12));
    expect(world.usage.apiKeys.map(({ value }) => value)).toEqual(
      upTo(12).map((number) => fallbackKeyValue(sharedKey, number)),
    );
    expect(stale).not.toContain(world.usage.apiKeys[0]?.value);
  });

  it("records whether users' own keys take up all the room that fallback keys leave", async () => {
    const isFull = async (ofUsers: number) => {
      const keyIds = upTo(ofUsers).map((number) => `key ${number}`);
      world.change({
        apiKeys: keyIds.map((id) => ({
          id,
          name: `${prefix}${id}/1`,
          value: id,
          enabled: true,
          from: "program" as const,
          createdDate: start.getTime(),
        })),
        planKeys: keyIds.map((keyId) => ({
          from: "program" as const,
          keyId,
          usagePlanId: tierPlans.Standard,
        })),
      });
      await make({ wanted: maxFallbackKeys }, start, start);
      return (await readFallbackKeys(world.table))?.isFull;
    };
    const room = roomForUsers(maxFallbackKeys);
    expect([await isFull(room - 1), await isFull(room), await isFull(0)]).toEqual([false, true, false]);
  });

  it("does not change keys that are not fallback keys", async () => {
    await make();
    const [pattern] = world.usage.apiKeys;
    if (pattern === undefined) throw new Error("There is no key");
    const others = ["Terminal/user/0013", "0013", `${fallbackPrefix}x`].map((name) => ({
      ...pattern,
      id: name,
      name,
      value: name,
    }));
    const { apiKeys, planKeys } = world.usage;
    world.change({
      apiKeys: [...apiKeys, ...others],
      planKeys: [
        ...planKeys,
        ...others.map(({ id }) => ({ from: "program" as const, usagePlanId: fallbackPlan, keyId: id })),
      ],
    });
    await make({ wanted: 1 }, later(minutes(5)));
    await make({ wanted: 1 }, later(minutes(30)));
    expect(world.usage.apiKeys.map(({ name }) => name)).toEqual([
      `${fallbackPrefix}0000`,
      ...others.map(({ name }) => name),
    ]);
  });
});

describe("makeFallbackKeys after a deployment", () => {
  it("takes surplus keys out of use at once, and deletes them ten minutes later", async () => {
    await make();
    await make({ wanted: 5 }, later(minutes(20)));
    expect(await usableAt(later(minutes(20) + 1000))).toBe(5);
    await make({ wanted: 5 }, later(minutes(29)));
    expect(onPlan()).toEqual(upTo(12));
    await make({ wanted: 5 }, later(minutes(31)));
    expect(onPlan()).toEqual(upTo(5));
    expect(await usableAt(later(minutes(31)))).toBe(5);
  });

  it("restarts the grace period of keys that become necessary again, whether or not they were deleted", async () => {
    await make();
    await make({ wanted: 5 }, later(minutes(20)));
    await make({ wanted: 5 }, later(minutes(31)), later(minutes(31) + 1000));
    expect(onPlan().length).toBe(8);
    await make({}, later(minutes(40)));
    expect(onPlan()).toEqual(upTo(12));
    expect(await usableAt(later(minutes(41)))).toBe(5);
    expect(await usableAt(later(minutes(43)))).toBe(12);
  });

  it.each([
    ["other stages", () => ({ plans: { ...world.fallbackKeyDeps().plans, stages: [] } })],
    ["another plan", () => ({ planId: tierPlans.Pro })],
  ])("uses no keys of %s until the keys are attached", async (_, parts) => {
    await make();
    world.change({ planKeys: [] });
    await make(parts(), later(minutes(20)));
    expect(world.usage.planKeys).toHaveLength(12);
    expect(await usableAt(later(minutes(21)))).toBe(0);
    expect(await usableAt(later(minutes(23)))).toBe(12);
  });
});

describe("makeFallbackKeys after a version whose keys were on the plan Standard", () => {
  it("deletes them in the next run, when no authorizer names them any more", async () => {
    await make({ planId: tierPlans.Standard });
    const old = world.usage.apiKeys.map(({ id }) => id);
    const begin = later(minutes(20));
    await expect(make({}, begin)).rejects.toThrow("Fallback key 0 is on another plan");
    expect(world.usage.apiKeys.map(({ id }) => id)).toEqual(old);
    expect(await usableAt(begin)).toBe(0);
    await make({}, later(minutes(25)));
    expect(onPlan()).toEqual(upTo(12));
    expect(world.usage.apiKeys).toHaveLength(12);
    expect(await usableAt(later(minutes(28)))).toBe(12);
  });
});

describe("the values of fallback keys", () => {
  it("keeps the values of fallback keys out of records and errors", async () => {
    await make({ wanted: 1 });
    const value = fallbackKeyValue(sharedKey, 0);
    expect(inspect(await readFallbackKeys(world.table), { depth: 9 })).not.toContain(value);
    world.reset({
      before: ({ method }) =>
        method === "POST" ? Promise.resolve(refusal(400, "BadRequestException", "no")) : undefined,
    });
    const failed = await make({ wanted: 1 }, later(minutes(5))).catch((error: unknown) => error);
    expect(failed).toMatchObject({ name: "BadRequestException" });
    expect(inspect(failed, { depth: 4 })).not.toContain(value);
  });
});
