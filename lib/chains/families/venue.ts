import { type SwapVenue, swapVenues } from "../evm/rules/swap-venues.ts";
import { cpmmVenue, type SolRoute, solVenues } from "../sol/rules/intent.ts";

/** An exchange whose pools state a price that can be read. */
export type PoolVenue = SwapVenue | typeof cpmmVenue;

export const poolVenues: readonly PoolVenue[] = [...swapVenues, cpmmVenue];

/** An exchange on which orders can trade. */
export type TradingVenue = SwapVenue | SolRoute["venue"];

export const tradingVenues: readonly TradingVenue[] = [...swapVenues, ...solVenues];
