import { describe, expect, it } from "vitest";
import { readProfile, readProfileWithReferrals } from "../../lib/aws/profile-records.ts";
import { admitUser, register } from "../../lib/aws/registration.ts";
import { tableForTests } from "../support/dynamodb.ts";

const db = tableForTests();

const now = new Date("2026-11-21T09:00:00.000Z");
const hoursLater = (hours: number) => new Date(now.getTime() + hours * 3_600_000);
const user = (userID: string, ref?: string) => ({ userID, names: [userID], ref });

describe("the first sight of a user", () => {
  it("makes one profile, whatever the concurrency, and credits whoever brought them once", async () => {
    const { refID } = await register(db.table, user("referrer"), now);
    const profiles = await Promise.all(
      Array.from({ length: 50 }, () => register(db.table, user("brought", refID), now)),
    );
    expect(new Set(profiles.map((profile) => profile._id)).size).toBe(1);
    expect((await readProfile(db.table, "referrer"))?.usersReferred).toBe(1);
    expect((await readProfile(db.table, "brought"))?.referredBy).toBe("referrer");
  });

  it("takes a code in either case, and no harm from one that is unknown or no code", async () => {
    const { refID } = await register(db.table, user("lower"), now);
    await register(db.table, user("follower", refID.toLowerCase()), now);
    expect((await readProfile(db.table, "lower"))?.usersReferred).toBe(1);
    for (const ref of ["ZZZZZZZZ", "", "'; drop", 42, null, { $ne: 1 }]) {
      const profile = await register(
        db.table,
        { userID: `with ${JSON.stringify(ref)}`, names: [], ref },
        now,
      );
      expect(profile.referredBy).toBeUndefined();
    }
  });
});

describe("a later sight", () => {
  it("credits nobody", async () => {
    const { refID } = await register(db.table, user("late referrer"), now);
    await admitUser(db.table, user("regular"), now);
    await admitUser(db.table, user("regular", refID), now);
    const own = (await readProfile(db.table, "regular"))?.refID;
    await admitUser(db.table, user("regular", own), now);
    for (const userID of ["late referrer", "regular"]) {
      expect(await readProfile(db.table, userID)).toMatchObject({ usersReferred: 0 });
    }
  });

  it("notes the visit, but not twice in an hour", async () => {
    const lastVisited = async () => (await readProfile(db.table, "visitor"))?.lastVisited;
    await admitUser(db.table, user("visitor"), now);
    await admitUser(db.table, user("visitor"), hoursLater(0.9));
    expect(await lastVisited()).toBe(now.toISOString());
    await admitUser(db.table, user("visitor"), hoursLater(1.1));
    expect(await lastVisited()).toBe(hoursLater(1.1).toISOString());
  });
});

describe("referrals", () => {
  it("are the newest 100, newest first", async () => {
    const { refID } = await register(db.table, user("famous"), now);
    for (let hour = 0; hour < 104; hour += 8) {
      const batch = Array.from({ length: 8 }, (_, index) => hour + index);
      await Promise.all(
        batch.map((each) => register(db.table, user(`fan ${each}`, refID), hoursLater(each))),
      );
    }
    const { profile, referrals } = await readProfileWithReferrals(db.table, "famous");
    expect(profile.usersReferred).toBe(104);
    expect(referrals.map(({ username }) => username)).toEqual(
      Array.from({ length: 100 }, (_, index) => `fan ${103 - index}`),
    );
    expect(referrals[0]?.joinedAt).toBe(hoursLater(103).toISOString());
  });
});
