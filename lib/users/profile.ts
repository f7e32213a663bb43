import type { Chain } from "../core/network.ts";
import type { Tier } from "../core/tier.ts";
import { epochSeconds } from "../core/time.ts";
import { isVisibleText } from "../core/visible-text.ts";
import type { Earnings } from "./earnings.ts";
import { type Experience, noExperience, xpAt } from "./experience.ts";
import { levelAt, xpToNextLevel } from "./level.ts";
import { type SettingsPatch, settingsInForce } from "./settings.ts";
import { streakAt } from "./streak.ts";

/** A user. Times are ISO 8601. */
export type Profile = {
  _id: string;
  userID: string;
  username: string;
  tier: Tier;
  /** Limit of an Enterprise customer's own plan, in requests per minute. */
  requestsPerMinute?: number;
  refID: string;
  /** Name of the user who referred this user. */
  referredBy?: string;
  /** Id of that user, which others never see. Absent for users from before trades earned anything. */
  referrerId?: string;
  usersReferred: number;
  experience: Experience;
  points: number;
  /** Time of the last change of the points. */
  pointsChangedAt?: string;
  /** Number of wallets that are not retired. */
  walletCount: number;
  /** Highest slot of the user's wallets so far. See {@link Places}. */
  lastSlot: number;
  xpMultiplier: number;
  ranked: boolean;
  /** Name on the leaderboard. Absent unless the user wants to be listed there. */
  publicName?: string;
  earnings?: Earnings;
  viewedMessage: boolean;
  createdAt: string;
  lastVisited: string;
  /** Time when an operator blocked the user. */
  blockedAt?: string;
  /** Name in place of the userID in what stays of a user whom an operator deletes. */
  pseudonym?: string;
  /** Time when an operator began to delete the user, if the user was not blocked then. */
  deletingSince?: string;
  /** Time when the user was deleted. What is left of the profile keeps old tokens out. */
  deletedAt?: string;
  /** Time when the table may remove what is left of the profile, in epoch seconds. */
  expiresAt?: number;
};

/** A user whom another user referred. */
export type Referral = { username: string; joinedAt: string };

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
    lastSlot: 0,
    xpMultiplier: 1,
    ranked: false,
    viewedMessage: false,
    createdAt: now.toISOString(),
    lastVisited: now.toISOString(),
  };
}

/**
 * Returns the first candidate that other users may see, or else a name made from the referral code. Email addresses
 * must stay private.
 */
export function usernameOf(candidates: readonly unknown[], refID: string): string {
  return candidates.find(isUsername) ?? generatedName(refID);
}

/**
 * If the user's name is generated, returns a better one from the candidates, or undefined if there is none. The user's
 * first token may have contained no name, like Cognito's access tokens.
 */
export function betterUsername(
  { username, refID }: Pick<Profile, "username" | "refID">,
  candidates: readonly unknown[],
): string | undefined {
  if (username !== generatedName(refID)) return undefined;
  return candidates.find((name) => isUsername(name) && name !== username) as string | undefined;
}

/** Builds what is left of a deleted user's profile, which refuses tokens that were issued before. */
export const remainsOf = (
  { userID, pseudonym }: { userID: string; pseudonym: string },
  now: Date,
): Profile & Required<Pick<Profile, "pseudonym" | "deletedAt" | "expiresAt">> => ({
  ...newProfile({ _id: pseudonym, userID, username: deletedName, refID: "", now }),
  blockedAt: now.toISOString(),
  deletedAt: now.toISOString(),
  pseudonym,
  expiresAt: epochSeconds(now) + remainsSeconds,
});

/** Name of deleted users in the lists of others. */
export const deletedName = "deleted user";

/** Lifetime of what is left of a profile, longer than that of tokens and of the table's backups. */
const remainsSeconds = 40 * 86_400;

const generatedName = (refID: string): string => `trader-${refID.toLowerCase()}`;

/** True if other users may see the name. */
export function isUsername(candidate: unknown): candidate is string {
  return (
    typeof candidate === "string" && /^[^\p{C}@]{1,64}$/u.test(candidate) && candidate.trim() === candidate
  );
}

export const publicNameRule =
  "must be 1 to 32 visible characters, at most three marks on each, without @ and without spaces around it";

/** Marks that have nothing to stand on, or that would cover the lines around the name. */
const heapedMarks = /^\p{M}|\p{M}{4}/u;

/** True if a user may be listed under the name. */
export const isPublicName = (name: string): boolean =>
  /^[^@]{1,32}$/u.test(name) && name.trim() === name && isVisibleText(name) && !heapedMarks.test(name);

/** Builds the part of the profile that trades change. */
const earnedBy = (profile: Profile, now: Date) => ({
  Level: levelAt(profile.experience.total),
  Xp: xpAt(profile.experience, now),
  xpRemainingForNextLevel: xpToNextLevel(profile.experience.total),
  tradeStreakCount: streakAt(profile.earnings?.streak, now),
  Ranked: profile.ranked,
});

/** What connections are told about a user after a credit. */
export type UserProgress = ReturnType<typeof progressOf>;

/** Builds what connections are told. The time serves as version, because announced credits are a minute apart. */
export const progressOf = (profile: Profile, now: Date) => ({
  userID: profile.userID,
  ...earnedBy(profile, now),
  points: profile.points,
  version: now.getTime(),
});

/** Builds the profile as `getUserData` returns it. */
export function profileData(profile: Profile, settings: Partial<Record<Chain, SettingsPatch>>, now: Date) {
  const { slippage, priorityFee } = settingsInForce("sol", settings.sol);
  return {
    _id: profile._id,
    userID: profile.userID,
    username: profile.username,
    tier: profile.tier,
    refID: profile.refID,
    ...earnedBy(profile, now),
    usersReferred: profile.usersReferred,
    xpMultiplier: profile.xpMultiplier,
    viewedMessage: profile.viewedMessage,
    lastVisited: profile.lastVisited,
    tradingSettings: {
      ethereum: settingsInForce("eth", settings.eth),
      solana: { slippage, priorityFee },
      base: settingsInForce("base", settings.base),
    },
  };
}

/** Builds the referral data of `getUserData`. `referrals` must be in the order newest first. */
export function referralData(profile: Profile, referrals: Referral[]) {
  const { userID, username, refID, usersReferred, referredBy = null } = profile;
  return { userID, username, refID, usersReferred, referredBy, referrals };
}
