import type { Family } from "../../chains/families/family.ts";
import type { ChainReader } from "../../chains/families/open-chains.ts";

/** True for families whose pools log each swap, because only then two hosts can prove a minute. */
const candles: { readonly [F in Family]: boolean } = { evm: true, sol: false };

/** True if the tokens of a chain have candles, and so a history. */
export const hasCandles = ({ family }: Pick<ChainReader, "family">): boolean => candles[family];
