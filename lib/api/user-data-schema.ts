import * as v from "valibot";
import { type Tier, tierNames } from "../domain/tier.ts";
import { Count, Timestamp } from "./scalars.ts";
import { ProfileSettings } from "./settings-schema.ts";

export const UserDataQuery = v.object({
  type: v.pipe(
    v.optional(v.string()),
    v.description("`ref` for referral data; anything else, or nothing, for profile data"),
    v.examples(["ref", "profile"]),
  ),
});

export const ProfileData = v.pipe(
  v.object({
    _id: v.string(),
    userID: v.string(),
    username: v.string(),
    tier: v.picklist(tierNames as [Tier, ...Tier[]]),
    Level: v.pipe(v.number(), v.integer(), v.minValue(1)),
    refID: v.string(),
    Xp: v.object({ total: Count, daily: Count, weekly: Count, monthly: Count }),
    usersReferred: Count,
    xpRemainingForNextLevel: Count,
    tradeStreakCount: Count,
    xpMultiplier: v.number(),
    Ranked: v.boolean(),
    viewedMessage: v.boolean(),
    lastVisited: Timestamp,
    tradingSettings: ProfileSettings,
  }),
  v.title("ProfileData"),
);

export const ReferralData = v.pipe(
  v.object({
    userID: v.string(),
    username: v.string(),
    refID: v.string(),
    usersReferred: Count,
    referredBy: v.nullable(v.string()),
    referrals: v.array(v.object({ username: v.string(), joinedAt: Timestamp })),
  }),
  v.title("ReferralData"),
  v.description("`referrals` are the newest 100."),
);

/** Profile data is tried first: only it has a tier. */
export const UserData = v.union([ProfileData, ReferralData]);
