import { placingOf } from "../../chains/families/place.ts";
import { DomainError } from "../../core/domain-error.ts";
import { greatest, least } from "../../orders/bigints.ts";
import { unchangedOwner } from "../../orders/cutoffs.ts";
import { formatPrice } from "../../orders/decimal-text.ts";
import { type PlacingView, type Procedure, perform } from "../../orders/effects.ts";
import { objectionToLoss } from "../../orders/large-loss.ts";
import type { Assessed } from "../../orders/placing-family.ts";
import { unchangedKey } from "../../orders/program-signing.ts";
import type { GivenExit } from "../../orders/resting/exits/given.ts";
import { newResting } from "../../orders/resting/life.ts";
import type { Mandate } from "../../orders/resting/mandate.ts";
import { floorOf, type Ratio, ratioFrom } from "../../orders/resting/prices.ts";
import type { RestingRequest } from "../../orders/resting/request.ts";
import { restingStep } from "../../orders/resting/resting-step.ts";
import {
  choicesOf,
  newStored,
  type RestingWarning,
  type StoredResting,
} from "../../orders/resting/stored.ts";
import { mandateOf, objectionToCrowd, stopFiringNow } from "../../orders/resting/terms.ts";
import { firstMark, type Mark } from "../../orders/resting/trailing.ts";
import { lossOf } from "../../orders/trade-check.ts";
import { assess, type PlacingRefusal, readView, type TradeRequest } from "./assess.ts";
import { type KeyedRequest, replayedBy, takeTurn, useKey } from "./keyed-request.ts";
import { placedPart } from "./new-order.ts";
import { exitsOf, lacksExits, makingExits, withExits } from "./placing-exits.ts";

/** A request for a resting order. */
export type RestRequest = TradeRequest<RestingRequest> & { orderId: string };

export type PlaceRestingRequest = RestRequest & KeyedRequest & { tableId: string };

/** A resting order as it would be placed. */
export type RestTrial = {
  mandate: Mandate;
  assessed: Assessed;
  mark: Mark | undefined;
  /** Current price of one token, for the order's own size. */
  price: string;
  exits: readonly Mandate[];
  /** The exits for which the request or the preset asks. */
  askedExits: readonly GivenExit[];
};

type Refused = { refused: PlacingRefusal };

/** Maximum number of attempts to record an order. Each can fail only if something of its user changes meanwhile. */
const maxTries = 20;

/** Records a resting order, once for each key, and starts the watch over its prices. */
export function* placingResting(
  asked: PlaceRestingRequest,
): Procedure<{ order: StoredResting; isReplayed: boolean } | Refused> {
  const { tableId } = asked;
  for (let tries = 0; tries < maxTries; tries++) {
    const view = yield* readView(atRest(asked), asked.key);
    const request = withExits(asked, view);
    const { trade } = request;
    const tried = replayedBy(request, view, view.resting?.placed) ?? (yield* assessResting(request, view));
    if ("refused" in tried) return tried;
    if ("order" in tried) {
      yield* perform({ do: "startTriggers" });
      return tried;
    }
    const { mandate, assessed, mark } = tried;
    const objection = objectionToStop(tried) ?? objectionToRest(tried, view);
    if (objection !== undefined) return { refused: objection };
    const mac = yield* perform({ do: "makeMandateMac", mandate });
    const { slippage } = trade;
    const placed = { ...placedPart(request, assessed), ...(slippage !== undefined && { slippage }) };
    const rest = { tableId, choices: choicesOf(trade) };
    const resting = newResting(mandate, mac, mark);
    const order = newStored(resting, placed, { ...rest, warnings: warningsOf(assessed) });
    const step = [
      useKey(request),
      ...takeTurn(view),
      ...restingStep(order, "absent"),
      ...(yield* makingExits(tried.exits, placed, rest)),
      ...unchangedOwner(mandate, view.cutoffs),
      ...unchangedKey(mandate, view.program),
    ];
    if (yield* perform({ do: "write", step })) {
      yield* perform({ do: "startTriggers" });
      return { order, isReplayed: false };
    }
  }
  return { refused: new DomainError("WALLET_BUSY", "Too many orders are being placed at once") };
}

/** Computes the terms of a resting order, without recording anything. A stop that would fire at once is no objection. */
export function* tryingResting(asked: RestRequest): Procedure<RestTrial | Refused> {
  const view = yield* readView(atRest(asked));
  const tried = yield* assessResting(withExits(asked, view), view);
  if ("refused" in tried) return tried;
  const refused = objectionToRest(tried, view);
  return refused === undefined ? tried : { refused };
}

