import { placingOf } from "../chains/families/place.ts";
import { shownOn, type TradeQuote } from "../chains/families/quote.ts";
import { coinText, coinUnitsFrom } from "../orders/decimal-text.ts";
import type { Order } from "../orders/execution.ts";
import type { GivenExit } from "../orders/resting/exits/given.ts";
import { isStop, type PricedLeg } from "../orders/resting/mandate.ts";
import { distanceOf, isCrossed, priceText, worstOf } from "../orders/resting/prices.ts";
import type { RestingRequest } from "../orders/resting/request.ts";
import { shownResting } from "../orders/resting/shown.ts";
import type { RestingWarning } from "../orders/resting/stored.ts";
import { checkPrices } from "../orders/resting/terms.ts";
import { pricedLegs } from "../orders/resting/trailing.ts";
import {
  keyed,
  type Placement,
  type PlacingDeps,
  performersOf,
  tradeRequest,
  unrefused,
} from "./place-order.ts";
import { placingResting, type RestTrial, tryingResting } from "./procedures/placing-resting.ts";

/** A resting order as it would be if it were placed now. Prices are coins for one token. */
type ShownTrial = {
  price: string;
  /** Distance from the current price to the nearest one at which the order fires, in percent. */
  distancePercent: number;
  wouldFireNow: boolean;
  /** The worst price at which the order may fill. */
  worst: string;
  expiresAt: string;
  maxNetworkFee: string;
  /** Coin that the order's markers keep, besides `maxNetworkFee`. */
  rents?: string;
  /** The exits of a buy, from its request or from the preset. */
  exits?: readonly GivenExit[];
};

export type PlacedResting =
  | { order: Order; warnings: RestingWarning[]; isReplayed: boolean }
  | { dryRun: true; quote: TradeQuote; resting: ShownTrial };

/**
 * Places a resting order once for each user and key, or shows the result without placing it.
 *
 * @throws {DomainError} for each reason to refuse the order. In that case nothing is recorded, and the key stays
 * unused.
 * @throws {ChainUnavailable} if no two hosts of the chain agree.
 */
export async function placeResting(
  deps: PlacingDeps,
  { key, ...asked }: Placement<RestingRequest>,
): Promise<PlacedResting> {
  const { now, body } = asked;
  checkPrices(body);
  if (body.maxNetworkFee !== undefined) coinUnitsFrom(body.chain, body.maxNetworkFee, "maxNetworkFee");
  const request = tradeRequest(deps, asked);
  const { chain, wallet, trade } = request;
  const performers = performersOf(deps, request);
  if (body.dryRun === true) {
    const answer = await unrefused(tryingResting({ ...request, orderId: "" }), performers);
    const quote = shownOn(chain, wallet, trade, answer.assessed, now);
    return { dryRun: true, quote, resting: shownTrial(answer) };
  }
  const placement = { ...request, ...keyed({ ...asked, key }), tableId: deps.tableId };
  const { order, isReplayed } = await unrefused(placingResting(placement), performers);
  return { order: shownResting(order), warnings: [...order.warnings], isReplayed };
}

function shownTrial(trial: RestTrial): ShownTrial {
  const { mandate, assessed, price, askedExits } = trial;
  const { chain, side, amount, slices, expiresAt, feesLimit, feesStop } = mandate;
  const { facts } = assessed;
  const { amountOut, identity } = facts;
  const legs = pricedLegs(trial);
  const worst = legs.find(isStop) ?? (legs[0] as PricedLeg);
  const rents = placingOf(chain).markerRent(facts);
  return {
    price,
    distancePercent: Math.min(...legs.map((leg) => distanceOf(side, leg, amount, amountOut))),
    wouldFireNow: legs.some((leg) => isCrossed(side, leg, amount, amountOut)),
    worst: priceText(chain, worstOf(worst), identity.decimals),
    expiresAt: new Date(expiresAt * 1000).toISOString(),
    maxNetworkFee: coinText(chain, feesLimit + feesStop),
    ...(rents !== undefined && { rents: coinText(chain, rents * BigInt(slices?.count ?? 1)) }),
    ...(askedExits.length > 0 && { exits: askedExits }),
  };
}
