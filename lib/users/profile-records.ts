import { GetCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import type { Chain } from "../core/network.ts";
import { type Item, queryRange, type Table } from "../table/table.ts";
import {
  chainOf,
  isProfile,
  isReferral,
  profileKey,
  profileWithReferrals,
  profileWithSettings,
  referralCodeKey,
} from "../table/table-keys.ts";
import { afterConflicts, putNew, transact, type Writes, writeIf } from "../table/writes.ts";
import type { Profile, Referral } from "./profile.ts";
import { type PendingReferral, recordingReferral } from "./referral-records.ts";
import type { SettingsPatch } from "./settings.ts";

/** In a user's partition, the profile and at most three settings records come first. */
const itemsBeforeReferrals = 4;

export async function readProfile(table: Table, userID: string): Promise<Profile | undefined> {
  const { Item } = await table.client.send(
    new GetCommand({ TableName: table.name, Key: profileKey(userID), ConsistentRead: true }),
  );
  return Item as Profile | undefined;
}

/** The profile of a user whom the authorizer has admitted. */
export async function readOwnProfile(table: Table, userID: string): Promise<Profile> {
  return existing(await readProfile(table, userID));
}

/** The profile, and the settings of each chain that the user has changed. */
export async function readProfileWithSettings(table: Table, userID: string) {
  const items = await queryRange<Profile & SettingsPatch>(table, profileWithSettings(userID));
  const settings: Partial<Record<Chain, SettingsPatch>> = {};
  for (const item of items) {
    const chain = chainOf(item);
    if (chain !== undefined) settings[chain] = item;
  }
  return { profile: profileIn(items), settings };
}

/** The profile, and the newest 100 referrals, newest first. */
export async function readProfileWithReferrals(table: Table, userID: string) {
  const range = profileWithReferrals(userID);
  const items = await queryRange<Profile & Referral>(table, range, { limit: itemsBeforeReferrals + 100 });
  const referrals: Referral[] = items.filter(isReferral).slice(0, 100);
  return { profile: profileIn(items), referrals };
}

/**
 * Writes a new profile, its referral code, and the referral that the user came by, all or nothing. All of these are new
 * items, so sign-ups never wait for each other.
 *
 * @returns false, without writing, if the profile or the code exists.
 */
export async function createProfile(
  table: Table,
  profile: Profile,
  referral: PendingReferral | undefined,
): Promise<boolean> {
  const { userID, refID } = profile;
  return transact(table, [
    putNew(table, { ...profileKey(userID), ...profile }),
    putNew(table, { ...referralCodeKey(refID), userID }),
    ...(referral === undefined ? [] : [recordingReferral(table, referral)]),
  ]);
}

/** Records a visit. Fails for a profile that was deleted meanwhile, rather than writing a part of it again. */
export async function recordVisit(table: Table, userID: string, now: Date): Promise<void> {
  await table.client.send(
    new UpdateCommand({
      TableName: table.name,
      Key: profileKey(userID),
      UpdateExpression: "SET lastVisited = :now",
      ConditionExpression: "attribute_exists(PK)",
      ExpressionAttributeValues: { ":now": now.toISOString() },
    }),
  );
}

/** The condition that nothing has happened to a profile since it was read that decides about the user's key. */
export function unchangedSince(table: Table, userID: string, read: Profile | undefined): Writes[number] {
  const Key = profileKey(userID);
  if (read === undefined)
    return {
      ConditionCheck: { TableName: table.name, Key, ConditionExpression: "attribute_not_exists(PK)" },
    };
  const { tier, walletCount, lastVisited } = read;
  return {
    ConditionCheck: {
      TableName: table.name,
      Key,
      ConditionExpression: "tier = :tier AND walletCount = :wallets AND lastVisited = :visit",
      ExpressionAttributeValues: { ":tier": tier, ":wallets": walletCount, ":visit": lastVisited },
    },
  };
}

/** New values for attributes of a profile. `undefined` removes the attribute. */
export type ProfileChanges = { [Name in keyof Profile]?: Profile[Name] | undefined };

/**
 * Sets and removes attributes of a profile.
 *
 * @param read the profile that the changes are based on.
 * @returns false, without writing, if one of these attributes has changed since it was read.
 */
export async function changeProfile(table: Table, read: Profile, changes: ProfileChanges): Promise<boolean> {
  const update = new UpdateCommand(profileUpdate(table, read, changes));
  return afterConflicts(() => writeIf(table, update));
}

/** The same, as a write that fails if one of these attributes has changed. */
export function profileUpdate(table: Table, read: Profile, changes: ProfileChanges) {
  const names = Object.keys(changes) as (keyof Profile)[];
  const [removed, set] = [true, false].map((gone) =>
    names.filter((name) => (changes[name] === undefined) === gone),
  ) as [typeof names, typeof names];
  const values = names.flatMap((name) => [
    [`:new_${name}`, changes[name]],
    [`:old_${name}`, read[name]],
  ]);
  return {
    TableName: table.name,
    Key: profileKey(read.userID),
    UpdateExpression: [
      ...(set.length > 0 ? ["SET", set.map((name) => `#${name} = :new_${name}`).join(", ")] : []),
      ...(removed.length > 0 ? ["REMOVE", removed.map((name) => `#${name}`).join(", ")] : []),
    ].join(" "),
    ConditionExpression: names
      .map((name) =>
        read[name] === undefined ? `attribute_not_exists(#${name})` : `#${name} = :old_${name}`,
      )
      .join(" AND "),
    ExpressionAttributeNames: Object.fromEntries(names.map((name) => [`#${name}`, name])),
    ExpressionAttributeValues: Object.fromEntries(values.filter(([, value]) => value !== undefined)),
  };
}

function profileIn(items: Item<Profile>[]): Profile {
  return existing(items.find(isProfile));
}

/** The authorizer creates the profile before any other function runs, so it can only be missing if it was deleted. */
function existing(profile: Profile | undefined): Profile {
  if (profile === undefined) throw new Error("The user has no profile");
  return profile;
}
