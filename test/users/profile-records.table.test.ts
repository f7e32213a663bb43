import { expect, it } from "vitest";
import { write } from "../../lib/table/write.ts";
import { profileKey } from "../../lib/users/item-keys.ts";
import { newProfile } from "../../lib/users/profile.ts";
import { changeProfile, createProfile, readProfile } from "../../lib/users/profile-records.ts";
import { userIDOfReferralCode } from "../../lib/users/referral-records.ts";
import { register } from "../../lib/users/register.ts";
import { tableForTests } from "../support/dynamodb.ts";

const db = tableForTests();

it("waits with a profile change for transactions on the profile, such as imports", async () => {
  const profile = await register(db.table, { userID: "alice", names: [], ref: undefined }, new Date());
  const countWallet = { kind: "change", key: profileKey("alice"), add: { walletCount: 1 } } as const;
  for (let round = 0; round < 20; round++) {
    const { username } = (await readProfile(db.table, "alice")) ?? profile;
    const [, changed] = await Promise.all([
      write(db.table, [countWallet]),
      changeProfile(db.table, { ...profile, username }, { username: `name ${round}` }),
    ]);
    expect(changed).toBe(true);
  }
  expect(await readProfile(db.table, "alice")).toMatchObject({ username: "name 19", walletCount: 20 });
});

it("creates no profile whose referral code another user has", async () => {
  const sharing = (userID: string) =>
    newProfile({ _id: userID, userID, username: userID, refID: "TAKEN234", now: new Date() });
  expect(await createProfile(db.table, sharing("first"), undefined)).toBe(true);
  expect(await createProfile(db.table, sharing("second"), undefined)).toBe(false);
  expect(await readProfile(db.table, "second")).toBeUndefined();
  expect(await userIDOfReferralCode(db.table, "TAKEN234")).toBe("first");
});
