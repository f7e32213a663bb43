import { InvalidArgumentError } from "commander";
import { isUsername } from "../domain/profile.ts";

/** Parses a whole number of that range, both ends included. */
export function integer(from: number, to: number): (text: string) => number {
  return (text) => {
    const number = /^\d+$/.test(text) ? Number(text) : Number.NaN;
    if (number >= from && number <= to) return number;
    throw new InvalidArgumentError(`It must be a whole number from ${from} to ${to}.`);
  };
}

/** Parses a username. */
export function username(text: string): string {
  if (isUsername(text)) return text;
  throw new InvalidArgumentError("It must be 1 to 64 characters, without @ and without spaces around it.");
}
