import type { Families, Family } from "../../chains/families/family.ts";
import type { Book } from "../../orders/book.ts";
import type { BookEvent } from "../../orders/holding.ts";
import type { Items, Kind, Names } from "../../orders/table-step.ts";
import type { TradeOrder } from "../../orders/trade-order.ts";
import { earnedKey } from "../../rewards/item-keys.ts";
import type { Key } from "../../table/keys.ts";
import { type Item, withoutKey } from "../../table/table.ts";
import { walletKey } from "../../table/wallet-keys.ts";
import {
  automaticBuyKey,
  bookKey,
  cancellationKey,
  cutoffKey,
  dayKey,
  endedKey,
  executionKey,
  heldTokenKey,
  jobKey,
  keyDayKey,
  ledgerKey,
  policyKey,
  presetKey,
  programKeyKey,
  restingKey,
  restingTurnKey,
  signedBytesKey,
  slotKey,
  tallyKey,
  tradeKey,
  triggerKey,
  usedKeyKey,
} from "./keys.ts";

/**
 * Builds the key of each kind of item, except lanes, because a lane's key contains its shard. The item with an order's
 * key leads to everything known about the order; clients see a different item.
 */
export const keysOfItems: { readonly [K in Exclude<Kind, "lane">]: (name: Names[K]) => Key } = {
  job: (job) => jobKey(job, job.orderId),
  slot: (slot) => slotKey(slot, slot.place),
  order: ({ intent }) => tradeKey(intent.userID, intent.orderId),
  ledger: ({ orderId }) => ledgerKey(orderId),
  bytes: signedBytesKey,
  cancellation: cancellationKey,
  cutoff: cutoffKey,
  key: ({ userID, key }) => usedKeyKey(userID, "placeOrder", key),
  book: bookKey,
  held: heldTokenKey,
  position: ({ userID, positionId }) => executionKey(userID, "position", positionId),
  wallet: ({ userID, chain, wallet }) => walletKey(userID, chain, wallet),
  policy: policyKey,
  preset: presetKey,
  automaticBuy: automaticBuyKey,
  restingTurn: restingTurnKey,
  day: dayKey,
  programKey: programKeyKey,
  keyDay: ({ wallet: keyId, ...name }) => keyDayKey({ ...name, keyId }),
  tally: ({ orderId }) => tallyKey(orderId),
  ended: ({ orderId }) => endedKey(orderId),
  resting: ({ mandate }) => restingKey(mandate),
  trigger: triggerKey,
  rested: ({ mandate }) => tradeKey(mandate.userID, mandate.orderId),
  earned: ({ userID, at, orderId }) => earnedKey(userID, at, orderId),
};

/** Name of the only field in a map that encodes a bigint. */
const tag = "bigint";

/**
 * Encodes a value for storage. A bigint becomes a map with its digits as text, because DynamoDB's numbers have up to 38
 * digits and token units up to 78. No text from a user can be mistaken for such a map.
 */
export function packed(value: unknown): unknown {
  if (typeof value === "bigint") return { [tag]: String(value) };
  return mapped(value, packed);
}

/**
 * Decodes a stored value.
 *
 * @throws {SyntaxError} if it has a form that {@link packed} never writes, for example a set.
 */
export function unpacked(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return mapped(value, unpacked);
  if (![Object.prototype, null].includes(Object.getPrototypeOf(value)))
    throw new SyntaxError("A stored value has an unsupported type");
  if (!(tag in value)) return mapped(value, unpacked);
  const digits = value[tag];
  if (typeof digits !== "string" || !wholeNumber.test(digits) || Object.keys(value).length > 1)
    throw new SyntaxError("A stored amount is not a whole number");
  return BigInt(digits);
}

/** Matches the canonical digits of amounts, which have at most 256 bits, and of exact prices. */
const wholeNumber = /^(?:0|-?[1-9]\d{0,98})$/;

function mapped(value: unknown, map: (part: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map(map);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, map(part)]));
}

/** An order on a chain of any family. */
export type StoredOrder = { [F in Family]: TradeOrder<Families[F]> }[Family];

/** Schemas of the items in the table. */
export type StoredItems = Omit<Items, "order"> & { order: StoredOrder };

/** Decodes a stored item for the core. */
export function contentOf<K extends Exclude<Kind, "wallet">>(kind: K, item: Item<object>): StoredItems[K] {
  const content = unpacked(withoutKey(item)) as StoredItems[K];
  return kind === "book" ? (withPlaces(content as Book) as StoredItems[K]) : content;
}

/** Reads books written by earlier versions, in which the places of events are called nonces. */
const withPlaces = (book: Book): Book => ({
  ...book,
  events: (book.events as readonly (BookEvent & { nonce?: number })[]).map(({ nonce, ...event }) => ({
    ...event,
    place: event.place ?? nonce,
  })),
});
