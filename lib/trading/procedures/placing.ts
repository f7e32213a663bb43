import { placingOf } from "../../chains/families/place.ts";
import { DomainError } from "../../core/domain-error.ts";
import { type Procedure, perform } from "../../orders/effects.ts";
import type { FamilyTypes } from "../../orders/family.ts";
import type { AnyOrder } from "../../orders/trade-order.ts";
import { type AssessAnswer, assess, type PlacingRefusal, readView, type TradeRequest } from "./assess.ts";
import { assessAutomatic, pauseAutomatic } from "./automatic-buy.ts";
import { type KeyedRequest, replayedBy, useKey } from "./keyed-request.ts";
import { makeOrder, type OrderRequest, wakeFor, writesOfOrder } from "./new-order.ts";

/** A request to place an order. */
export type PlaceRequest = OrderRequest & KeyedRequest;

export type PlaceAnswer = { order: AnyOrder; isReplayed: boolean } | { refused: PlacingRefusal };

/**
 * Maximum number of attempts to record an order. Each can fail because another order is placed for the wallet, which
 * may have 20 orders.
 */
const maxTries = 20;

/** Records an order, once for each key, and wakes the wallet's lane. A refused request leaves the key unused. */
export function* placing(request: PlaceRequest): Procedure<PlaceAnswer> {
  const family = placingOf(request.chain);
  let known: FamilyTypes["facts"] | undefined;
  for (let tries = 0; tries < maxTries; tries++) {
    const view = yield* readView(request, request.key);
    const replay = replayedBy(request, view, view.order);
    if (replay !== undefined && "order" in replay) yield* wakeAgain(replay.order);
    if (replay !== undefined) return replay;
    const assessed = yield* assessAutomatic(family, request, view, known);
    if ("refused" in assessed) return assessed;
    // Reuses the facts in later attempts, unless the amount is a percentage: it refers to the balance that newer orders
    // have left.
    if (request.trade.percent === undefined) known = assessed.facts;
    const made = yield* makeOrder(family, request, assessed, view);
    const step = [useKey(request), ...pauseAutomatic(request), ...writesOfOrder(made, view)];
    if (yield* perform({ do: "write", step })) {
      yield* wakeFor(made);
      return { order: made.order, isReplayed: false };
    }
    // In the meantime the key was used, the wallet was removed, orders were cancelled together, the token was bought
    // automatically, or another order has reserved funds that this order needs.
  }
  return {
    refused: new DomainError("WALLET_BUSY", "Too many orders are being placed for the wallet at once"),
  };
}

/** Computes the terms of an order for the trade, without recording anything. */
export function* trying(request: TradeRequest): Procedure<AssessAnswer> {
  return yield* assess(placingOf(request.chain), request, yield* readView(request));
}

/** Wakes the lane of an order that was placed before. */
function* wakeAgain({ life, intent: lane, revision }: AnyOrder): Procedure<void> {
  if (life.settled) return;
  const { orderId, userID, token } = lane;
  // Starts the first run again if it was lost, because a reserved lane is free for no other run.
  const first = revision === 1 ? { job: { orderId, userID, token }, reservation: orderId } : {};
  yield* perform({ do: "wake", lane, ...first });
}
