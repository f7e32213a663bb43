import { itemAt, itemKey, type Key, type KeyRange, rangeOf } from "../table/keys.ts";

export const deviceKey = (userID: string, deviceId: string): Key => itemKey("device", { userID, deviceId });

export const devicesOf = (userID: string): KeyRange => rangeOf("device", { userID });

export const isDevice = (key: Key): boolean => itemAt(key) === "device";

export const deviceAddressKey = (userID: string, deviceId: string): Key =>
  itemKey("deviceAddress", { userID, deviceId });

export const deviceCountKey = (userID: string): Key => itemKey("deviceCount", { userID });

export const isDeviceCount = (key: Key): boolean => itemAt(key) === "deviceCount";

export const pushKeyKey: Key = itemKey("pushKey", {});
