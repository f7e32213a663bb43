import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { curveOrder } from "./keys.ts";

/** The number of successive characters that count as a part of a secret. */
const partLength = 12;

/** @returns a part of one of the secrets that the text contains, ignoring case, or undefined. */
export function partIn(text: string, secrets: Iterable<string>): string | undefined {
  const parts = new Set<string>();
  for (const secret of secrets) for (const part of windows(secret.toLowerCase(), partLength)) parts.add(part);
  for (const part of windows(text.toLowerCase(), partLength)) if (parts.has(part)) return part;
  return undefined;
}

/** Successive characters that count in large texts and many secrets, where random bytes may agree by chance. */
const longPartLength = 20;
/** Any part of `longPartLength` contains a window of this length that starts at a multiple of `stride`. */
const windowLength = 10;
const stride = longPartLength - windowLength + 1;

/**
 * @returns a function that finds a part of one of the secrets in a text, ignoring case. Secrets of fewer than
 * 20 characters are skipped.
 */
export function traceFinder(secrets: Iterable<string>): (text: string) => string | undefined {
  const starts = new Set<string>();
  const parts = new Set<string>();
  for (const secret of secrets) {
    const lower = secret.toLowerCase();
    if (lower.length < longPartLength) continue;
    for (const window of windows(lower, windowLength)) starts.add(window);
    for (const part of windows(lower, longPartLength)) if (isTelling(part)) parts.add(part);
  }
  return (text) => {
    const lower = text.toLowerCase();
    for (let at = 0; at + windowLength <= lower.length; at += stride) {
      if (!starts.has(lower.slice(at, at + windowLength))) continue;
      const around = lower.slice(Math.max(0, at - longPartLength + windowLength), at + longPartLength);
      for (const part of windows(around, longPartLength)) if (parts.has(part)) return part;
    }
    return undefined;
  };
}

const publicNumber = curveOrder.toString(16);

/**
 * Repeated `0` or `f` occurs in the code of contracts, and in keys at the limits of a curve. The curve's order itself
 * occurs in the code of functions, which Node keeps in a cache of its own.
 */
const isTelling = (part: string) => new Set(part).size > 3 && !publicNumber.includes(part);

function* windows(text: string, length: number): Generator<string> {
  for (let at = 0; at + length <= text.length; at++) yield text.slice(at, at + length);
}

/** Matches lines that occur only in stack traces. */
export const stackTrace = /^\s+at .+[:(]|node:internal|file:\/\//m;

/** The files that a run has written. The stacks were written before any request. */
export const writtenFiles = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((file) => file.isFile() && !file.parentPath.includes("cdk.out"))
    .map((file) => join(file.parentPath, file.name));

/** @returns the files of the folder that contain a part of a secret, each with that part. */
export const tracesIn = (
  folder: string,
  findTrace: ReturnType<typeof traceFinder>,
  isSearched: (path: string) => boolean = () => true,
): string[] =>
  writtenFiles(folder)
    .filter(isSearched)
    .flatMap((path) => {
      const trace = findTrace(readFileSync(path, "latin1"));
      return trace === undefined ? [] : [`${relative(folder, path)}: ${trace}`];
    });
