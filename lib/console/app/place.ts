import type { Network } from "trading-terminal-client";
import { type Interval, intervalSeconds } from "trading-terminal-client/markets";
import { isAddressOn } from "./explorers.ts";
import { chainName } from "./format.ts";

/** The token and interval that the page shows and its address names. */
export type Place = { chain: Network; token: string; interval: Interval };

export const defaultInterval: Interval = "1m";

/** Place of a page whose address names none. The ticket fills in the chain's first token. */
const defaultPlace: Place = { chain: "eth", token: "", interval: defaultInterval };

const isChain = (text: string): text is Network => Object.hasOwn(chainName, text);
const isInterval = (text: string): text is Interval => Object.hasOwn(intervalSeconds, text);

/** Shortens text from an address, which may be of any length. */
const quoted = (text: string) => `“${text.length > 50 ? `${text.slice(0, 50)}…` : text}”`;

/**
 * Reads the place from the query of the page's address.
 *
 * @returns the place, with defaults for what is missing or wrong, and what is wrong. Other parameters do not count.
 */
export function placeIn(search: string): Place & { problem?: string } {
  const query = new URLSearchParams(search);
  const chain = query.get("chain");
  const token = query.get("token");
  const interval = query.get("interval") ?? defaultInterval;
  const wrong = (problem: string) => ({ ...defaultPlace, problem: `${problem} This is the default.` });
  if (chain !== null && !isChain(chain)) return wrong(`The link names no known chain: ${quoted(chain)}.`);
  if (chain === null && token !== null) return wrong("The link names a token without its chain.");
  if (chain !== null && token !== null && !isAddressOn(chain, token))
    return wrong(`The link names no token of ${chainName[chain]}: ${quoted(token)}.`);
  const place = { chain: chain ?? defaultPlace.chain, token: token ?? "" };
  if (isInterval(interval)) return { ...place, interval };
  const problem = `The link names no known interval: ${quoted(interval)}. The chart shows ${defaultInterval}.`;
  return { ...place, interval: defaultInterval, problem };
}

/** Writes a place into the query of the page's address, in which other parameters stay. */
export function withPlace(search: string, { chain, token, interval }: Place): string {
  const query = new URLSearchParams(search);
  query.set("chain", chain);
  query.set("token", token);
  query.set("interval", interval);
  return `?${query}`;
}
