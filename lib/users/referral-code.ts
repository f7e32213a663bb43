import { randomInt } from "node:crypto";

/** Letters and digits without 0, O, 1, I and L, so that a code is understood when it is read aloud. */
const alphabet = "23456789ABCDEFGHJKMNPQRSTUVWXYZ";
const length = 8;

const pattern = new RegExp(`^[${alphabet}]{${length}}$`);

/** Generates a code of 8 characters. With 31 possible characters, there are 8.5e11 codes. */
export function newReferralCode(): string {
  return Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join("");
}

/** Finds the code in a user's input. Returns undefined if the input cannot be a code. */
export function readReferralCode(text: string): string | undefined {
  const code = text.trim().toUpperCase();
  return pattern.test(code) ? code : undefined;
}