const atRest = (request: RestRequest): RestRequest => ({
  ...request,
  rests: true,
  lacksExits: request.trade.type === "limit" && lacksExits(request.trade),
});

/** Runs all checks of orders that apply while an order rests. A resting order only has to fit its own prices. */
function* assessResting(request: RestRequest, view: PlacingView): Procedure<RestTrial | Refused> {
  const family = placingOf(request.chain);
  const { chain, wallet, userID, orderId, createdAt, mayLose, trade, by } = request;
  const { cutoffs, program } = view;
  const anyImpact = { ...trade, maxPriceImpact: Number.POSITIVE_INFINITY };
  const slices = trade.type === "twap" ? { slices: trade.slices } : {};
  const asked = { ...request, ...slices, trade: anyImpact, mayLose: true, rests: true };
  const assessed = yield* assess(family, asked, view);
  if ("refused" in assessed) return assessed;
  const { facts, check, setup } = assessed;
  const maxGasPrice = family.gasPriceIn(check);
  const { amount, amountOut, identity } = facts;
  const { decimals } = identity;
  const [coins, tokens] = trade.side === "buy" ? [amount, amountOut] : [amountOut, amount];
  const price = formatPrice(chain, coins, tokens, decimals);
  // Takes the price as clients see it, with 18 digits.
  const now = ratioFrom(chain, price, decimals, "amount");
  const mandate = mandateOf(trade, {
    chain,
    wallet,
    userID,
    orderId,
    amount,
    decimals,
    value: coins,
    now,
    feeOfChild: check.networkFee.max,
    isPrivate: check.submission === "private",
    ...(maxGasPrice !== undefined && { maxGasPrice }),
    nowMs: Date.parse(createdAt),
    cutoffs,
    by,
    program,
  });
  const loss = lossOf(setup, { mayLose, orders: view.laneOrders }, facts);
  const objection =
    loss === undefined || view.limits.stored?.policy.anyLoss
      ? undefined
      : objectionToLoss({
          ...loss,
          side: mandate.side,
          amount: mandate.amount,
          minAmountOut: lowestFloor(mandate),
          quotedOut: facts.amountOut,
          priceImpact: 0,
        });
  if (objection !== undefined) return { refused: objection };
  const buy = {
    chain,
    wallet,
    userID,
    orderId,
    token: mandate.token,
    createdAt: mandate.createdAt,
    quoted: quotedBuy(mandate, facts),
    endsAt: mandate.expiresAt,
    ...(by !== undefined && { by }),
    program,
  };
  const { exits: askedExits = [] } = trade;
  const exits = exitsOf(askedExits, buy, assessed);
  if ("refused" in exits) return exits;
  return { mandate, assessed, mark: firstMark(mandate, now), price, exits, askedExits };
}

const objectionToRest = ({ mandate, exits }: RestTrial, { resting }: PlacingView) =>
  objectionToCrowd([mandate, ...exits], resting?.all ?? []);

/** Returns what a resting buy spends and receives: at its price, or at the current price if that is better. */
function quotedBuy({ side, amount, legs: [leg] }: Mandate, { amountOut }: Assessed["facts"]): Ratio {
  const least = leg === undefined ? amountOut : floorOf(side, leg, amount);
  return { coins: amount, tokens: greatest(least, amountOut) };
}

const lowestFloor = ({ legs, side, amount }: Mandate): bigint =>
  legs.map((leg) => floorOf(side, leg, amount)).reduce((a, b) => least(a, b));

function objectionToStop(trial: RestTrial): DomainError | undefined {
  const { price } = trial;
  if (stopFiringNow(trial, trial.assessed.facts.amountOut) === undefined) return undefined;
  const message = `The price is ${price} already, so the stop would fire at once`;
  return new DomainError("WOULD_FIRE_NOW", message, { price });
}

/** Share of the market's depth, in percent of its price, from which an order's market counts as thin. */
const thinPercent = 5;

const warningsOf = ({ check, facts }: Assessed): RestingWarning[] => [
  ...(check.submission === "public" ? (["MEV_UNPROTECTED"] as const) : []),
  ...(Math.max(facts.priceImpact, facts.market?.impact ?? 0) > thinPercent ? (["THIN_POOL"] as const) : []),
];
