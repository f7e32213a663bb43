import type { Family } from "../../chains/families/family.ts";
import type { ChainReader } from "../../chains/families/open-chains.ts";

/** Candles need pools that log each swap, so that two hosts can prove a minute. */
const candles: { readonly [F in Family]: boolean } = { evm: true, sol: false };

/** True if the tokens of a chain have candles, and so a history. */
export const hasCandles = ({ family }: Pick<ChainReader, "family">): boolean => candles[family];
