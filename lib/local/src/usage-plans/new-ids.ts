import { randomInt } from "node:crypto";

const lowerCase = "0123456789abcdefghijklmnopqrstuvwxyz";
const letters = `${lowerCase}${lowerCase.slice(10).toUpperCase()}`;

/** The value of a key, in the form that API Gateway generates: 40 letters and digits. */
export function newKeyValue(): string {
  return random(letters, 40);
}

export function newKeyId(): string {
  return random(lowerCase, 10);
}

export function newPlanId(): string {
  return random(lowerCase, 6);
}

function random(alphabet: string, length: number): string {
  return Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join("");
}
