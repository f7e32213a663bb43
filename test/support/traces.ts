import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { curveOrder } from "./keys.ts";

/** Number of consecutive characters that count as part of a secret. */
const partLength = 12;

/**
 * Searches a text for part of a secret.
 * @returns the found part, ignoring case, or undefined.
 */
export function partIn(text: string, secrets: Iterable<string>): string | undefined {
  const parts = new Set<string>();
  for (const secret of secrets) for (const part of windows(secret.toLowerCase(), partLength)) parts.add(part);
  for (const part of windows(text.toLowerCase(), partLength)) if (parts.has(part)) return part;
  return undefined;
}

/**
 * Number of consecutive characters that count in large texts with many secrets, where random bytes may match by chance.
 */
const longPartLength = 20;
/**
 * Length of the pieces to search for. Every part of `longPartLength` contains a piece that starts at a multiple of
 * `stride`.
 */
const windowLength = 10;
const stride = longPartLength - windowLength + 1;

/**
 * Prepares a search for parts of these secrets. Skips secrets shorter than 20 characters.
 * @returns a function that finds a part in a text, ignoring case.
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
 * Ignores repeated `0` or `f`, which occur in contract code and in keys at a curve's limits, and the curve's order,
 * which occurs in Node's cache of compiled functions.
 */
const isTelling = (part: string) => new Set(part).size > 3 && !publicNumber.includes(part);

function* windows(text: string, length: number): Generator<string> {
  for (let at = 0; at + length <= text.length; at++) yield text.slice(at, at + length);
}

/** Matches lines that only stack traces contain. */
export const stackTrace = /^\s+at .+[:(]|node:internal|file:\/\//m;

/** Lists the files written by a run, except the stacks, which precede all requests. */
export const writtenFiles = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((file) => file.isFile() && !file.parentPath.includes("cdk.out"))
    .map((file) => join(file.parentPath, file.name));

/**
 * Searches the files of a folder.
 * @returns the files that contain part of a secret, each with that part.
 */
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
