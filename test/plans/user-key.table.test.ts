import { describe, expect, it } from "vitest";
import { admission } from "../../lib/plans/admit.ts";
import { mirrorUser } from "../../lib/plans/mirror.ts";
import { freeIdleKeys } from "../../lib/plans/sweep.ts";
import { type KeyUser, needsKey } from "../../lib/plans/user-key.ts";
import { readUserKeyRecord } from "../../lib/plans/user-key-records.ts";
import { expectSettled, madeFor, retiredNames } from "./support/settled.ts";
import { base, inTime, later, minutes, pro, stages, start, worldForTests } from "./support/world.ts";

const world = worldForTests();
const rethrow = (error: unknown) => {
  throw error;
};
const days = (count: number) => minutes(count * 24 * 60);

const newcomer: Omit<KeyUser, "userID"> = {
  tier: "Base",
  walletCount: 0,
  createdAt: start.toISOString(),
  lastVisited: start.toISOString(),
};

describe("needsKey", () => {
  const cameBack = { lastVisited: later(minutes(61)).toISOString() };
  it.each([
    ["is false for a user who has only signed up", {}, start, false],
    ["is true for a user who has come back", cameBack, later(minutes(61)), true],
    ["is true for a user with a wallet", { walletCount: 1 }, start, true],
    ["is true for a user of a paid tier", { tier: "Pro" }, start, true],
    ["is true for a customer without a rate limit", { tier: "Enterprise" }, start, true],
    ["is true for a user who has been away for 30 days", { walletCount: 1 }, later(days(30)), true],
    ["is false for a user who has been away for longer", { walletCount: 1 }, later(days(30) + 1), false],
    ["is false for such a user of a paid tier", { tier: "Pro" }, later(days(30) + 1), false],
    [
      "is true for such a customer with a rate limit",
      { tier: "Enterprise", requestsPerMinute: 6000 },
      later(days(400)),
      true,
    ],
  ] as [string, Partial<KeyUser>, Date, boolean][])("%s", (_, changes, now, expected) => {
    expect(needsKey({ ...newcomer, ...changes }, now)).toBe(expected);
  });
});

describe("mirrorUser", () => {
  it("creates no key until a user returns after at least an hour", async () => {
    const visit = (time: Date) =>
      admission(world.table, {
        sharedKey: "shared",
        readFallbackKeys: async () => undefined,
        stages,
        onFault: rethrow,
      })({ userID: "regular", names: ["regular"], ref: undefined }, time);
    for (const time of [start, later(minutes(59))]) {
      await visit(time);
      await mirrorUser(world.deps(), "regular");
      expect(await readUserKeyRecord(world.table, "regular")).toBeUndefined();
    }
    await visit(later(minutes(61)));
    await mirrorUser(world.deps(), "regular");
    await expectSettled(world, "regular", base);
  });

  it("retires the key of a newcomer whose paid tier has ended", async () => {
    const signedUp = { createdAt: start.toISOString() };
    await world.put("brief", pro, signedUp);
    await mirrorUser(world.deps(), "brief");
    await expectSettled(world, "brief", pro);
    await world.put("brief", base, signedUp);
    await mirrorUser(world.deps(), "brief");
    expect(await readUserKeyRecord(world.table, "brief")).toBeUndefined();
    expect(await retiredNames(world)).toHaveLength(1);
  });
});

describe("freeIdleKeys", () => {
  it("retires the key of a user who never returned", async () => {
    await world.put("once", base);
    await mirrorUser(world.deps(), "once");
    await world.put("once", base, { createdAt: start.toISOString() });
    await freeIdleKeys(world.deps(), inTime(later(days(1))), rethrow);
    expect(await readUserKeyRecord(world.table, "once")).toBeUndefined();
    expect(madeFor(world, "once").keys).toHaveLength(1);
  });
});
