import { type Experience, noExperience, xpAt } from "./experience.ts";
import { levelAt, xpToNextLevel } from "./level.ts";
import { type Chain, type SettingsPatch, settingsInForce } from "./settings.ts";
import type { Tier } from "./tier.ts";

/** A user as kept in the table. Times are ISO 8601. */
export type Profile = {
  _id: string;
  userID: string;
  username: string;
  tier: Tier;
  /** What an Enterprise customer's own plan allows. */
  requestsPerMinute?: number;
  refID: string;
  /** The username of who brought this user, where somebody did. */
  referredBy?: string;
  usersReferred: number;
  experience: Experience;
  points: number;
  walletCount: number;
  tradeStreakCount: number;
  xpMultiplier: number;
  ranked: boolean;
  viewedMessage: boolean;
  createdAt: string;
  lastVisited: string;
};

/** Somebody whom a user brought. */
export type Referral = { username: string; joinedAt: string };

/** A user at first sight. */
export function newProfile(user: {
  _id: string;
  userID: string;
  username: string;
  refID: string;
  now: Date;
}): Profile {
  const { now, ...identity } = user;
  return {
    ...identity,
    tier: "Base",
    usersReferred: 0,
    experience: noExperience(now),
    points: 0,
    walletCount: 0,
    tradeStreakCount: 0,
    xpMultiplier: 1,
    ranked: false,
    viewedMessage: false,
    createdAt: now.toISOString(),
    lastVisited: now.toISOString(),
  };
}

/**
 * The name a user goes by: the first candidate that is fit to be shown to others, else one made of the referral code. An
 * email address is not fit.
 */
export function usernameOf(candidates: readonly unknown[], refID: string): string {
  return candidates.find(isUsername) ?? `trader-${refID.toLowerCase()}`;
}

/** Whether a name is fit to be shown to others. */
export function isUsername(candidate: unknown): candidate is string {
  return (
    typeof candidate === "string" && /^[^\p{C}@]{1,64}$/u.test(candidate) && candidate.trim() === candidate
  );
}

/** Profile data as the specification shows it. */
export function profileData(profile: Profile, settings: Partial<Record<Chain, SettingsPatch>>, now: Date) {
  const { slippage, priorityFee } = settingsInForce("sol", settings.sol);
  return {
    _id: profile._id,
    userID: profile.userID,
    username: profile.username,
    tier: profile.tier,
    Level: levelAt(profile.experience.total),
    refID: profile.refID,
    Xp: xpAt(profile.experience, now),
    usersReferred: profile.usersReferred,
    xpRemainingForNextLevel: xpToNextLevel(profile.experience.total),
    tradeStreakCount: profile.tradeStreakCount,
    xpMultiplier: profile.xpMultiplier,
    Ranked: profile.ranked,
    viewedMessage: profile.viewedMessage,
    lastVisited: profile.lastVisited,
    tradingSettings: {
      ethereum: settingsInForce("eth", settings.eth),
      solana: { slippage, priorityFee },
      base: settingsInForce("base", settings.base),
    },
  };
}

/** Referral data; `referrals` come newest first. */
export function referralData(profile: Profile, referrals: Referral[]) {
  const { userID, username, refID, usersReferred, referredBy = null } = profile;
  return { userID, username, refID, usersReferred, referredBy, referrals };
}
