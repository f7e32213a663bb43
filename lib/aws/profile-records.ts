import { GetCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import type { Profile, Referral } from "../domain/profile.ts";
import type { Chain, SettingsPatch } from "../domain/settings.ts";
import { writeIf } from "./conditional-write.ts";
import { type Item, queryRange, type Table } from "./table.ts";
import {
  chainOf,
  isProfile,
  isReferral,
  profileKey,
  profileWithReferrals,
  profileWithSettings,
} from "./table-keys.ts";

/** A profile stands before at most three settings in its partition. */
const itemsBeforeReferrals = 4;

export async function readProfile(table: Table, userID: string): Promise<Profile | undefined> {
  const { Item } = await table.client.send(
    new GetCommand({ TableName: table.name, Key: profileKey(userID), ConsistentRead: true }),
  );
  return Item as Profile | undefined;
}

/** The profile of a user whom the authorizer has let in. */
export async function readOwnProfile(table: Table, userID: string): Promise<Profile> {
  return existing(await readProfile(table, userID));
}

/** The profile with the settings of each chain that has any. */
export async function readProfileWithSettings(table: Table, userID: string) {
  const items = await queryRange<Profile & SettingsPatch>(table, profileWithSettings(userID));
  const settings: Partial<Record<Chain, SettingsPatch>> = {};
  for (const item of items) {
    const chain = chainOf(item);
    if (chain !== undefined) settings[chain] = item;
  }
  return { profile: profileIn(items), settings };
}

/** The profile with the newest 100 referrals. */
export async function readProfileWithReferrals(table: Table, userID: string) {
  const range = profileWithReferrals(userID);
  const items = await queryRange<Profile & Referral>(table, range, { limit: itemsBeforeReferrals + 100 });
  const referrals: Referral[] = items.filter(isReferral).slice(0, 100);
  return { profile: profileIn(items), referrals };
}

/** Notes that the user was here. A profile that has gone meanwhile is not made anew. */
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

/** Attributes of a profile with the values that they shall have; undefined is for one that it shall not have. */
export type ProfileChanges = { [Name in keyof Profile]?: Profile[Name] | undefined };

/**
 * Sets and removes attributes of a profile, all of them or none.
 *
 * @param read the profile that the changes were made for.
 * @returns false, and changes nothing, when one of these attributes is no longer what was read.
 */
export async function changeProfile(table: Table, read: Profile, changes: ProfileChanges): Promise<boolean> {
  const names = Object.keys(changes) as (keyof Profile)[];
  const [removed, set] = [true, false].map((gone) =>
    names.filter((name) => (changes[name] === undefined) === gone),
  ) as [typeof names, typeof names];
  const values = names.flatMap((name) => [
    [`:new_${name}`, changes[name]],
    [`:old_${name}`, read[name]],
  ]);
  return writeIf(
    table,
    new UpdateCommand({
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
    }),
  );
}

function profileIn(items: Item<Profile>[]): Profile {
  return existing(items.find(isProfile));
}

/** The authorizer makes the profile before any other function runs, so it can only be missing when it was deleted. */
function existing(profile: Profile | undefined): Profile {
  if (profile === undefined) throw new Error("The user has no profile");
  return profile;
}
