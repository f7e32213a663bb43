import { setTimeout as pause } from "node:timers/promises";
import { TransactionConflictException } from "@aws-sdk/client-dynamodb";
import { GetCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { admission, UserBlocked } from "../../lib/plans/admit.ts";
import { type FallbackKeys, fallbackKeyOf, fallbackKeyValue } from "../../lib/plans/fallback-keys.ts";
import { mirrorUser } from "../../lib/plans/mirror.ts";
import { coverageOf } from "../../lib/plans/plan-stages.ts";
import { readUserKeyRecord, writeUserKeyRecord } from "../../lib/plans/user-key-records.ts";
import type { Table } from "../../lib/table/table.ts";
import { changeProfile, readProfile } from "../../lib/users/profile-records.ts";
import { interceptedTable } from "../support/intercepted-table.ts";
import {
  base,
  enterprise,
  graceMs,
  later,
  minutes,
  pro,
  sharedKey,
  stages,
  start,
  type User,
  worldForTests,
} from "./support/world.ts";

const world = worldForTests();
const user = (userID: string, ref?: string) => ({ userID, names: [userID], ref });

const onFault = vi.fn();

let clock: number;
beforeEach(() => {
  clock = start.getTime();
  onFault.mockReset();
  vi.spyOn(Date, "now").mockImplementation(() => clock);
});
afterEach(() => {
  vi.restoreAllMocks();
});

/** Advances the clock of the cache. The cache notices this only after a moment. */
async function waitMs(ms: number): Promise<void> {
  clock += ms;
  await pause(5);
}

/** Admits users and returns their keys. */
function open(table: Table = world.table, covered = stages) {
  const admit = admission(table, {
    sharedKey,
    readFallbackKeys: async () => undefined,
    stages: covered,
    onFault,
  });
  return async (...input: Parameters<typeof admit>) => (await admit(...input)).key;
}

/** Writes the user and returns the key that the mirror creates for them. */
async function mirrored(userID: string, user: User): Promise<string> {
  await world.put(userID, user);
  await mirrorUser(world.deps(), userID);
  return (await readUserKeyRecord(world.table, userID))?.current?.value ?? "none";
}

function counted(table: Table) {
  let reads = 0;
  const count = (command: unknown) => {
    reads += command instanceof GetCommand ? 1 : 0;
  };
  return { table: interceptedTable(table, count), reads: () => reads };
}

describe("admission", () => {
  it("returns the shared key until the user's own key is active, and from then on the user's key", async () => {
    const own = await mirrored("alice", base);
    expect(await open()(user("alice"), later(graceMs - 1))).toBe(sharedKey);
    expect(await open()(user("alice"), later(graceMs))).toBe(own);
  });

  it("chooses the fallback key by the user's id, among the usable keys", async () => {
    let keys: FallbackKeys | undefined;
    const usable = [
      { count: 20, from: later(0).toISOString() },
      { count: 500, from: later(minutes(5)).toISOString() },
    ];
    const options = { sharedKey, readFallbackKeys: async () => keys, stages, onFault };
    const admitted = async (time: Date) =>
      (await admission(world.table, options)(user("newcomer"), time)).key;
    const keyOf = (count: number) => fallbackKeyValue(sharedKey, fallbackKeyOf("newcomer", count));
    expect(await admitted(later(0))).toBe(sharedKey);
    keys = { version: 1, planId: "p", coverage: coverageOf(stages), isFull: false, usable };
    expect(await admitted(later(-1))).toBe(sharedKey);
    expect(await admitted(later(0))).toBe(keyOf(20));
    expect(await admitted(later(minutes(5)))).toBe(keyOf(500));
    keys = { ...keys, coverage: "Another:live" };
    expect(await admitted(later(minutes(5)))).toBe(sharedKey);
  });

  it("returns the user's plan, even with the shared key", async () => {
    const admit = admission(world.table, {
      sharedKey,
      readFallbackKeys: async () => undefined,
      stages,
      onFault,
    });
    expect(await admit(user("beginner"), start)).toEqual({
      key: sharedKey,
      plan: { name: "Standard", requestsPerMinute: 1000 },
    });
    const own = await mirrored("customer", enterprise(30_000));
    const plan = { name: "Enterprise", requestsPerMinute: 30_000 };
    expect(await admit(user("customer"), later(0))).toEqual({ key: sharedKey, plan });
    await waitMs(2001);
    expect(await admit(user("customer"), later(graceMs))).toEqual({ key: own, plan });
    expect(await admit(user("customer"), later(graceMs))).toEqual({ key: own, plan });
  });

  it("registers a new user, and returns the shared key for the first request", async () => {
    expect(await open()(user("newcomer"), start)).toBe(sharedKey);
    expect(await readProfile(world.table, "newcomer")).toMatchObject({ tier: "Base" });
  });

  it("returns the shared key while the user's own key is on another tier's plan", async () => {
    const old = await mirrored("riser", base);
    await world.put("riser", pro);
    expect(await open()(user("riser"), later(graceMs))).toBe(sharedKey);
    const own = await mirrored("riser", pro);
    expect(own).not.toBe(old);
    expect(await open()(user("riser"), later(graceMs))).toBe(own);
  });

  it("returns the previous key until the new key is active, if the previous key still works", async () => {
    const old = await mirrored("refitted", enterprise(6000));
    world.change({
      usagePlans: world.usage.usagePlans.map((plan) =>
        plan.from === "program" ? { ...plan, apiStages: [...stages] } : plan,
      ),
    });
    await mirrorUser(world.deps({ now: () => later(graceMs) }), "refitted");
    const own = (await readUserKeyRecord(world.table, "refitted"))?.current?.value;
    expect(own).not.toBe(old);
    expect(await open()(user("refitted"), later(2 * graceMs - 1))).toBe(old);
    expect(await open()(user("refitted"), later(2 * graceMs))).toBe(own);
  });

  it("returns the user's own key even after a deployment changed the limit of the tier's plan", async () => {
    const own = await mirrored("settled", base);
    const record = await readUserKeyRecord(world.table, "settled");
    if (record?.current === undefined) throw new Error("There is no key");
    const plan = { name: "Standard", requestsPerMinute: 600 } as const;
    await writeUserKeyRecord(world.table, record, { ...record, current: { ...record.current, plan } }, start);
    expect(await open()(user("settled"), later(graceMs))).toBe(own);
  });

  it("returns the shared key if the user's own key was made for another API", async () => {
    await mirrored("moved", base);
    const others = stages.map(({ stage }) => ({ apiId: "Another", stage }));
    expect(await open(world.table, others)(user("moved"), later(graceMs))).toBe(sharedKey);
    expect(await open(world.table, stages.toReversed())(user("moved"), later(graceMs))).not.toBe(sharedKey);
  });

  it("caches a user's own key for a minute", async () => {
    const old = await mirrored("regular", base);
    const { table, reads } = counted(world.table);
    const admit = open(table);
    expect(await admit(user("regular"), later(graceMs))).toBe(old);
    const own = await mirrored("regular", pro);
    await waitMs(60_000);
    expect(await admit(user("regular"), later(2 * graceMs))).toBe(old);
    expect(reads()).toBe(2);
    await waitMs(1);
    expect(await admit(user("regular"), later(2 * graceMs))).toBe(own);
    expect(reads()).toBe(4);
  });

  it("remembers for two seconds that a user has no active key", async () => {
    await world.put("waiting", base);
    const { table, reads } = counted(world.table);
    const admit = open(table);
    expect(await admit(user("waiting"), later(graceMs))).toBe(sharedKey);
    const own = await mirrored("waiting", base);
    await waitMs(2000);
    expect(await admit(user("waiting"), later(graceMs))).toBe(sharedKey);
    expect(reads()).toBe(2);
    await waitMs(1);
    expect(await admit(user("waiting"), later(graceMs))).toBe(own);
  });

  it("caches each user's key separately", async () => {
    const admit = open();
    const keys = [await mirrored("ann", base), await mirrored("bea", base)];
    const admitted = async () => [
      await admit(user("ann"), later(graceMs)),
      await admit(user("bea"), later(graceMs)),
    ];
    expect(await admitted()).toEqual(keys);
    expect(await admitted()).toEqual(keys);
  });

  it("caches nothing about a user whom it failed to admit", async () => {
    let broken = true;
    const fail = () => {
      if (broken) throw new Error("no");
    };
    const admit = open(interceptedTable(world.table, fail));
    await expect(admit(user("unlucky"), start)).rejects.toThrow("no");
    broken = false;
    expect(await admit(user("unlucky"), start)).toBe(sharedKey);
  });

  it("creates one profile even if many requests arrive at once", async () => {
    const admit = open();
    const admitted = await Promise.all(Array.from({ length: 20 }, () => admit(user("crowd"), start)));
    expect(new Set(admitted)).toEqual(new Set([sharedKey]));
    const made = await readProfile(world.table, "crowd");
    await open()(user("crowd"), start);
    expect(await readProfile(world.table, "crowd")).toEqual(made);
  });

  it("credits no referrer if the user is already registered", async () => {
    await open()(user("late referrer"), start);
    await open()(user("early bird"), start);
    for (const owner of ["late referrer", "early bird"]) {
      const { refID } = (await readProfile(world.table, owner)) ?? {};
      await open()(user("early bird", refID), start);
      expect(await readProfile(world.table, owner)).toMatchObject({ usersReferred: 0 });
    }
  });

  it("rejects a blocked user, caches that for ten seconds, and records no visit", async () => {
    await mirrored("troll", base);
    const profile = await readProfile(world.table, "troll");
    if (profile === undefined) throw new Error("There is no profile");
    await changeProfile(world.table, profile, { blockedAt: start.toISOString() });
    const { table, reads } = counted(world.table);
    const admit = open(table);
    const muchLater = later(minutes(200));
    await expect(admit(user("troll"), muchLater)).rejects.toThrow(UserBlocked);
    await expect(admit(user("troll"), muchLater)).rejects.toThrow(UserBlocked);
    expect(reads()).toBe(2);
    expect(await readProfile(world.table, "troll")).toMatchObject({ lastVisited: profile.lastVisited });

    const blocked = { ...profile, blockedAt: start.toISOString() };
    await changeProfile(world.table, blocked, { blockedAt: undefined });
    await waitMs(10_001);
    expect(await admit(user("troll"), muchLater)).toEqual(expect.any(String));
  });

  it("records a user's visits at most once an hour", async () => {
    const admit = open();
    const lastVisited = async () => (await readProfile(world.table, "visitor"))?.lastVisited;
    await admit(user("visitor"), start);
    await waitMs(minutes(60));
    await admit(user("visitor"), later(minutes(60)));
    expect(await lastVisited()).toBe(start.toISOString());
    await waitMs(minutes(1));
    await admit(user("visitor"), later(minutes(61)));
    expect(await lastVisited()).toBe(later(minutes(61)).toISOString());
  });

  it("admits a user whose visit cannot be recorded, and records it at a later request", async () => {
    const own = await mirrored("unnoted", base);
    const conflict = new TransactionConflictException({ $metadata: {}, message: "no" });
    let broken = true;
    const refuse = (command: unknown) => {
      if (broken && command instanceof UpdateCommand) throw conflict;
    };
    const admit = open(interceptedTable(world.table, refuse));
    expect(await admit(user("unnoted"), later(minutes(61)))).toBe(own);
    expect(onFault).toHaveBeenCalledExactlyOnceWith(conflict);
    broken = false;
    await waitMs(60_001);
    expect(await admit(user("unnoted"), later(minutes(62)))).toBe(own);
    expect(await readProfile(world.table, "unnoted")).toMatchObject({
      lastVisited: later(minutes(62)).toISOString(),
    });
  });

  it("replaces a generated username once by the username in a later token", async () => {
    const named = (...names: unknown[]) => ({ ...user("nameless"), names });
    const username = async () => (await readProfile(world.table, "nameless"))?.username;
    await open()(named(), start);
    expect(await username()).toMatch(/^trader-/);
    await open()(named("nobody@example.com", undefined), start);
    expect(await username()).toMatch(/^trader-/);
    await open()(named(undefined, "Ann"), start);
    expect(await username()).toBe("Ann");
    await open()(named("Bea"), start);
    expect(await username()).toBe("Ann");
  });

  it("admits a user whose username cannot be replaced", async () => {
    await open()({ ...user("unnamed"), names: [] }, start);
    const fail = (command: unknown) => {
      if (command instanceof UpdateCommand) throw new Error("no");
    };
    expect(await open(interceptedTable(world.table, fail))(user("unnamed"), start)).toBe(sharedKey);
    expect(onFault).toHaveBeenCalledOnce();
  });
});
