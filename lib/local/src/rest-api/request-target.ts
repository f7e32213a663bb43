import { type ValueMaps, valueMaps } from "./messages.ts";

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
