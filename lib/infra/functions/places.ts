import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { relative, resolve } from "node:path";

/** Name of the file next to a function's code from which lib/runtime/places.ts reads where a fault arose. */
export const placesFile = "index.mjs.map";

/** Fields of esbuild's source map that {@link placesMapOf} needs. `sources` are relative to the folder of the map. */
type SourceMapText = { sources: readonly string[]; mappings: string };

/** A line of a source, with the names of functions found in it, by the columns at which they start. */
type Line = { text: string; names: Map<number, string | undefined> };

/** Lines of sources by their paths. */
export type Sources = Map<string, readonly Line[]>;

/** Receives a piece of a line of the bundle: where it starts, and which line of a source it comes from. */
type OnSegment = (column: number, source: number, line: number, sourceColumn: number) => void;

/**
 * Makes the small source map of a function's own code: no packages, no text of sources, no columns, and of all names
 * only those of functions, at their starts. So it is a fifth of esbuild's map, and is read only after a fault.
 *
 * @param map Map that esbuild made of `code`.
 * @param folder Folder to which the sources of the map are relative.
 * @param head Text that is put before the code, of whole lines.
 * @param read Sources that were read, by their paths, because most functions share most of their sources.
 */
export function placesMapOf(
  { code, map }: { code: string; map: string },
  { root, folder, head, read = new Map() }: { root: string; folder: string; head: string; read?: Sources },
): string {
  const { sources, mappings }: SourceMapText = JSON.parse(map);
  const paths = sources.map((source) => relative(root, resolve(folder, source)));
  const own = paths.filter((path) => !path.startsWith("..") && !path.includes("node_modules/"));
  const places = new Map(own.map((path, index) => [path, index]));
  const lines = new Map(own.map((path) => [path, linesOf(resolve(root, path), read)]));
  const names = new Map<string, number>();

  const encode = encoder();
  const readLine = decoder();
  const encoded = mappings.split(";").map((text) => {
    const segments: string[] = [];
    encode.newLine();
    let last: { source: number | undefined; line: number; isNamed: boolean } | undefined;
    readLine(text, (column, source, line, sourceColumn) => {
      const path = paths[source] ?? "";
      const place = places.get(path);
      if (place === undefined) {
        if (last === undefined || last.source === undefined) return;
        last = { source: undefined, line: 0, isNamed: false };
        // Ends the piece before it, so that the code of a package does not seem to belong to that piece.
        segments.push(encode.segment([column]));
        return;
      }
      const name = functionAt(lines.get(path)?.[line], sourceColumn);
      const isSame = last?.source === place && last.line === line && !last.isNamed && name === undefined;
      if (isSame) return;
      last = { source: place, line, isNamed: name !== undefined };
      if (name !== undefined && !names.has(name)) names.set(name, names.size);
      segments.push(encode.segment([column, place, line, name === undefined ? name : names.get(name)]));
    });
    return segments;
  });

  return JSON.stringify({
    version: 3,
    build: createHash("sha256").update(code).digest("hex").slice(0, 12),
    sources: own,
    names: [...names.keys()],
    mappings: ";".repeat(head.split("\n").length - 1) + encoded.map((line) => line.join()).join(";"),
  });
}

function linesOf(path: string, read: Sources): readonly Line[] {
  const known =
    read.get(path) ??
    readFileSync(path, "utf8")
      .split("\n")
      .map((text) => ({ text, names: new Map() }));
  read.set(path, known);
  return known;
}

const declared = /^(?:export\s+)?(?:default\s+)?(?:async\s+)?function\b\s*\*?\s*([\w$]+)/;
const method =
  /^(?!(?:if|for|while|switch|catch|return)\b)(?:(?:override|static|async|get|set)\s+|\*\s*)*(#?[\w$]+)\s*(?:<[^(]*>)?\(/;
const arrow = /^(?:async\s+)?(?:<[^(]*>)?(?:\(|[\w$]+\s*=>|function\b)/;
const assigned = /([\w$]+)(?:\s*:[^=]*)?\s*[=:]\s*$/;

/** Finds the name of the function that may start at this column. Looks once, because most functions share lines. */
function functionAt(line: Line | undefined, column: number): string | undefined {
  if (line === undefined) return undefined;
  const { text, names } = line;
  if (!names.has(column)) names.set(column, nameAt(text, column));
  return names.get(column);
}

function nameAt(line: string, column: number): string | undefined {
  const text = line.slice(column);
  const [, name] = declared.exec(text) ?? [];
  if (name !== undefined) return name;
  // Starts at the parenthesis before a lone parameter, which minification removes.
  const start = line[column - 1] === "(" ? column - 1 : column;
  if (arrow.test(line.slice(start))) return assigned.exec(line.slice(0, start))?.[1];
  // Requires the start of a line and a body, which calls lack.
  return line.slice(0, column).trim() === "" && /[{(]\s*$/.test(line) ? method.exec(text)?.[1] : undefined;
}

const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const valueOfDigit = new Uint8Array(128);
for (const [value, digit] of [...digits].entries()) valueOfDigit[digit.charCodeAt(0)] = value;

const comma = 44;

/**
 * Reads lines one after another, and reports the segments that name a source. Other segments stand for code that
 * esbuild has added. A number has the base 64 of source maps: five bits a digit, the lowest first, and the sign in the
 * last bit. It makes no objects, because a bundle has many segments.
 */
function decoder(): (line: string, onSegment: OnSegment) => void {
  const place = [0, 0, 0, 0, 0];
  return (line, onSegment) => {
    place[0] = 0;
    let [field, value, shift] = [0, 0, 0];
    for (let at = 0; at <= line.length; at++) {
      const code = at < line.length ? line.charCodeAt(at) : comma;
      if (code === comma) {
        if (field > 1) onSegment(place[0] ?? 0, place[1] ?? 0, place[2] ?? 0, place[3] ?? 0);
        field = 0;
        continue;
      }
      const digit = valueOfDigit[code] ?? 0;
      value |= (digit & 31) << shift;
      shift += 5;
      if (digit >= 32) continue;
      place[field] = (place[field] ?? 0) + (value & 1 ? -(value >> 1) : value >> 1);
      field++;
      [value, shift] = [0, 0];
    }
  };
}

function encoded(value: number): string {
  let rest = value < 0 ? -value * 2 + 1 : value * 2;
  let text = "";
  do {
    const digit = rest % 32;
    rest = Math.floor(rest / 32);
    text += digits[digit + (rest > 0 ? 32 : 0)];
  } while (rest > 0);
  return text;
}

/** Encodes segments of column, source, line and name, each number as the difference to the one before it. */
function encoder() {
  const last = [0, 0, 0, 0];
  const difference = (index: number, value: number) => {
    const before = last[index] ?? 0;
    last[index] = value;
    return encoded(value - before);
  };
  return {
    /** Starts a line. Only columns begin at 0 again. */
    newLine(): void {
      last[0] = 0;
    },
    segment([column, source, line, name]: readonly [
      number,
      number?,
      number?,
      (number | undefined)?,
    ]): string {
      const start = difference(0, column);
      if (source === undefined || line === undefined) return start;
      const place = start + difference(1, source) + difference(2, line) + encoded(0);
      return name === undefined ? place : place + difference(3, name);
    },
  };
}
