import { randomInt } from "node:crypto";

/** Upper case without 0, O, 1, I and L, so that a code survives being read aloud. */
const alphabet = "23456789ABCDEFGHJKMNPQRSTUVWXYZ";
const length = 8;

const pattern = new RegExp(`^[${alphabet}]{${length}}$`);

/** Generates a code of 8 characters. 31 possible characters make 8.5e11 codes. */
export function newReferralCode(): string {
  return Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join("");
}

/** Reads the code in a user's input. Returns undefined if it cannot be one. */
export function readReferralCode(text: string): string | undefined {
  const code = text.trim().toUpperCase();
  return pattern.test(code) ? code : undefined;
}
