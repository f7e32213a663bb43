import { useState } from "preact/hooks";
import type { Network, Token } from "trading-terminal-client";
import { useDesk, useReading } from "../desk.ts";
import { isAddressOn } from "../explorers.ts";

/** A pause in typing of this many milliseconds starts a search. */
const quietMs = 250;
const [leastLength, mostLength] = [2, 64];

const chains: readonly Network[] = ["eth", "base", "bsc", "avax", "sol"];

/** True for text in the format of an address on any chain. */
export const isAddress = (text: string): boolean => chains.some((chain) => isAddressOn(chain, text));

/** True for text that may be part of a token's name. An address needs no search. */
export const isSearch = (text: string): boolean =>
  text.length >= leastLength && text.length <= mostLength && !isAddress(text);

/** Leaves out coins, because users spend them instead of buying them. */
export const traded = (tokens: readonly Token[] = []): Token[] =>
  tokens.filter(({ token, wrapped }) => token !== "native" && !wrapped);

type Found = { of: string; tokens: readonly Token[]; problem?: string };

/** Finds tokens by part of their name. Returns undefined if there is no search, or it is not answered yet. */
export function useTokenSearch(text: string): Omit<Found, "of"> | undefined {
  const { terminal } = useDesk();
  const [found, setFound] = useState<Found>();
  useReading(
    (signal) => {
      if (!isSearch(text)) return;
      setTimeout(async () => {
        if (signal.aborted) return;
        const { data, error } = await terminal.listTokens({ query: { query: text }, signal });
        if (signal.aborted) return;
        setFound({ of: text, tokens: traded(data?.tokens), ...(error && { problem: error.message }) });
      }, quietMs);
    },
    [text],
  );
  return found?.of === text && isSearch(text) ? found : undefined;
}
