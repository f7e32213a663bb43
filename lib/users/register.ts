import { randomUUID } from "node:crypto";
import { retry } from "../table/retry.ts";
import type { Table } from "../table/table.ts";
import { newProfile, type Profile, usernameOf } from "./profile.ts";
import { createProfile, readProfile } from "./profile-records.ts";
import { newReferralCode, readReferralCode } from "./referral-code.ts";
import { creditReferral, type PendingReferral, userIDOfReferralCode } from "./referral-records.ts";

/** A user as described by their token. */
export type SignedInUser = {
  userID: string;
  /** Candidates for the username, best first. */
  names: readonly unknown[];
  /** The referral code used at sign-up. */
  ref: unknown;
};

/**
 * Creates the profile of a new user once, with a referral code. Users cannot refer themselves, because a new user has
 * no code yet. Credits the owner of the code used at sign-up at once. If that fails, `creditReferrals` does it later.
 *
 * @param onFault receives the error of a failed credit. The user is registered even so.
 * @returns the profile, even if a concurrent call created it.
 */
export async function register(
  table: Table,
  user: SignedInUser,
  now: Date,
  onFault: (error: unknown) => void = () => {},
): Promise<Profile> {
  // Retries if a condition fails: either the profile exists or the new code is taken. The next read finds the profile,
  // or the next attempt makes another code.
  const registered = await retry(
    async () => {
      const referrer = await referrerOf(table, user.ref);
      const profile = profileOf(user, referrer, now);
      const referral = referrer && referralOf(referrer, profile);
      if (await createProfile(table, profile, referral)) {
        if (referral !== undefined) await creditReferral(table, referral, { attempts: 1 }).catch(onFault);
        return profile;
      }
      return readProfile(table, user.userID);
    },
    { attempts: 5 },
  );
  if (registered === undefined) throw new Error("The profile could not be created");
  return registered;
}

function profileOf(user: SignedInUser, referrer: Profile | undefined, now: Date): Profile {
  const refID = newReferralCode();
  const username = usernameOf(user.names, refID);
  const profile = newProfile({ _id: randomUUID(), userID: user.userID, username, refID, now });
  if (referrer === undefined) return profile;
  return { ...profile, referredBy: referrer.username, referrerId: referrer.userID };
}

const referralOf = (referrer: Profile, { userID, username, createdAt }: Profile): PendingReferral => ({
  referrerId: referrer.userID,
  userID,
  username,
  joinedAt: createdAt,
});

/** Finds the owner of a referral code. Ignores an unknown code, because a typo must not keep a user out. */
async function referrerOf(table: Table, ref: unknown): Promise<Profile | undefined> {
  const code = typeof ref === "string" ? readReferralCode(ref) : undefined;
  const userID = code && (await userIDOfReferralCode(table, code));
  return userID === undefined ? undefined : readProfile(table, userID);
}
