import { changeProfile } from "../aws/profiles.ts";
import type { Table } from "../aws/table.ts";
import { withTotal } from "../domain/experience.ts";
import type { Profile } from "../domain/profile.ts";
import { type Change, changesBetween } from "./change.ts";
import { existingProfile } from "./existing-profile.ts";
import { OperatorError } from "./operator-error.ts";

/** What an operator may set of a user, `xp` in total; what is absent stays. */
export type UserValues = Partial<Pick<Profile, "tier" | "points" | "username"> & { xp: number }>;

const attempts = 5;

/**
 * Sets values of a user, all of them or none. What else changes at the same time is kept.
 *
 * @returns what changed; nothing, when the user had these values already.
 * @throws {OperatorError} when there is no such user, or something else changed these values at each attempt.
 */
export async function changeUser(
  table: Table,
  userID: string,
  wanted: UserValues,
  now: Date,
): Promise<Change[]> {
  for (let attempt = 1; attempt <= attempts; attempt++) {
    const profile = await existingProfile(table, userID);
    const changes = changesBetween({ ...profile, xp: profile.experience.total }, wanted);
    if (changes.length === 0) return [];
    const attributes = Object.fromEntries(changes.map(({ field, to }) => [field, to])) as UserValues;
    if (await changeProfile(table, profile, asStored(profile, attributes, now))) return changes;
  }
  throw new OperatorError(`User ${userID} kept changing and was left as is; try again`);
}

function asStored(profile: Profile, { xp, ...others }: UserValues, now: Date): Partial<Profile> {
  return xp === undefined ? others : { ...others, experience: withTotal(profile.experience, xp, now) };
}
