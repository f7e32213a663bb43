import type { Chain } from "../core/network.ts";
import { itemAt, itemKey, type Key, type KeyRange, newestFirst, rangeOf, sortKeysOf } from "../table/keys.ts";

export const profileKey = (userID: string): Key => itemKey("profile", { userID });

export const progressKey = (userID: string): Key => itemKey("progress", { userID });

/** Covers the profile, then the referrals, newest first. */
export const profileWithReferrals = (userID: string): KeyRange => rangeOf("profile", { userID }, "referral");

export const everyProfile = sortKeysOf("profile");

export const isProfile = (key: Key): boolean => itemAt(key) === "profile";

export const isProgress = (key: Key): boolean => itemAt(key) === "progress";

export const settingsKey = (userID: string, chain: Chain): Key => itemKey("settings", { userID, chain });

/** Covers the settings of every chain. */
export const settingsOf = (userID: string): KeyRange => rangeOf("settings", { userID });

/** Returns the chain of a settings item, or undefined for any other item. */
export const chainOf = (key: Key): Chain | undefined =>
  itemAt(key) === "settings" ? (key.SK.slice(sortKeysOf("settings").from.length) as Chain) : undefined;

export const referralKey = (referrerId: string, joinedAt: Date, referredId: string): Key =>
  itemKey("referral", { userID: referrerId, newestFirst: newestFirst(joinedAt), referredId });

export const isReferral = (key: Key): boolean => itemAt(key) === "referral";

export const pendingReferralKey = (joinedAt: string, userID: string): Key =>
  itemKey("pendingReferral", { joinedAt, userID });

export const everyPendingReferral: KeyRange = rangeOf("pendingReferral", {});

export const referralCodeKey = (code: string): Key => itemKey("referralCode", { code });
