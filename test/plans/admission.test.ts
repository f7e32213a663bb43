import { GetCommand } from "@aws-sdk/lib-dynamodb";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { readProfile } from "../../lib/aws/profile-records.ts";
import type { Table } from "../../lib/aws/table.ts";
import { readUserKeyRecord } from "../../lib/aws/user-key-records.ts";
import { admission } from "../../lib/plans/admission.ts";
import { mirrorUser } from "../../lib/plans/mirror.ts";
import {
  base,
  grace,
  later,
  minutes,
  pro,
  stages,
  start,
  type User,
  worldForTests,
} from "./support/world.ts";

const world = worldForTests();
const sharedKey = "0123456789abcdef0123456789abcdef";
const user = (userID: string) => ({ userID, names: [userID], ref: undefined });

let clock: number;
beforeEach(() => {
  clock = 1;
  vi.spyOn(performance, "now").mockImplementation(() => clock);
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** Lets time pass for what remembers. */
async function wait(milliseconds: number): Promise<void> {
  clock += milliseconds;
  await vi.advanceTimersByTimeAsync(milliseconds);
}

const open = (table: Table = world.table, covered = stages) =>
  admission(table, { sharedKey, stages: covered });

async function pass(userID: string, user: User): Promise<string> {
  await world.put(userID, user);
  await mirrorUser(world.mirror(), userID);
  return (await readUserKeyRecord(world.table, userID))?.current?.value ?? "none";
}

describe("requests count on", () => {
  it("the shared key until the user's own is surely active, then on that", async () => {
    const own = await pass("alice", base);
    expect(await open()(user("alice"), later(grace - 1))).toBe(sharedKey);
    expect(await open()(user("alice"), later(grace))).toBe(own);
  });

  it("the shared key before there is any other", async () => {
    expect(await open()(user("newcomer"), start)).toBe(sharedKey);
    expect(await readProfile(world.table, "newcomer")).toMatchObject({ tier: "Base" });
  });

  it("the shared key while their own is on the plan of another tier", async () => {
    const old = await pass("riser", base);
    await world.put("riser", pro);
    expect(await open()(user("riser"), later(grace))).toBe(sharedKey);
    const own = await pass("riser", pro);
    expect(own).not.toBe(old);
    expect(await open()(user("riser"), later(grace))).toBe(own);
  });

  it("the shared key when their own is of another API", async () => {
    await pass("moved", base);
    const others = stages.map(({ stage }) => ({ apiId: "Another", stage }));
    expect(await open(world.table, others)(user("moved"), later(grace))).toBe(sharedKey);
    expect(await open(world.table, stages.toReversed())(user("moved"), later(grace))).not.toBe(sharedKey);
  });
});

describe("what is remembered", () => {
  /** The reads of a table. */
  function counted(table: Table) {
    let reads = 0;
    const send = (command: unknown) => {
      reads += command instanceof GetCommand ? 1 : 0;
      return table.client.send(command as never);
    };
    const client = new Proxy(table.client, {
      get: (target, name) => (name === "send" ? send : Reflect.get(target, name)),
    });
    return { table: { ...table, client }, reads: () => reads };
  }

  it("is the user's own key, for a minute", async () => {
    const old = await pass("regular", base);
    const { table, reads } = counted(world.table);
    const admit = open(table);
    expect(await admit(user("regular"), later(grace))).toBe(old);
    const own = await pass("regular", pro);
    await wait(60_000);
    expect(await admit(user("regular"), later(2 * grace))).toBe(old);
    expect(reads()).toBe(2);
    await wait(1);
    expect(await admit(user("regular"), later(2 * grace))).toBe(own);
    expect(reads()).toBe(4);
  });

  it("is for two seconds that there is none", async () => {
    await world.put("waiting", base);
    const { table, reads } = counted(world.table);
    const admit = open(table);
    expect(await admit(user("waiting"), later(grace))).toBe(sharedKey);
    const own = await pass("waiting", base);
    await wait(2000);
    expect(await admit(user("waiting"), later(grace))).toBe(sharedKey);
    expect(reads()).toBe(2);
    await wait(1);
    expect(await admit(user("waiting"), later(grace))).toBe(own);
  });

  it("is each user's own", async () => {
    const admit = open();
    const keys = [await pass("ann", base), await pass("bea", base)];
    const admitted = async () => [
      await admit(user("ann"), later(grace)),
      await admit(user("bea"), later(grace)),
    ];
    expect(await admitted()).toEqual(keys);
    expect(await admitted()).toEqual(keys);
  });

  it("is nothing of a user who could not be let in", async () => {
    let broken = true;
    const send = (command: unknown) =>
      broken ? Promise.reject(new Error("no")) : world.table.client.send(command as never);
    const client = new Proxy(world.table.client, {
      get: (target, name) => (name === "send" ? send : Reflect.get(target, name)),
    });
    const admit = open({ ...world.table, client });
    await expect(admit(user("unlucky"), start)).rejects.toThrow("no");
    broken = false;
    expect(await admit(user("unlucky"), start)).toBe(sharedKey);
  });
});

describe("a first sight", () => {
  it("makes one profile, whatever the concurrency", async () => {
    const admit = open();
    const admitted = await Promise.all(Array.from({ length: 20 }, () => admit(user("crowd"), start)));
    expect(new Set(admitted)).toEqual(new Set([sharedKey]));
    const made = await readProfile(world.table, "crowd");
    await open()(user("crowd"), start);
    expect(await readProfile(world.table, "crowd")).toEqual(made);
  });

  it("and later ones note the visit, once an hour", async () => {
    const admit = open();
    const lastVisited = async () => (await readProfile(world.table, "visitor"))?.lastVisited;
    await admit(user("visitor"), start);
    await wait(minutes(59));
    await admit(user("visitor"), later(minutes(59)));
    expect(await lastVisited()).toBe(start.toISOString());
    await wait(minutes(2));
    await admit(user("visitor"), later(minutes(61)));
    expect(await lastVisited()).toBe(later(minutes(61)).toISOString());
  });
});
