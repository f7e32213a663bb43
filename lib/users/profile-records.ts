import { type Chain, chains } from "../core/network.ts";
import { getItems } from "../table/batch-get.ts";
import type { Write } from "../table/step.ts";
import { type Item, queryRange, readItem, type Table } from "../table/table.ts";
import { write } from "../table/write.ts";
import {
  chainOf,
  isProfile,
  isReferral,
  profileKey,
  profileWithReferrals,
  progressKey,
  referralCodeKey,
  settingsKey,
} from "./item-keys.ts";
import type { Profile, Referral, UserProgress } from "./profile.ts";
import { type PendingReferral, recordingReferral } from "./referral-records.ts";
import type { SettingsPatch } from "./settings.ts";

export async function readProfile(table: Table, userID: string): Promise<Profile | undefined> {
  return readItem<Profile>(table, profileKey(userID));
}

export async function readProgress(table: Table, userID: string): Promise<UserProgress | undefined> {
  return readItem<UserProgress>(table, progressKey(userID));
}

/** Reads the profile of a user whom the authorizer has admitted. */
export async function readOwnProfile(table: Table, userID: string): Promise<Profile> {
  return existing(await readProfile(table, userID));
}

/** Reads the profile, and the settings of each chain that the user has changed, in one call. */
export async function readProfileWithSettings(table: Table, userID: string) {
  const keys = [profileKey(userID), ...chains.map((chain) => settingsKey(userID, chain))];
  const items = await getItems<Profile & SettingsPatch>(table, keys);
  const settings: Partial<Record<Chain, SettingsPatch>> = {};
  for (const item of items) {
    const chain = chainOf(item);
    if (chain !== undefined) settings[chain] = item;
  }
  return { profile: profileIn(items), settings };
}

/** Reads the profile and the newest 100 referrals, newest first. */
export async function readProfileWithReferrals(table: Table, userID: string) {
  const range = profileWithReferrals(userID);
  // Reads one item more than the maximum number of referrals, because the profile comes first.
  const items = await queryRange<Profile & Referral>(table, range, { limit: 1 + 100 });
  const referrals: Referral[] = items.filter(isReferral);
  return { profile: profileIn(items), referrals };
}

/**
 * Writes a new profile with its referral code and pending referral in one transaction. All of these are new items, so
 * sign-ups never wait for each other.
 *
 * @returns false, without writing, if the profile or the code exists.
 */
export async function createProfile(
  table: Table,
  profile: Profile,
  referral: PendingReferral | undefined,
): Promise<boolean> {
  const { userID, refID } = profile;
  return write(table, [
    { kind: "put", key: profileKey(userID), item: profile, when: "absent" },
    { kind: "put", key: referralCodeKey(refID), item: { userID }, when: "absent" },
    ...(referral === undefined ? [] : [recordingReferral(referral)]),
  ]);
}

/** Records a visit. Fails if the profile has been deleted; otherwise the write would create a partial profile. */
export async function recordVisit(table: Table, userID: string, now: Date): Promise<void> {
  const set = { lastVisited: now.toISOString() };
  const isWritten = await write(table, { kind: "change", key: profileKey(userID), set, when: "present" });
  if (!isWritten) throw new Error("The user has no profile");
}

/** Checks that the fields that decide about the user's API key have not changed since the profile was read. */
export function unchangedSince(userID: string, read: Profile | undefined): Write {
  const key = profileKey(userID);
  if (read === undefined) return { kind: "check", key, when: "absent" };
  const { tier, walletCount, lastVisited } = read;
  return { kind: "check", key, when: { tier, walletCount, lastVisited } };
}

/** New values for attributes of a profile. `undefined` removes the attribute. */
export type ProfileChanges = { [Name in keyof Profile]?: Profile[Name] | undefined };

/**
 * Sets and removes attributes of a profile.
 *
 * @param read the profile that the changes are based on.
 * @returns false, without writing, if one of these attributes has changed since the profile was read.
 */
export async function changeProfile(table: Table, read: Profile, changes: ProfileChanges): Promise<boolean> {
  return write(table, profileChange(read, changes));
}

/**
 * Builds a write that sets and removes attributes of a profile. The write fails if one of them has changed since the
 * profile was read.
 */
export const profileChange = (read: Profile, changes: ProfileChanges) => {
  const names = Object.keys(changes) as (keyof Profile)[];
  const when = Object.fromEntries(names.map((name) => [name, read[name]]));
  return { kind: "change", key: profileKey(read.userID), set: changes, when } as const;
};

function profileIn(items: Item<Profile>[]): Profile {
  return existing(items.find(isProfile));
}

/**
 * Throws if the profile is missing. The authorizer creates the profile before any other function runs, so it must have
 * been deleted.
 */
function existing(profile: Profile | undefined): Profile {
  if (profile === undefined) throw new Error("The user has no profile");
  return profile;
}
