import type { Network } from "../../core/network.ts";
import type { AskedTrade } from "../trade.ts";

/** A stop as users give it: it fires at or below `stopPrice`, and sells for at least `price`. */
export type GivenStop = { stopPrice: string; price?: string | undefined };

type GivenPrices =
  | { type: "limit"; price: string }
  | ({ type: "stop" } & GivenStop)
  | { type: "oco"; takeProfit: { price: string }; stopLoss: GivenStop }
  | { type: "trailing_stop"; trailPercent: number; price?: string | undefined }
  | { type: "twap"; slices: number; intervalSeconds: number; price?: string | undefined };

/** A request for a resting order. Prices are decimal text, in whole coins for one whole token. */
export type RestingRequest = Omit<
  AskedTrade,
  "pool" | "minAmountOut" | "maxPriceImpact" | "validForSeconds"
> &
  GivenPrices & {
    chain: Network;
    wallet: string;
    expiresInSeconds?: number | undefined;
    /** Coin for all transactions of all children. */
    maxNetworkFee?: string | undefined;
    dryRun?: boolean | undefined;
    clientOrderId?: string | undefined;
  };
