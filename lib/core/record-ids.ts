import { createHash } from "node:crypto";

/** Digits of Crockford's base 32. */
const digits = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const bitsPerDigit = 5n;
const mask = (1n << bitsPerDigit) - 1n;

const hashOf = (parts: readonly (string | number)[]) =>
  createHash("sha256").update(JSON.stringify(parts)).digest();

/** Encodes the time in milliseconds in the first 10 digits, like a ULID. */
const timeDigits = 10;
const length = 26;

const base32 = (value: bigint, count: number): string =>
  Array.from(
    { length: count },
    (_, index) => digits[Number((value >> (bitsPerDigit * BigInt(count - 1 - index))) & mask)],
  ).join("");

/** Makes the id of an order. Ids sort by time, and two simultaneous requests with one key get the same id. */
export function orderIdFor(userID: string, key: string, now: Date): string {
  const hash = hashOf(["placeOrder", userID, key]).toString("hex");
  return base32(BigInt(now.getTime()), timeDigits) + base32(BigInt(`0x${hash}`), length - timeDigits);
}

/** Hashes parts to an id. The first part names the kind of id, so ids of different kinds never collide. */
export const hashedId = (parts: readonly (string | number)[]): string =>
  [...hashOf(parts).subarray(0, length)].map((byte) => digits[byte % digits.length]).join("");

/** True if a text has the form of ids made by this service. */
export const isOwnId = (id: string): boolean => /^[\dA-Z]{26}$/.test(id);
