import { itemKey, type Key, type KeyRange, rangeOf, sortKeysOf } from "../table/keys.ts";

export const userKeyRecordKey = (userID: string): Key => itemKey("userKey", { userID });

export const everyUserKeyRecord = sortKeysOf("userKey");

export const retiredKeyKey = (due: Date, name: string): Key =>
  itemKey("retiredKey", { due: due.toISOString(), name });

/** The retired keys that may be deleted at that time. Without a time, all of them. */
export const retiredKeysDue = (time?: Date): KeyRange => ({
  ...rangeOf("retiredKey", {}),
  ...(time && { to: time.toISOString() }),
});
