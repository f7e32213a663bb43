import type { Family } from "../../chains/families/family.ts";
import type { ChainReader } from "../../chains/families/open-chains.ts";

/** True for families whose pools log each swap: only then can two hosts prove a minute. */
const candles: { readonly [F in Family]: boolean } = { evm: true, sol: false };

/** True if a chain's tokens have candles, and so a history. */
export const hasCandles = ({ family }: Pick<ChainReader, "family">): boolean => candles[family];
