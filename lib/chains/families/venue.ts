import { type SwapVenue, swapVenues } from "../evm/rules/swap-venues.ts";
import { type DirectRoute, type SolRoute, solPoolVenues, solVenues } from "../sol/rules/intent.ts";

/** An exchange whose pools state a price that can be read. */
export type PoolVenue = SwapVenue | DirectRoute["venue"];

export const poolVenues: readonly PoolVenue[] = [...swapVenues, ...solPoolVenues];

/** An exchange on which orders can trade. */
export type TradingVenue = SwapVenue | SolRoute["venue"];

export const tradingVenues: readonly TradingVenue[] = [...swapVenues, ...solVenues];
