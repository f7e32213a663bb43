import type { PolicyKey } from "../orders/wallet-policy.ts";
import { itemAt, itemKey, type Key, type KeyRange, newestFirst, rangeOf } from "../table/keys.ts";

export const walletEventKey = (userID: string, walletId: string, time: Date, id: string): Key =>
  itemKey("walletEvent", { userID, walletId, newestFirst: newestFirst(time), id });

/** Covers the events of one wallet, newest first. */
export const walletEventsOf = (userID: string, walletId: string): KeyRange =>
  rangeOf("walletEvent", { userID, walletId });

export const exportKey = (userID: string, walletId: string): Key =>
  itemKey("exportRequest", { userID, walletId });

export const announcedExportKey = (userID: string, walletId: string): Key =>
  itemKey("announcedExport", { userID, walletId });

export const exportedKeyKey = (userID: string, walletId: string): Key =>
  itemKey("exportedKey", { userID, walletId });

export const isExportedKey = (key: Key): boolean => itemAt(key) === "exportedKey";

export const announcedDayKey = (userID: string, day: string): Key => itemKey("announcedDay", { userID, day });

/** Covers an announced unlocking, the count of announcements and all announced exports of a user. */
export const announcedTo = (userID: string): KeyRange =>
  rangeOf("announcedExport", { userID }, "announcedUnlocking");

export const unlockingKey = (userID: string): Key => itemKey("announcedUnlocking", { userID });

export const isUnlocking = (key: Key): boolean => itemAt(key) === "announcedUnlocking";

export const lockKey = (userID: string): Key => itemKey("exportLock", { userID });

export const isLock = (key: Key): boolean => itemAt(key) === "exportLock";

export const unlockRequestKey = (userID: string): Key => itemKey("unlockRequest", { userID });

export const shownPolicyKey = ({ userID, chain, wallet }: PolicyKey): Key =>
  itemKey("shownPolicy", { userID, chain, wallet });

export const shownPoliciesOf = (userID: string): KeyRange => rangeOf("shownPolicy", { userID });

export const isShownPolicy = (key: Key): boolean => itemAt(key) === "shownPolicy";

export const endedLockKey = (userID: string): Key => itemKey("endedLock", { userID });

export const isEndedLock = (key: Key): boolean => itemAt(key) === "endedLock";

export const looseningKey = (due: string, userID: string, guard: string): Key =>
  itemKey("loosening", { due, userID, guard });

/** Covers guards that become looser before a given time. */
export const looseningsUntil = (time: Date): KeyRange => ({
  ...rangeOf("loosening", {}),
  to: time.toISOString(),
});

export const isAnnouncedExport = (key: Key): boolean => itemAt(key) === "announcedExport";

/** True for items whose changes show that a guard becomes looser or that an export begins: operators must learn them. */
export const isGuardChange = (key: Key): boolean =>
  [isAnnouncedExport, isLock, isUnlocking, isShownPolicy, isEndedLock].some((isOne) => isOne(key));
