import { placingOf } from "../../chains/families/place.ts";
import { DomainError } from "../../core/domain-error.ts";
import { dayOf } from "../../core/time.ts";
import { type PlacingView, type Procedure, perform } from "../../orders/effects.ts";
import type { FamilyTypes } from "../../orders/family.ts";
import type { LaneKey } from "../../orders/intent.ts";
import type { ItemWrite } from "../../orders/table-step.ts";
import type { AnyOrder } from "../../orders/trade-order.ts";
import { type AssessAnswer, assess, type PlacingRefusal, type TradeRequest } from "./assess.ts";
import { makeOrder, type OrderRequest, wakeFor, writesOfOrder } from "./new-order.ts";

/** A request to place an order. */
export type PlaceRequest = OrderRequest & {
  key: string;
  /** Fingerprint of the request without its key. */
  fingerprint: string;
};

export type PlaceAnswer = { order: AnyOrder; isReplayed: boolean } | { refused: PlacingRefusal };

/**
 * Maximum number of attempts to record an order. Each can fail because another order is placed for the wallet, which
 * may have 20 orders.
 */
const maxTries = 20;

/** Records an order, once for each key, and wakes the wallet's lane. A refused request leaves the key unused. */
export function* placing(request: PlaceRequest): Procedure<PlaceAnswer> {
  const family = placingOf(request.chain);
  const { chain, wallet, userID, key, fingerprint, createdAt } = request;
  const lane: LaneKey = { chain, wallet };
  let known: FamilyTypes["facts"] | undefined;
  for (let tries = 0; tries < maxTries; tries++) {
    const view = yield* perform({ do: "readPlacing", lane, day: dayOf(Date.parse(createdAt)), userID, key });
    const replay = yield* replayed(request, view);
    if (replay !== undefined) return replay;
    const assessed = yield* assess(family, request, view, known);
    if ("refused" in assessed) return assessed;
    // Reuses the facts in later attempts, unless the amount is a percentage: it refers to the balance that newer orders
    // have left.
    if (request.trade.percent === undefined) known = assessed.facts;
    const made = yield* makeOrder(family, request, assessed, view);
    const { orderId } = made.job;
    const item = { userID, key, orderId, fingerprint };
    const used: ItemWrite = { kind: "put", of: "key", item, when: "absent" };
    if (yield* perform({ do: "write", step: [used, ...writesOfOrder(made, view)] })) {
      yield* wakeFor(made);
      return { order: made.order, isReplayed: false };
    }
    // In the meantime the key was used, the wallet was removed, orders were cancelled together, or another order has
    // reserved funds that this order needs.
  }
  return {
    refused: new DomainError("WALLET_BUSY", "Too many orders are being placed for the wallet at once"),
  };
}

/** Computes the terms of an order for the trade, without recording anything. */
export function* trying(request: TradeRequest): Procedure<AssessAnswer> {
  const { chain, wallet, userID, createdAt } = request;
  const day = dayOf(Date.parse(createdAt));
  const view = yield* perform({ do: "readPlacing", lane: { chain, wallet }, day, userID });
  return yield* assess(placingOf(chain), request, view);
}

/**
 * Replays the request: returns the order that this key has placed, even if the order has changed since, and wakes its
 * lane again. If the order is missing, for example after a restore, refuses the request, because the order may have
 * been filled.
 */
function* replayed(
  { fingerprint }: PlaceRequest,
  { used, order }: PlacingView,
): Procedure<PlaceAnswer | undefined> {
  if (used === undefined) return undefined;
  const isSame = used.fingerprint === fingerprint;
  if (!isSame || order === undefined) {
    const { orderId } = used;
    const other = isSame ? "an order whose record is lost" : "another order, with another body";
    const message = `Idempotency-Key was used for ${other}`;
    return { refused: new DomainError("IDEMPOTENCY_KEY_REUSED", message, { orderId }) };
  }
  const { life, intent: lane, revision } = order;
  const { orderId, userID, token } = lane;
  // Starts the first run again if it was lost, because a reserved lane is free for no other run.
  const first = revision === 1 ? { job: { orderId, userID, token }, reservation: orderId } : {};
  if (!life.settled) yield* perform({ do: "wake", lane, ...first });
  return { order, isReplayed: true };
}
