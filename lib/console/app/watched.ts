import type { Network, Token, TokenName } from "trading-terminal-client";
import { isSameToken } from "trading-terminal-client/markets";
import { isAddressOn } from "./explorers.ts";
import { chainName } from "./format.ts";

/** A token that the user watches or has opened, with the names it had then. */
export type WatchedToken = { chain: Network; token: string; symbol: string } & Partial<
  Pick<Token, "name" | "flags">
>;

/** A user's list, and what adds a token to it or removes it. */
export type Watched = { tokens: readonly WatchedToken[]; toggle: (token: WatchedToken) => void };

/** Maximum number of tokens on a list. The stream follows fewer. */
export const mostWatched = 50;

const isWatched = (each: Partial<WatchedToken> | null): each is WatchedToken =>
  typeof each?.symbol === "string" &&
  typeof each.token === "string" &&
  typeof (each.name ?? "") === "string" &&
  Array.isArray(each.flags ?? []) &&
  Object.hasOwn(chainName, String(each.chain)) &&
  isAddressOn(each.chain as Network, each.token);

/** Reads a kept list. Leaves out what is not a token, because other versions of the page may have written it. */
export function watchedIn(text: string | undefined): readonly WatchedToken[] {
  try {
    const list: unknown = JSON.parse(text ?? "[]");
    return Array.isArray(list) ? list.filter(isWatched).slice(0, mostWatched) : [];
  } catch {
    return [];
  }
}

/** Adds a token to the end of a list, or removes it. A full list stays as it is. */
export function toggled(list: readonly WatchedToken[], token: WatchedToken): readonly WatchedToken[] {
  const others = list.filter((each) => !isSameToken(each, token));
  if (others.length < list.length) return others;
  return list.length < mostWatched ? [...list, token] : list;
}

type Opened = Omit<WatchedToken, "flags"> & { name: string; flags: readonly string[] };

/** Puts a token at the head of the list of those that were opened. The one opened longest ago leaves a full list. */
export function withOpened(list: readonly WatchedToken[], opened: Opened): readonly WatchedToken[] {
  const { chain, token, symbol, name, flags } = opened;
  const kept = { chain, token, symbol, name, flags: flags.filter((flag) => flag === "IMPERSONATES") };
  return [kept, ...list.filter((each) => !isSameToken(each, opened))].slice(0, mostWatched);
}

/** Lists the tokens of open positions that are not watched, each once. */
export function heldIn(
  positions: readonly ({ status: string; symbol: string; baseSymbol?: string; token?: string } & {
    chain: Network;
  })[],
  watched: readonly TokenName[],
): readonly WatchedToken[] {
  const held: WatchedToken[] = [];
  for (const { status, chain, token, baseSymbol, symbol } of positions) {
    if (status !== "open" || token === undefined) continue;
    const name = { chain, token, symbol: baseSymbol ?? symbol };
    if (![...watched, ...held].some((each) => isSameToken(each, name))) held.push(name);
  }
  return held;
}

/** Maximum number of tokens that are offered. Each is followed, so that its price is known. */
const mostOffered = 6;

/** Picks listed tokens to show to a user who watches none. */
export const offeredTo = (
  watched: readonly TokenName[],
  listed: readonly WatchedToken[],
): readonly WatchedToken[] => (watched.length === 0 ? listed.slice(0, mostOffered) : []);
