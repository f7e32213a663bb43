import { describe, expect, it } from "vitest";
import { referralKey } from "../../lib/users/item-keys.ts";
import { readProfile, readProfileWithReferrals } from "../../lib/users/profile-records.ts";
import { register } from "../../lib/users/register.ts";
import { tableForTests } from "../support/dynamodb.ts";
import { putItems } from "../support/items.ts";

const db = tableForTests();

const now = new Date("2026-11-21T09:00:00.000Z");
const hoursLater = (hours: number) => new Date(now.getTime() + hours * 3_600_000);
const user = (userID: string, ref?: string) => ({ userID, names: [userID], ref });

describe("register", () => {
  it("creates one profile and credits the referrer once, even if many requests arrive at once", async () => {
    const { refID } = await register(db.table, user("referrer"), now);
    const profiles = await Promise.all(
      Array.from({ length: 50 }, () => register(db.table, user("referred", refID), now)),
    );
    expect(new Set(profiles.map((profile) => profile._id)).size).toBe(1);
    expect((await readProfile(db.table, "referrer"))?.usersReferred).toBe(1);
    const byReferrer = { referredBy: "referrer", referrerId: "referrer" };
    expect(await readProfile(db.table, "referred")).toMatchObject(byReferrer);
  });

  it("accepts a referral code in lower case", async () => {
    const { refID } = await register(db.table, user("lower"), now);
    await register(db.table, user("follower", refID.toLowerCase()), now);
    expect((await readProfile(db.table, "lower"))?.usersReferred).toBe(1);
  });

  it.each(["ZZZZZZZZ", "", "'; drop", 42, null, { $ne: 1 }])("ignores the referral code %j", async (ref) => {
    const userID = `with ${JSON.stringify(ref)}`;
    const profile = await register(db.table, { userID, names: [], ref }, now);
    expect(profile.referredBy).toBeUndefined();
    expect(await readProfile(db.table, userID)).toEqual(expect.objectContaining(profile));
  });

  it("lists a user's newest 100 referrals, newest first", async () => {
    const { refID } = await register(db.table, user("famous"), now);
    const fans = Array.from({ length: 104 }, (_, hour) => ({ username: `fan ${hour}`, hour }));
    const [first, ...others] = fans.toReversed();
    await putItems(
      db.table,
      others.map(({ username, hour }) => {
        const joinedAt = hoursLater(hour);
        return { ...referralKey("famous", joinedAt, username), username, joinedAt: joinedAt.toISOString() };
      }),
    );
    await register(db.table, user(first?.username ?? "", refID), hoursLater(first?.hour ?? 0));
    const { profile, referrals } = await readProfileWithReferrals(db.table, "famous");
    expect(profile.usersReferred).toBe(1);
    expect(referrals.map(({ username }) => username)).toEqual(
      Array.from({ length: 100 }, (_, index) => `fan ${103 - index}`),
    );
    expect(referrals[0]?.joinedAt).toBe(hoursLater(103).toISOString());
  });
});
