import { changeProfile, type ProfileChanges } from "../aws/profile-records.ts";
import type { Table } from "../aws/table.ts";
import { withTotal } from "../domain/experience.ts";
import type { Profile } from "../domain/profile.ts";
import { type Change, changesBetween } from "./change.ts";
import { existingProfile } from "./existing-profile.ts";
import { OperatorError } from "./operator-error.ts";

/** What an operator may set of a user, `xp` in total; what is absent stays. */
export type UserValues = Partial<
  Pick<Profile, "tier" | "requestsPerMinute" | "points" | "username"> & { xp: number }
>;

/** The same, where undefined is for what the user shall no longer have. */
type Values = { [Name in keyof UserValues]: UserValues[Name] | undefined };

const attempts = 5;

/**
 * Sets values of a user, all of them or none. What else changes at the same time is kept.
 *
 * @returns what changed; nothing, when the user had these values already.
 * @throws {OperatorError} when there is no such user, the values do not go together, or something else changed them at
 * each attempt.
 */
export async function changeUser(
  table: Table,
  userID: string,
  wanted: UserValues,
  now: Date,
): Promise<Change[]> {
  for (let attempt = 1; attempt <= attempts; attempt++) {
    const profile = await existingProfile(table, userID);
    const values = withNumber(profile, wanted);
    const changes = changesBetween({ ...profile, xp: profile.experience.total }, values);
    if (changes.length === 0) return [];
    const attributes = Object.fromEntries(changes.map(({ field, to }) => [field, to])) as Values;
    if (await changeProfile(table, profile, asStored(profile, attributes, now))) return changes;
  }
  throw new OperatorError(`User ${userID} kept changing and was left as is; try again`);
}

/** A number of requests goes with the Enterprise tier: nobody comes to it without one, or leaves it with one. */
function withNumber(profile: Profile, wanted: UserValues): Values {
  const tier = wanted.tier ?? profile.tier;
  if (tier === "Enterprise") {
    if (wanted.tier === undefined || (wanted.requestsPerMinute ?? profile.requestsPerMinute) !== undefined)
      return wanted;
    throw new OperatorError(
      "An Enterprise customer has a number of requests of their own: give --requests-per-minute, such as " +
        "--requests-per-minute 20000",
    );
  }
  if (wanted.requestsPerMinute !== undefined)
    throw new OperatorError(`--requests-per-minute is for the Enterprise tier; ${tier} has its own number`);
  return wanted.tier === undefined ? wanted : { ...wanted, requestsPerMinute: undefined };
}

function asStored(profile: Profile, { xp, ...others }: Values, now: Date): ProfileChanges {
  return {
    // Whatever the number is, it was right for this tier.
    ...("requestsPerMinute" in others && { tier: profile.tier }),
    ...others,
    ...(xp !== undefined && { experience: withTotal(profile.experience, xp, now) }),
  };
}
