import { useEffect, useState } from "preact/hooks";
import type { Network, Token } from "trading-terminal-client";
import { useDesk } from "../desk.ts";
import { isAddressOn } from "../explorers.ts";

/** A pause in typing that starts a search. */
const quietMs = 250;
const [leastLength, mostLength] = [2, 64];

const chains: readonly Network[] = ["eth", "base", "bsc", "avax", "sol"];

/** True for text that a name can be found by. An address needs no search. */
export const isSearch = (text: string): boolean =>
  text.length >= leastLength &&
  text.length <= mostLength &&
  !chains.some((chain) => isAddressOn(chain, text));

type Found = { of: string; tokens: readonly Token[]; problem?: string };

/** Finds tokens by a part of their name. Undefined while nothing is sought, or before the answer. */
export function useTokenSearch(text: string): Omit<Found, "of"> | undefined {
  const { terminal, isOffline } = useDesk();
  const [found, setFound] = useState<Found>();
  useEffect(() => {
    if (isOffline || !isSearch(text)) return;
    const reading = new AbortController();
    const { signal } = reading;
    const timer = setTimeout(async () => {
      const { data, error } = await terminal.listTokens({ query: { query: text }, signal });
      if (signal.aborted) return;
      // Coins are spent, not bought.
      const tokens = data?.tokens.filter(({ token, wrapped }) => token !== "native" && !wrapped) ?? [];
      setFound({ of: text, tokens, ...(error && { problem: error.message }) });
    }, quietMs);
    return () => {
      clearTimeout(timer);
      reading.abort();
    };
  }, [terminal, isOffline, text]);
  return found?.of === text && isSearch(text) ? found : undefined;
}
