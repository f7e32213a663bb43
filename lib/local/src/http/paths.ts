import { type ValueMaps, valueMaps } from "./messages.ts";

type Match<Resource> = { resource: Resource; pathParameters: Record<string, string> };

type Segment = { kind: "static" | "parameter" | "proxy"; name: string };
type Candidate<Resource> = { resource: Resource; segments: Segment[] };

const precedence = ["static", "parameter", "proxy"];

/**
 * Creates a case-sensitive lookup of resources by path. The first segment in which two resources differ decides: a
 * static segment wins over a `{parameter}`, and a parameter over `{proxy+}`. Recorded: the values of path parameters
 * stay percent-encoded, and `%2F` does not separate segments.
 *
 * @throws {Error} if API Gateway does not accept a resource's path
 */
export function createRouteMatcher<Resource extends { path: string }>(
  resources: readonly Resource[],
): (path: string) => Match<Resource> | undefined {
  const candidates = resources
    .map((resource) => ({ resource, segments: split(resource.path).map(readSegment) }))
    .sort(bySpecificity);

  return (path) => {
    const parts = split(path);
    for (const { resource, segments } of candidates) {
      const pathParameters = matchSegments(segments, parts);
      if (pathParameters) return { resource, pathParameters };
    }
    return undefined;
  };
}

/** Splits a path into segments. Recorded: a trailing slash is ignored, an empty segment inside a path is not. */
function split(path: string): string[] {
  const inner = path.replace(/^\//, "").replace(/\/+$/, "");
  return inner === "" ? [] : inner.split("/");
}

function readSegment(part: string, index: number, parts: string[]): Segment {
  const [, name, greedy] = /^\{([\w.:-]+)(\+?)\}$/.exec(part) ?? [];
  if (name === undefined) {
    if (/[{}]/.test(part)) throw new Error(`"${part}" is not a valid path part`);
    return { kind: "static", name: part };
  }
  if (greedy && index < parts.length - 1) throw new Error(`"${part}" must be the last path part`);
  return { kind: greedy ? "proxy" : "parameter", name };
}

function bySpecificity<Resource>(a: Candidate<Resource>, b: Candidate<Resource>): number {
  const ranks = ({ segments }: Candidate<Resource>) =>
    segments.map(({ kind }) => precedence.indexOf(kind)).join("");
  return ranks(a).localeCompare(ranks(b));
}

function matchSegments(
  segments: readonly Segment[],
  parts: readonly string[],
): Record<string, string> | undefined {
  const parameters: [name: string, value: string][] = [];
  for (const [index, { kind, name }] of segments.entries()) {
    const part = parts[index];
    if (part === undefined) return undefined;
    if (kind === "proxy") {
      parameters.push([name, parts.slice(index).join("/")]);
      return Object.fromEntries(parameters);
    }
    if (kind === "static" ? part !== name : part === "") return undefined;
    if (kind === "parameter") parameters.push([name, part]);
  }
  return segments.length === parts.length ? Object.fromEntries(parameters) : undefined;
}

export type RequestTarget = {
  /** Path as sent, for `requestContext.path`. */
  rawPath: string;
  /** Path for matching and for functions. It is not decoded, and dot segments are not resolved. */
  path: string;
  query: ValueMaps;
};

/** Splits any request target, even one that API Gateway refuses (see `isWellFormed`). */
export function readTarget(target: string): RequestTarget {
  const origin = /^https?:\/\/[^/?]*/i.exec(target)?.[0] ?? "";
  const [rawPath = "", ...query] = target.slice(origin.length).split("?");
  return {
    rawPath: rawPath || "/",
    // Recorded: `//pets` has the path `/pets`, but double slashes further on stay.
    path: rawPath.replace(/^\/*/, "/"),
    // Adds a "?", because URLSearchParams strips one and the query itself may begin with another.
    query: valueMaps(new URLSearchParams(`?${query.join("?")}`)),
  };
}

/** False for an asterisk-form target and for a percent sign without two hex digits. */
export function isWellFormed(target: string): boolean {
  return /^(\/|https?:\/\/)/i.test(target) && !/%(?![\da-f]{2})/i.test(target);
}
