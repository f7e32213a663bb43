import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { relative, resolve } from "node:path";

/** Name of the file beside a function's code from which lib/runtime/places.ts reads where a fault arose. */
export const placesFile = "index.mjs.map";

/** Fields of esbuild's source map that {@link placesMapOf} needs. `sources` are relative to the folder of the map. */
type SourceMapText = { sources: readonly string[]; mappings: string };

/** Lines of sources by their paths. */
type Sources = Map<string, readonly string[]>;

/** A piece of a line of the bundle: where it starts, and which line of a source it comes from. */
type Segment = { column: number; source: number; line: number; sourceColumn: number };

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
  const encoded = decode(mappings).map((segments) => {
    encode.newLine();
    let last: { source: number | undefined; line: number; isNamed: boolean } | undefined;
    return segments.flatMap(({ column, source, line, sourceColumn }) => {
      const path = paths[source] ?? "";
      const place = places.get(path);
      if (place === undefined) {
        if (last === undefined || last.source === undefined) return [];
        last = { source: undefined, line: 0, isNamed: false };
        // Ends the piece before it, so that the code of a package does not seem to belong to that piece.
        return [encode.segment([column])];
      }
      const name = functionAt(lines.get(path)?.[line] ?? "", sourceColumn);
      const isSame = last?.source === place && last.line === line && !last.isNamed && name === undefined;
      if (isSame) return [];
      last = { source: place, line, isNamed: name !== undefined };
      if (name === undefined) return [encode.segment([column, place, line])];
      if (!names.has(name)) names.set(name, names.size);
      return [encode.segment([column, place, line, names.get(name) ?? 0])];
    });
  });

  return JSON.stringify({
    version: 3,
    build: createHash("sha256").update(code).digest("hex").slice(0, 12),
    sources: own,
    names: [...names.keys()],
    mappings: ";".repeat(head.split("\n").length - 1) + encoded.map((line) => line.join()).join(";"),
  });
}

function linesOf(path: string, read: Sources): readonly string[] {
  const known = read.get(path) ?? readFileSync(path, "utf8").split("\n");
  read.set(path, known);
  return known;
}

const declared = /^(?:export\s+)?(?:default\s+)?(?:async\s+)?function\b\s*\*?\s*([\w$]+)/;
const method =
  /^(?!(?:if|for|while|switch|catch|return)\b)(?:(?:override|static|async|get|set)\s+|\*\s*)*(#?[\w$]+)\s*(?:<[^(]*>)?\(/;
const arrow = /^(?:async\s+)?(?:<[^(]*>)?(?:\(|[\w$]+\s*=>|function\b)/;
const assigned = /([\w$]+)(?:\s*:[^=]*)?\s*[=:]\s*$/;

/** Finds the name of the function that may start at this column, by its text. */
function functionAt(line: string, column: number): string | undefined {
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
const valueOfDigit = new Map([...digits].map((digit, value) => [digit.charCodeAt(0), value]));

/** Reads the segments of each line that name a source. Other segments stand for code that esbuild has added. */
function decode(mappings: string): Segment[][] {
  const place = { source: 0, line: 0, sourceColumn: 0 };
  return mappings.split(";").map((line) => {
    const segments: Segment[] = [];
    const numbers = [0, 0, 0, 0, 0];
    let [column, at] = [0, 0];
    while (at < line.length) {
      const start = at;
      let count = 0;
      for (; at < line.length && line[at] !== ","; count++) at = numberAt(line, at, numbers, count);
      if (at === start) break;
      at++;
      const [columns = 0, sources = 0, lines = 0, sourceColumns = 0] = numbers;
      column += columns;
      if (count === 1) continue;
      place.source += sources;
      place.line += lines;
      place.sourceColumn += sourceColumns;
      segments.push({ column, ...place });
    }
    return segments;
  });
}

/**
 * Decodes a number in the base 64 of source maps: five bits a digit, the lowest first, and the sign in the last bit.
 *
 * @returns the position after the number
 */
function numberAt(text: string, start: number, numbers: number[], index: number): number {
  let [value, factor, at] = [0, 1, start];
  for (;;) {
    const digit = valueOfDigit.get(text.charCodeAt(at++)) ?? 0;
    value += (digit & 31) * factor;
    factor *= 32;
    if (digit < 32) break;
  }
  const size = Math.floor(value / 2);
  numbers[index] = value % 2 === 1 ? -size : size;
  return at;
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
    segment([column, source, line, name]: readonly [number, number?, number?, number?]): string {
      const start = difference(0, column);
      if (source === undefined || line === undefined) return start;
      const place = start + difference(1, source) + difference(2, line) + encoded(0);
      return name === undefined ? place : place + difference(3, name);
    },
  };
}
