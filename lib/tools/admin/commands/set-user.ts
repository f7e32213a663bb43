import { type Command, InvalidArgumentError, Option } from "commander";
import { tierNames } from "../../../core/tier.ts";
import { maxRequestsPerMinute } from "../../../plans/plan.ts";
import { maxPoints } from "../../../rewards/points.ts";
import { listedChange, listedPointsChange } from "../../../rewards/standing-records.ts";
import { retry } from "../../../table/retry.ts";
import type { Table } from "../../../table/table.ts";
import { singleOf, write } from "../../../table/write.ts";
import { withTotal } from "../../../users/experience.ts";
import { isUsername, type Profile } from "../../../users/profile.ts";
import { type ProfileChanges, readProfile } from "../../../users/profile-records.ts";
import { OperatorError } from "../operator-error.ts";
import { integer, targeted } from "../options.ts";
import type { AdminDeps, TargetOptions } from "../target.ts";
import { print } from "../terminal.ts";

/** Values to set. `xp` is the total. Absent values stay unchanged. */
type UserValues = Partial<
  Pick<Profile, "tier" | "requestsPerMinute" | "points" | "xpMultiplier" | "username"> & { xp: number }
>;

/** Values to set. A value of `undefined` removes the stored one. */
type Values = { [Name in keyof UserValues]: UserValues[Name] | undefined };

export type Change = { field: string; from: unknown; to: unknown };

export function setUser(program: Command, deps: AdminDeps): void {
  targeted(
    program
      .command("set-user <id>")
      .description(
        "Change a user. The id is the `sub` claim of the user's token. Lowering the tier removes no wallets.",
      )
      .addOption(new Option("--tier <tier>", "the subscription tier").choices(tierNames))
      .option(
        "--requests-per-minute <number>",
        "the rate limit of an Enterprise customer; other tiers have fixed limits",
        integer(1, maxRequestsPerMinute),
      )
      .option("--points <number>", "the points that the user can spend", integer(0, maxPoints))
      .option(
        "--xp <number>",
        "the total XP; a gain also counts for today, this week and this month",
        integer(0, Number.MAX_SAFE_INTEGER),
      )
      .option("--xp-multiplier <number>", "by what the XP of the user's trades are multiplied", multiplier)
      .option("--username <name>", "the username; existing lists of referrals keep the old one", username),
  ).action(async (userID: string, options: TargetOptions & UserValues, command: Command) => {
    const { local: _, stack: __, ...wanted } = options;
    if (Object.keys(wanted).length === 0) {
      command.error(
        "error: nothing to change: give --tier, --requests-per-minute, --points, --xp, --xp-multiplier or --username",
      );
    }
    const { table } = await deps.openTarget(options);
    const changes = await changeUser(table, userID, wanted, deps.now());
    for (const change of changes) print(deps.stdout, changeLine(change));
    if (changes.length === 0) print(deps.stdout, `Nothing changed: ${userID} already has these values`);
  });
}

function multiplier(text: string): number {
  if (/^\d{1,3}(\.\d{1,2})?$/.test(text) && Number(text) <= 100) return Number(text);
  throw new InvalidArgumentError("It must be a number from 0 to 100 with at most 2 decimal places.");
}

function username(text: string): string {
  if (isUsername(text)) return text;
  throw new InvalidArgumentError("It must be 1 to 64 characters, without @ and without spaces around it.");
}

const attempts = 5;

/**
 * Sets values of a user, either all or none. Concurrent changes of other values are kept.
 *
 * @returns the changes; empty if the user already had these values.
 * @throws {OperatorError} if the user does not exist, the values contradict each other, or other writers changed them
 * during each attempt.
 */
export async function changeUser(
  table: Table,
  userID: string,
  wanted: UserValues,
  now: Date,
): Promise<Change[]> {
  const made = await retry(
    async () => {
      const profile = await existingProfile(table, userID);
      const values = withRateLimit(profile, wanted);
      const changes = changesBetween({ ...profile, xp: profile.experience.total }, values);
      if (changes.length === 0) return [];
      const attributes = Object.fromEntries(changes.map(({ field, to }) => [field, to])) as Values;
      const isSaved = await save(table, profile, asStored(profile, attributes, now), now);
      return isSaved ? changes : undefined;
    },
    { attempts },
  );
  if (made === undefined)
    throw new OperatorError(`User ${userID} kept changing, and nothing was set; try again`);
  return made;
}

/** Changes a user's profile and standings, and adds a change of points to the ledger. */
async function save(table: Table, profile: Profile, changes: ProfileChanges, now: Date): Promise<boolean> {
  const { points, ...also } = changes;
  if (points === undefined) return write(table, singleOf(listedChange(profile, changes, now)));
  const change = { reason: "set", change: points - profile.points } as const;
  return write(table, await listedPointsChange(table, profile, change, { now, also }));
}

/** @throws {OperatorError} if the user does not exist, or was deleted. */
export async function existingProfile(table: Table, userID: string): Promise<Profile> {
  const profile = await readProfile(table, userID);
  if (profile === undefined) {
    throw new OperatorError(`There is no user ${userID}; users are created when they first sign in`);
  }
  if (profile.deletedAt !== undefined)
    throw new OperatorError(`User ${userID} was deleted at ${profile.deletedAt}`);
  return profile;
}

/** Every Enterprise user needs a rate limit, and nobody else may have one. */
function withRateLimit(profile: Profile, wanted: UserValues): Values {
  const tier = wanted.tier ?? profile.tier;
  if (tier === "Enterprise") {
    if (wanted.tier === undefined || (wanted.requestsPerMinute ?? profile.requestsPerMinute) !== undefined)
      return wanted;
    throw new OperatorError(
      "An Enterprise customer needs a rate limit: give --requests-per-minute, such as --requests-per-minute 20000",
    );
  }
  if (wanted.requestsPerMinute !== undefined)
    throw new OperatorError(
      `--requests-per-minute is for the Enterprise tier; the limit of ${tier} is fixed`,
    );
  return wanted.tier === undefined ? wanted : { ...wanted, requestsPerMinute: undefined };
}

function asStored(profile: Profile, { xp, ...others }: Values, now: Date): ProfileChanges {
  return {
    // Fails if the tier has changed, because the rate limit was checked against the old one.
    ...("requestsPerMinute" in others && { tier: profile.tier }),
    ...others,
    ...(xp !== undefined && { experience: withTotal(profile.experience, xp, now) }),
  };
}

/** Lists the fields of `after` that differ from `before`, in the order of `after`. All values are scalars. */
export function changesBetween(before: object, after: object): Change[] {
  const old = new Map(Object.entries(before));
  return Object.entries(after)
    .map(([field, to]) => ({ field, from: old.get(field), to }))
    .filter(({ from, to }) => from !== to);
}

/** Describes a change, for example `tier: Base -> Pro`. */
export function changeLine({ field, from = "none", to = "none" }: Change): string {
  return `${field}: ${from} -> ${to}`;
}
