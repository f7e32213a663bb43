import { itemAt, itemKey, type Key } from "../table/keys.ts";

export const pricesKey: Key = itemKey("prices", {});

export const isPrices = (key: Key): boolean => itemAt(key) === "prices";
