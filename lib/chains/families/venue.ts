import { type SwapVenue, swapVenues } from "../evm/rules/swap-venues.ts";
import { cpmmVenue, type SolRoute, solVenues } from "../sol/rules/intent.ts";

/** A venue whose pools show a price without a trade. */
export type PoolVenue = SwapVenue | typeof cpmmVenue;

export const poolVenues: readonly PoolVenue[] = [...swapVenues, cpmmVenue];

/** A venue on which orders can trade. */
export type TradingVenue = SwapVenue | SolRoute["venue"];

export const tradingVenues: readonly TradingVenue[] = [...swapVenues, ...solVenues];
