import * as v from "valibot";
import { type Tier, tierNames } from "../core/tier.ts";
import { isPublicName, publicNameRule } from "../users/profile.ts";
import { CountSchema, TimestampSchema } from "./scalars.ts";
import { ProfileSettingsSchema } from "./settings-schema.ts";

export const UserDataQuerySchema = v.object({
  type: v.pipe(
    v.optional(v.string()),
    v.description("`ref` for referral data. Any other value, or none, for profile data."),
    v.examples(["ref", "profile"]),
  ),
});

/** The part of the profile that trades change. */
export const progressEntries = {
  Level: v.pipe(v.number(), v.integer(), v.minValue(1)),
  Xp: v.object({ total: CountSchema, daily: CountSchema, weekly: CountSchema, monthly: CountSchema }),
  xpRemainingForNextLevel: CountSchema,
  tradeStreakCount: CountSchema,
  Ranked: v.boolean(),
};

export const ProfileDataSchema = v.pipe(
  v.object({
    _id: v.string(),
    userID: v.string(),
    username: v.string(),
    tier: v.picklist(tierNames as [Tier, ...Tier[]]),
    refID: v.string(),
    ...progressEntries,
    usersReferred: CountSchema,
    xpMultiplier: v.number(),
    viewedMessage: v.boolean(),
    lastVisited: TimestampSchema,
    tradingSettings: ProfileSettingsSchema,
  }),
  v.title("ProfileData"),
);

export const ReferralDataSchema = v.pipe(
  v.object({
    userID: v.string(),
    username: v.string(),
    refID: v.string(),
    usersReferred: CountSchema,
    referredBy: v.nullable(v.string()),
    referrals: v.array(v.object({ username: v.string(), joinedAt: TimestampSchema })),
  }),
  v.title("ReferralData"),
  v.description("`referrals` holds the newest 100, newest first."),
);

/** Tries the form of profile data first, because only it requires a tier. */
export const UserDataSchema = v.union([ProfileDataSchema, ReferralDataSchema]);

const PublicNameSchema = v.pipe(
  v.string(publicNameRule),
  v.check(isPublicName, publicNameRule),
  v.description("1 to 32 visible characters, including emoji. Names are not unique."),
);

export const UpdateProfileSchema = v.pipe(
  v.strictObject({
    publicName: v.optional(v.nullable(PublicNameSchema)),
    viewedMessage: v.optional(v.boolean()),
  }),
  v.forward(
    v.check(
      (changes) => Object.values(changes).some((value) => value !== undefined),
      "or viewedMessage is required",
    ),
    ["publicName"],
  ),
  v.title("UpdateProfile"),
  v.description("Only the fields to change. A `publicName` of `null` takes the user off the leaderboards."),
);

/** The fields that users may change themselves. */
export const OwnProfileSchema = v.pipe(
  v.object({ publicName: v.nullable(v.string()), viewedMessage: v.boolean() }),
  v.title("OwnProfile"),
);

/** Requires an empty JSON object, which a form on another site cannot send. */
export const StartSessionSchema = v.pipe(v.strictObject({}), v.title("StartSession"));
