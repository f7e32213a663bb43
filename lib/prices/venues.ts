import { coinbase } from "./coinbase.ts";
import type { VenueName } from "./feeds.ts";
import { kraken } from "./kraken.ts";
import type { Venue } from "./venue.ts";

export const venues: Readonly<Record<VenueName, Venue>> = { coinbase, kraken };
