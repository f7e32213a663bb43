import { levelAt } from "../domain/level.ts";
import type { Profile } from "../domain/profile.ts";

/** The attributes that a summary is made of. */
export const summaryAttributes = [
  "userID",
  "username",
  "tier",
  "experience",
  "points",
  "walletCount",
  "usersReferred",
  "lastVisited",
] as const satisfies (keyof Profile)[];

export type Summarized = Pick<Profile, (typeof summaryAttributes)[number]>;

export type UserSummary = ReturnType<typeof summaryOf>;

/** A user in a list. */
export function summaryOf(profile: Summarized) {
  return {
    userID: profile.userID,
    username: profile.username,
    tier: profile.tier,
    level: levelAt(profile.experience.total),
    xp: profile.experience.total,
    points: profile.points,
    wallets: profile.walletCount,
    referred: profile.usersReferred,
    lastVisited: profile.lastVisited,
  };
}
