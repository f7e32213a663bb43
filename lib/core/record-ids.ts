import { createHash } from "node:crypto";

/** Of Crockford's base 32. */
const digits = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const bitsPerDigit = 5n;
const mask = (1n << bitsPerDigit) - 1n;

const hashOf = (parts: readonly (string | number)[]) =>
  createHash("sha256").update(JSON.stringify(parts)).digest();

/** As with a ULID, 10 of the digits are the time in milliseconds. */
const timeDigits = 10;
const length = 26;

const base32 = (value: bigint, count: number): string =>
  Array.from(
    { length: count },
    (_, index) => digits[Number((value >> (bitsPerDigit * BigInt(count - 1 - index))) & mask)],
  ).join("");

/** Ids of orders sort by time. They follow from user and key, so two requests at once have one id. */
export function orderIdFor(userID: string, key: string, now: Date): string {
  const hash = hashOf(["placeOrder", userID, key]).toString("hex");
  return base32(BigInt(now.getTime()), timeDigits) + base32(BigInt(`0x${hash}`), length - timeDigits);
}

/** The same for the same parts. Names of kinds of ids keep their parts apart. */
export const hashedId = (parts: readonly (string | number)[]): string =>
  [...hashOf(parts).subarray(0, length)].map((byte) => digits[byte % digits.length]).join("");

/** Whether an id has the form of those that are made here. */
export const isOwnId = (id: string): boolean => /^[\dA-Z]{26}$/.test(id);
