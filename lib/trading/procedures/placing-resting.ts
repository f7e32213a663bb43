import { placingOf } from "../../chains/families/place.ts";
import { DomainError } from "../../core/domain-error.ts";
import { dayOf } from "../../core/time.ts";
import { least } from "../../orders/bigints.ts";
import { unchangedCutoffs } from "../../orders/cutoffs.ts";
import { formatPrice } from "../../orders/decimal-text.ts";
import { type PlacingView, type Procedure, perform } from "../../orders/effects.ts";
import { objectionToLoss } from "../../orders/large-loss.ts";
import type { Assessed } from "../../orders/placing-family.ts";
import { newResting } from "../../orders/resting/life.ts";
import type { Mandate } from "../../orders/resting/mandate.ts";
import { floorOf } from "../../orders/resting/prices.ts";
import type { RestingRequest } from "../../orders/resting/request.ts";
import { restingStep } from "../../orders/resting/resting-step.ts";
import { newStored, type RestingWarning, type StoredResting } from "../../orders/resting/stored.ts";
import { mandateOf, restingLimit, stopFiringNow } from "../../orders/resting/terms.ts";
import { lossOf } from "../../orders/trade-check.ts";
import { pairNames } from "../../orders/trading-chain.ts";
import { assess, type PlacingRefusal, type TradeRequest } from "./assess.ts";

/** A request for a resting order. */
export type RestRequest = TradeRequest & {
  /** The terms, with addresses as the family spells them. */
  terms: RestingRequest;
  /** Id for the order, unless the key has already placed an order. */
  orderId: string;
};

export type PlaceRestingRequest = RestRequest & {
  /** The idempotency key, and the fingerprint of the rest of the request. */
  key: string;
  fingerprint: string;
  tableId: string;
};

/** A resting order as it would be placed. */
export type RestTrial = { mandate: Mandate; assessed: Assessed };

type Refused = { refused: PlacingRefusal };

/** Maximum number of attempts to record an order. Each can fail only if something of its user changes meanwhile. */
const maxTries = 5;

/** Records a resting order, once for each key, and starts the watch over its prices. */
export function* placingResting(
  request: PlaceRestingRequest,
): Procedure<{ order: StoredResting; isReplayed: boolean } | Refused> {
  const { userID, key, fingerprint, terms, createdAt } = request;
  for (let tries = 0; tries < maxTries; tries++) {
    const view = yield* readView(request, key);
    const replay = replayed(request, view);
    const tried = replay ?? (yield* assessResting(request, view));
    if ("refused" in tried) return tried;
    if ("order" in tried) {
      yield* perform({ do: "startTriggers" });
      return tried;
    }
    const { mandate, assessed } = tried;
    const stopping = stopNow(tried);
    if (stopping !== undefined) return { refused: stopping };
    const crowded = restingLimit(mandate, mandatesIn(view));
    if (crowded !== undefined) return { refused: tooMany(crowded) };
    const mac = yield* perform({ do: "makeMandateMac", mandate });
    const { symbol, decimals } = assessed.facts.identity;
    const placed = {
      clientOrderId: key,
      symbol: pairNames(assessed.check.chain, symbol).symbol,
      baseSymbol: symbol,
      decimals,
      ...(terms.slippage !== undefined && { slippage: terms.slippage }),
      ...(terms.percent !== undefined && { percent: terms.percent }),
      createdAt,
    };
    const order = newStored(newResting(mandate, mac), placed, {
      tableId: request.tableId,
      choices: choicesOf(terms),
      warnings: warningsOf(assessed),
    });
    const { chain, wallet, orderId } = mandate;
    const item = { userID, key, orderId, fingerprint };
    const step = [
      { kind: "put", of: "key", item, when: "absent" } as const,
      ...restingStep(order, "absent"),
      {
        kind: "check",
        of: "wallet",
        item: { chain, wallet, userID },
        when: { retiredAt: undefined },
      } as const,
      // Keeps an order from being accepted and void at once.
      ...unchangedCutoffs(mandate, view.cutoffs),
    ];
    if (yield* perform({ do: "write", step })) {
      yield* perform({ do: "startTriggers" });
      return { order, isReplayed: false };
    }
  }
  return { refused: new DomainError("WALLET_BUSY", "Too many orders are being placed at once") };
}

