import { itemKey, type Key, type KeyRange, rangeOf, sortKeysOf } from "../table/keys.ts";

export const userKeyRecordKey = (userID: string): Key => itemKey("userKey", { userID });

export const everyUserKeyRecord = sortKeysOf("userKey");

export const retiredKeyKey = (due: Date, name: string): Key =>
  itemKey("retiredKey", { due: due.toISOString(), name });

export const fallbackKeysKey: Key = itemKey("fallbackKeys", {});

/** Covers the retired keys that may be deleted by the given time, or all retired keys if no time is given. */
export const retiredKeysDue = (time?: Date): KeyRange => ({
  ...rangeOf("retiredKey", {}),
  ...(time && { to: time.toISOString() }),
});
