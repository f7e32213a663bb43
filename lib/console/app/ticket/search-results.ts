import type { Token } from "trading-terminal-client";
import { isSameToken } from "trading-terminal-client/markets";

/** A token among the results of a search. */
export type FoundToken = Pick<Token, "chain" | "token" | "symbol"> &
  Partial<Pick<Token, "name" | "listed" | "flags">>;

/**
 * Lists the results of a search: those of the tokens that the page knows, and what the service has found. The service's
 * record of a token wins. Listed tokens come first, because anybody can give another one their name.
 */
export function resultsOf(
  text: string,
  known: readonly FoundToken[],
  found: readonly FoundToken[] = [],
): FoundToken[] {
  const part = text.toLowerCase();
  const isNamed = ({ symbol, name = "" }: FoundToken) => `${symbol}\n${name}`.toLowerCase().includes(part);
  const all: FoundToken[] = [];
  for (const one of [...known.filter(isNamed), ...found]) {
    const isOne = (each: FoundToken) => isSameToken(each, one);
    if (!all.some(isOne)) all.push(found.find(isOne) ?? one);
  }
  return [...all.filter(({ listed }) => listed), ...all.filter(({ listed }) => !listed)];
}