/** Computes the terms of a resting order, without recording anything. A stop that would fire at once is no objection. */
export function* tryingResting(request: RestRequest): Procedure<RestTrial | Refused> {
  const view = yield* readView(request);
  const tried = yield* assessResting(request, view);
  if ("refused" in tried) return tried;
  const crowded = restingLimit(tried.mandate, mandatesIn(view));
  return crowded === undefined ? tried : { refused: tooMany(crowded) };
}

const readView = ({ chain, wallet, userID, createdAt }: RestRequest, key?: string) =>
  perform({
    do: "readPlacing",
    lane: { chain, wallet },
    day: dayOf(Date.parse(createdAt)),
    userID,
    ...(key !== undefined && { key }),
    rests: true,
  });

function replayed(
  { fingerprint }: PlaceRestingRequest,
  { used, resting }: PlacingView,
): { order: StoredResting; isReplayed: true } | Refused | undefined {
  if (used === undefined) return undefined;
  const order = resting?.placed;
  if (used.fingerprint === fingerprint && order !== undefined) return { order, isReplayed: true };
  const message = "Idempotency-Key was used for another order, or for one whose record is lost";
  return { refused: new DomainError("IDEMPOTENCY_KEY_REUSED", message, { orderId: used.orderId }) };
}

/** Runs all checks of orders that apply while an order rests. A resting order only has to fit its own prices. */
function* assessResting(request: RestRequest, view: PlacingView): Procedure<RestTrial | Refused> {
  const family = placingOf(request.chain);
  const { terms, createdAt, userID, orderId, mayLose, trade } = request;
  const asked = { ...trade, maxPriceImpact: Number.POSITIVE_INFINITY };
  const assessed = yield* assess(family, { ...request, trade: asked, mayLose: true, rests: true }, view);
  if ("refused" in assessed) return assessed;
  const { facts, check, setup } = assessed;
  const maxGasPrice = family.gasPriceIn(check);
  const mandate = mandateOf(terms, {
    chain: request.chain,
    wallet: request.wallet,
    userID,
    orderId,
    amount: facts.amount,
    decimals: facts.identity.decimals,
    value: terms.side === "buy" ? facts.amount : facts.amountOut,
    feeOfChild: check.networkFee.max,
    isPrivate: check.submission === "private",
    ...(maxGasPrice !== undefined && { maxGasPrice }),
    nowMs: Date.parse(createdAt),
    cutoffs: view.cutoffs,
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
  return objection === undefined ? { mandate, assessed } : { refused: objection };
}

const mostUnits = 2n ** 256n;

const lowestFloor = ({ legs, side, amount }: Mandate): bigint =>
  least(mostUnits, ...legs.map((leg) => floorOf(side, leg, amount)));

const mandatesIn = ({ resting }: PlacingView): Mandate[] =>
  (resting?.all ?? []).flatMap(({ state, mandate }) => (state === "filled" ? [] : [mandate]));

/** Returns the price now of one token, for the order's own size. */
export function priceNow({ mandate: { chain, side, amount }, assessed }: RestTrial): string {
  const { amountOut, identity } = assessed.facts;
  const [coins, tokens] = side === "buy" ? [amount, amountOut] : [amountOut, amount];
  return formatPrice(chain, coins, tokens, identity.decimals);
}

function stopNow(trial: RestTrial): DomainError | undefined {
  if (stopFiringNow(trial.mandate, trial.assessed.facts.amountOut) === undefined) return undefined;
  const price = priceNow(trial);
  return new DomainError("WOULD_FIRE_NOW", `The price is ${price} already, so the stop would fire at once`, {
    price,
  });
}

const tooMany = (limit: number) =>
  new DomainError("TOO_MANY_RESTING", `At most ${limit} orders can rest; cancel others first`, { limit });

const choicesOf = ({ gasPreset, priorityFee, allowUnsafe }: RestingRequest): StoredResting["choices"] => ({
  ...(gasPreset !== undefined && { gasPreset }),
  ...(priorityFee !== undefined && { priorityFee }),
  ...(allowUnsafe !== undefined && { allowUnsafe }),
});

/** Share of the market's depth, in percent of its price, from which an order's market counts as thin. */
const thinPercent = 5;

const warningsOf = ({ check, facts }: Assessed): RestingWarning[] => [
  ...(check.submission === "public" ? (["MEV_UNPROTECTED"] as const) : []),
  ...(Math.max(facts.priceImpact, facts.market?.impact ?? 0) > thinPercent ? (["THIN_POOL"] as const) : []),
];
