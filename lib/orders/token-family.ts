import type { TokenFlag } from "../core/token-flag.ts";
import type { TradingChain } from "./trading-chain.ts";

/** A token as a host describes it, with the result of a simulated buy and sale. */
export type InspectedToken<Venue extends string = string> = {
  chain: TradingChain;
  token: string;
  symbol: string;
  name: string;
  decimals: number;
  wrapped?: true;
  listed: boolean;
  /** Null if it is unknown. */
  sellable: boolean | null;
  /** In percent. Null if it is unknown. */
  buyTax: number | null;
  sellTax: number | null;
  flags: TokenFlag[];
  /** The deepest pools first. */
  pools: TokenPool<Venue>[];
  block: number;
  asOf: string;
};

type TokenPool<Venue extends string> = {
  venue: Venue;
  pool: string;
  feeBps: number;
  /** The other token. Absent if that is the wrapped coin. */
  quoteToken?: string;
  /** The worth of the other side, in coins. */
  liquidity: string;
};
