import { itemAt, itemKey, type Key, type KeyRange, newestFirst, rangeOf } from "../table/keys.ts";

export const walletEventKey = (userID: string, walletId: string, time: Date, id: string): Key =>
  itemKey("walletEvent", { userID, walletId, newestFirst: newestFirst(time), id });

/** The events of one wallet, newest first. */
export const walletEventsOf = (userID: string, walletId: string): KeyRange =>
  rangeOf("walletEvent", { userID, walletId });

export const exportKey = (userID: string, walletId: string): Key =>
  itemKey("exportRequest", { userID, walletId });

export const announcedExportKey = (userID: string, walletId: string): Key =>
  itemKey("announcedExport", { userID, walletId });

export const announcedDayKey = (userID: string, day: string): Key => itemKey("announcedDay", { userID, day });

export const announcedExportsOf = (userID: string): KeyRange => rangeOf("announcedExport", { userID });

export const isAnnouncedExport = (key: Key): boolean => itemAt(key) === "announcedExport";
