import { type ValueMaps, valueMaps } from "./messages.ts";

type Match<Resource> = { resource: Resource; pathParameters: Record<string, string> };

type Segment = { kind: "static" | "parameter" | "proxy"; name: string };
type Candidate<Resource> = { resource: Resource; segments: Segment[] };

const precedence = ["static", "parameter", "proxy"];

/**
 * Finds the resource of a path, case-sensitively. A static segment wins over a `{parameter}` and that over `{proxy+}`,
 * decided at the first segment where two resources differ. The values of path parameters stay percent-encoded, as
 * recorded: `%2F` is part of one segment.
 *
 * @throws Error for a resource path that API Gateway would not accept
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

/** Recorded: a trailing slash makes no difference, an empty segment inside a path does. */
function split(path: string): string[] {
  const inner = path.replace(/^\//, "").replace(/\/+$/, "");
  return inner === "" ? [] : inner.split("/");
}

function readSegment(part: string, index: number, parts: string[]): Segment {
  const [, name, greedy] = /^\{([\w.:-]+)(\+?)\}$/.exec(part) ?? [];
  if (name === undefined) {
    if (/[{}]/.test(part)) throw new Error(`"${part}" is not a path part`);
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
  /** The path as sent, of which `requestContext.path` is made. */
  rawPath: string;
  /** The path that is matched and told to functions. Nothing in it is decoded and no dot segment is resolved. */
  path: string;
  query: ValueMaps;
};

/** Takes a request target apart. Anything can be taken apart; `isWellFormed` says whether it should have been sent. */
export function readTarget(target: string): RequestTarget {
  const origin = /^https?:\/\/[^/?]*/i.exec(target)?.[0] ?? "";
  const [rawPath = "", ...query] = target.slice(origin.length).split("?");
  return {
    rawPath: rawPath || "/",
    // Recorded: `//pets` has the path `/pets`, while slashes further on stay doubled.
    path: rawPath.replace(/^\/*/, "/"),
    // The "?" is there because URLSearchParams takes one off, and a query may begin with one of its own.
    query: valueMaps(new URLSearchParams(`?${query.join("?")}`)),
  };
}

/** False for an asterisk-form target and for a percent sign that begins no escape. */
export function isWellFormed(target: string): boolean {
  return /^(\/|https?:\/\/)/i.test(target) && !/%(?![\da-f]{2})/i.test(target);
}
