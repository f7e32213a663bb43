import { createHash } from "node:crypto";

/** The digits of Crockford's base 32. */
const digits = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const bitsPerDigit = 5n;
const mask = (1n << bitsPerDigit) - 1n;

const hashOf = (parts: readonly (string | number)[]) =>
  createHash("sha256").update(JSON.stringify(parts)).digest();

/** Like a ULID, the first 10 digits encode the time in milliseconds. */
const timeDigits = 10;
const length = 26;

const base32 = (value: bigint, count: number): string =>
  Array.from(
    { length: count },
    (_, index) => digits[Number((value >> (bitsPerDigit * BigInt(count - 1 - index))) & mask)],
  ).join("");

/** Order ids sort by time. They follow from user and key, so two simultaneous requests get the same id. */
export function orderIdFor(userID: string, key: string, now: Date): string {
  const hash = hashOf(["placeOrder", userID, key]).toString("hex");
  return base32(BigInt(now.getTime()), timeDigits) + base32(BigInt(`0x${hash}`), length - timeDigits);
}

/** Hashes parts to an id. Different kinds of ids start with the name of their kind, so they never collide. */
export const hashedId = (parts: readonly (string | number)[]): string =>
  [...hashOf(parts).subarray(0, length)].map((byte) => digits[byte % digits.length]).join("");

/** True if an id has the form of ids made here. */
export const isOwnId = (id: string): boolean => /^[\dA-Z]{26}$/.test(id);
