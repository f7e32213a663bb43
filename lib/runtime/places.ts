import { readFileSync } from "node:fs";
import { SourceMap, type SourceMapPayload } from "node:module";

/** Places in this service's own code from which an error came, the innermost first, and the build of the code. */
export type FaultPlaces = { at: readonly string[]; build: string };

/** Number of places that are logged of one fault. */
const most = 5;

type Map = { source: SourceMap; build: string };

/** The map next to this code, which is read only after the first fault. */
let map: Map | "missing" | undefined;

/**
 * Finds where an error was made, such as `readHead lib/markets/heads.ts:12`. Takes each word from the map that was made
 * with the code, and only numbers from the error, because its message and names that arise at runtime may contain data.
 *
 * @returns undefined if no place is known, for example because the code has no map.
 */
export function placesOf(error: Error): FaultPlaces | undefined {
  const sites = callSitesOf(error).filter((site) => site.getFileName() === import.meta.url);
  if (sites.length === 0) return undefined;
  map ??= readMap();
  if (map === "missing") return undefined;
  const { source, build } = map;
  const at = sites.flatMap((site) => {
    const place = entryAt(source, site.getLineNumber(), site.getColumnNumber());
    if (place === undefined) return [];
    const start = entryAt(source, site.getEnclosingLineNumber(), site.getEnclosingColumnNumber());
    const isExact = start?.generatedColumn === (site.getEnclosingColumnNumber() ?? 0) - 1;
    const name = isExact && start?.name ? `${start.name} ` : "";
    return [`${name}${place.originalSource}:${place.originalLine + 1}`];
  });
  return at.length === 0 ? undefined : { at: at.slice(0, most), build };
}

/** Reads an error's call sites without its text. There are none if something has read its stack before. */
function callSitesOf(error: Error): readonly NodeJS.CallSite[] {
  const before: unknown = Reflect.get(Error, "prepareStackTrace");
  let sites: readonly NodeJS.CallSite[] = [];
  try {
    Error.prepareStackTrace = (_, given) => {
      sites = given;
      return "";
    };
    void error.stack;
  } finally {
    Reflect.set(Error, "prepareStackTrace", before);
  }
  return sites;
}

function readMap(): Map | "missing" {
  try {
    const payload: SourceMapPayload & { build: string } = JSON.parse(
      readFileSync(new URL(`${import.meta.url}.map`), "utf8"),
    );
    return { source: new SourceMap(payload), build: payload.build };
  } catch {
    return "missing";
  }
}

/** Finds the entry of a line and a column that count from 1. */
function entryAt(source: SourceMap, line: number | null, column: number | null) {
  const entry = source.findEntry((line ?? 0) - 1, (column ?? 0) - 1);
  if (!("originalSource" in entry) || entry.originalSource === undefined) return undefined;
  return { ...entry, name: "name" in entry && typeof entry.name === "string" ? entry.name : undefined };
}
