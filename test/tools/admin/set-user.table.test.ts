import { TransactWriteCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { describe, expect, it } from "vitest";
import { readPointsLines } from "../../../lib/rewards/points-records.ts";
import type { Table } from "../../../lib/table/table.ts";
import type { Profile } from "../../../lib/users/profile.ts";
import { changeProfile, readProfile } from "../../../lib/users/profile-records.ts";
import { register } from "../../../lib/users/register.ts";
import { interceptedTable } from "../../support/intercepted-table.ts";
import { now, run } from "./support/admin.ts";
import { targetForTests, userWithWallets } from "./support/custody.ts";

const target = targetForTests();

const created = (userID: string) =>
  register(target.table, { userID, names: [`${userID}-name`], ref: undefined }, now);

async function profileOf(userID: string): Promise<Profile> {
  const profile = await readProfile(target.table, userID);
  if (profile === undefined) throw new Error(`${userID} has no profile`);
  return profile;
}

/** Wraps the test's table and makes another change right before each write. */
const disturbed = (before: () => Promise<unknown>): Table =>
  interceptedTable(
    target.table,
    (command) => (command instanceof UpdateCommand || command instanceof TransactWriteCommand) && before(),
  );

describe("set-user", () => {
  it("sets the given values, prints each change and leaves the rest alone", async () => {
    const before = await created("alice");
    const { code, out, err } = await run(target, [
      ...["set-user", "alice", "--tier", "Pro", "--points", "500", "--xp", "1200", "--username", "Alice"],
      ...["--xp-multiplier", "1.5"],
    ]);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out.trimEnd().split("\n")).toEqual([
      "tier: Base -> Pro",
      "points: 0 -> 500",
      "xp: 0 -> 1200",
      "username: alice-name -> Alice",
      "xpMultiplier: 1 -> 1.5",
    ]);
    const today = { start: "2026-11-18", xp: 1200 };
    expect(await profileOf("alice")).toEqual({
      ...before,
      tier: "Pro",
      points: 500,
      pointsChangedAt: expect.any(String),
      username: "Alice",
      xpMultiplier: 1.5,
      experience: {
        total: 1200,
        daily: today,
        weekly: { ...today, start: "2026-11-16" },
        monthly: { ...today, start: "2026-11-01" },
      },
      PK: expect.any(String),
      SK: expect.any(String),
    });
  });

  it("records each change of points, and nothing else, in the user's ledger", async () => {
    await created("saver");
    for (const args of [["500"], ["200", "--tier", "Pro"], ["200", "--xp", "7"]])
      await run(target, ["set-user", "saver", "--points", ...args]);
    await run(target, ["set-user", "saver", "--tier", "Base"]);
    expect(await readPointsLines(target.table, "saver")).toMatchObject([
      { reason: "opening", change: 0, points: 0 },
      { reason: "set", change: 500, points: 500, time: now.toISOString() },
      { reason: "set", change: -300, points: 200 },
    ]);
    expect(await profileOf("saver")).toMatchObject({ points: 200, tier: "Base" });
  });

  it("prints only values that differ", async () => {
    await created("half");
    const { out } = await run(target, ["set-user", "half", "--tier", "Base", "--points", "1"]);
    expect(out).toBe("points: 0 -> 1\n");
  });

  it("writes nothing when no value differs", async () => {
    await created("same");
    let writes = 0;
    const table = disturbed(async () => writes++);
    const { code, out } = await run({ ...target, table }, [
      "set-user",
      "same",
      "--tier",
      "Base",
      "--xp",
      "0",
    ]);
    expect({ code, out }).toEqual({ code: 0, out: "Nothing changed: same already has these values\n" });
    expect(writes).toBe(0);
  });

  it("lowers today's XP only as far as the new total requires", async () => {
    await created("loser");
    await run(target, ["set-user", "loser", "--xp", "1000"]);
    await run(target, ["set-user", "loser", "--xp", "300"]);
    expect((await profileOf("loser")).experience).toMatchObject({ total: 300, daily: { xp: 300 } });
  });

  it("accepts points up to their limit and XP up to the largest safe integer", async () => {
    await created("whale");
    const [points, xp] = ["1000000000000", "9007199254740991"];
    expect((await run(target, ["set-user", "whale", "--points", points, "--xp", xp])).code).toBe(0);
    expect(await profileOf("whale")).toMatchObject({
      points: 1e12,
      experience: { total: Number.MAX_SAFE_INTEGER },
    });
  });

  it("keeps all wallets when it lowers a tier", async () => {
    await userWithWallets(target, "collector", 3);
    await run(target, ["set-user", "collector", "--tier", "Pro"]);
    const { out } = await run(target, ["set-user", "collector", "--tier", "Base"]);
    expect(out).toBe("tier: Pro -> Base\n");
    expect((await profileOf("collector")).walletCount).toBe(3);
  });

  it("rejects an unknown user without creating a profile", async () => {
    const { code, out, err } = await run(target, ["set-user", "nobody", "--tier", "Pro"]);
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).toMatch(/^error: There is no user nobody;.*\n$/);
    expect(await readProfile(target.table, "nobody")).toBeUndefined();
  });
});

describe("set-user during other changes", () => {
  it("keeps XP earned between its read and its write", async () => {
    const read = await created("racer");
    let left = 1;
    const table = disturbed(async () => {
      if (left-- > 0)
        await changeProfile(target.table, read, { experience: { ...read.experience, total: 700 } });
    });
    const { code, out } = await run({ ...target, table }, ["set-user", "racer", "--xp", "1000"]);
    expect({ code, out }).toEqual({ code: 0, out: "xp: 700 -> 1000\n" });
    expect((await profileOf("racer")).experience).toMatchObject({ total: 1000, daily: { xp: 300 } });
  });

  it("keeps concurrent changes to other values", async () => {
    const read = await created("busy");
    const table = disturbed(() => changeProfile(target.table, read, { points: 42 }));
    await run({ ...target, table }, ["set-user", "busy", "--tier", "Pro"]);
    expect(await profileOf("busy")).toMatchObject({ tier: "Pro", points: 42 });
  });

  it("gives up and changes nothing if the value changes during every attempt", async () => {
    await created("restless");
    const table = disturbed(async () => {
      const read = await profileOf("restless");
      await changeProfile(target.table, read, { points: read.points + 1 });
    });
    const args = ["set-user", "restless", "--points", "500", "--tier", "Pro"];
    const { code, out, err } = await run({ ...target, table }, args);
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).toBe("error: User restless kept changing, and nothing was set; try again\n");
    expect(await profileOf("restless")).toMatchObject({ tier: "Base", points: 5 });
  });
});
