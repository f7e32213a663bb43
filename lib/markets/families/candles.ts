import type { Family } from "../../chains/families/family.ts";
import type { ChainReader } from "../../chains/families/open-chains.ts";

/** True for families whose pools log each swap, because only then can two hosts prove a minute candle. */
const candles: { readonly [F in Family]: boolean } = { evm: true, sol: false };

/** True if a chain's tokens have candles, and therefore a history. */
export const hasCandles = ({ family }: Pick<ChainReader, "family">): boolean => candles[family];
