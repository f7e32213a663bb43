import { placingOf } from "../../chains/families/place.ts";
import { DomainError } from "../../core/domain-error.ts";
import { type PlacingView, type Procedure, perform } from "../../orders/effects.ts";
import type { FamilyTypes } from "../../orders/family.ts";
import type { IntentTerms } from "../../orders/intent.ts";
import type { Assessed } from "../../orders/placing-family.ts";
import type { Mandate } from "../../orders/resting/mandate.ts";
import { choicesOf } from "../../orders/resting/stored.ts";
import { objectionToCrowd } from "../../orders/resting/terms.ts";
import type { AnyOrder } from "../../orders/trade-order.ts";
import { type AssessAnswer, assess, type PlacingRefusal, readView, type TradeRequest } from "./assess.ts";
import { assessAutomatic, pauseAutomatic } from "./automatic-buy.ts";
import { type KeyedRequest, replayedBy, takeTurn, useKey } from "./keyed-request.ts";
import { makeOrder, type OrderRequest, wakeFor, writesOfOrder } from "./new-order.ts";
import { exitsOf, lacksExits, makingExits, withExits } from "./placing-exits.ts";

/** A request to place an order. */
export type PlaceRequest = OrderRequest & KeyedRequest & { tableId: string };

export type PlaceAnswer = { order: AnyOrder; isReplayed: boolean } | { refused: PlacingRefusal };

/**
 * Maximum number of attempts to record an order. Each can fail because another order is placed for the wallet, which
 * may have 20 orders.
 */
const maxTries = 20;

/** Records an order, once for each key, and wakes the wallet's lane. A refused request leaves the key unused. */
export function* placing(asked: PlaceRequest): Procedure<PlaceAnswer> {
  const family = placingOf(asked.chain);
  let known: FamilyTypes["facts"] | undefined;
  for (let tries = 0; tries < maxTries; tries++) {
    const view = yield* readView(withResting(asked), asked.key);
    const replay = replayedBy(asked, view, view.order);
    if (replay !== undefined && "order" in replay) yield* wakeAgain(replay.order);
    if (replay !== undefined) return replay;
    const request = withExits(asked, view);
    const assessed = yield* assessAutomatic(family, request, view, known);
    if ("refused" in assessed) return assessed;
    // Reuses the facts in later attempts, unless the amount is a percentage: it refers to the balance that newer orders
    // have left.
    if (request.trade.percent === undefined) known = assessed.facts;
    const made = yield* makeOrder(family, request, assessed, view);
    const { intent, placed } = made.order;
    const exits = exitsBeside(request, intent, assessed, view);
    if ("refused" in exits) return exits;
    const rest = { tableId: request.tableId, choices: choicesOf(request.trade) };
    const ofExits = yield* makingExits(exits, placed, rest);
    const turn = exits.length > 0 ? takeTurn(view) : [];
    const own = [useKey(request), ...turn, ...pauseAutomatic(request)];
    const step = [...own, ...writesOfOrder(made, view), ...ofExits];
    if (yield* perform({ do: "write", step })) {
      yield* wakeFor(made);
      if (exits.length > 0) yield* perform({ do: "startTriggers" });
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
export function* trying(asked: TradeRequest): Procedure<AssessAnswer> {
  const view = yield* readView(withResting(asked));
  const request = withExits(asked, view);
  const assessed = yield* assess(placingOf(request.chain), request, view);
  if ("refused" in assessed) return assessed;
  const terms = { createdAt: Date.parse(request.createdAt), validUntil: 0, orderId: "" };
  const exits = exitsBeside(request, terms, assessed, view);
  return "refused" in exits ? exits : assessed;
}

/** Asks for the user's resting orders if exits will be added to them. */
const withResting = (request: TradeRequest): TradeRequest => ({
  ...request,
  rests: (request.trade.exits ?? []).length > 0,
  lacksExits: lacksExits(request.trade),
});

/** Makes the mandates of the exits that are placed with an order, unless too many orders rest already. */
function exitsBeside(
  { chain, wallet, userID, trade, by }: TradeRequest,
  { orderId, createdAt = 0, validUntil }: Pick<IntentTerms, "orderId" | "createdAt" | "validUntil">,
  assessed: Assessed,
  { resting, program }: PlacingView,
): readonly Mandate[] | { refused: DomainError } {
  const { exits: given = [], token } = trade;
  const { amount, amountOut } = assessed.facts;
  const quoted = { coins: amount, tokens: amountOut };
  const lane = { chain, wallet, userID, ...(by !== undefined && { by }) };
  const buy = { ...lane, orderId, token, createdAt, endsAt: validUntil, quoted, program };
  const exits = exitsOf(given, buy, assessed);
  if ("refused" in exits) return exits;
  const refused = objectionToCrowd(exits, resting?.all ?? []);
  return refused === undefined ? exits : { refused };
}

/** Wakes the lane of an order that was placed before, and starts the watch over its exits. */
function* wakeAgain({ life, intent: lane, placed, revision }: AnyOrder): Procedure<void> {
  if (placed.exits !== undefined) yield* perform({ do: "startTriggers" });
  if (life.settled) return;
  const { orderId, userID, token } = lane;
  // Starts the first run again if it was lost, because a reserved lane is free for no other run.
  const first = revision === 1 ? { job: { orderId, userID, token }, reservation: orderId } : {};
  yield* perform({ do: "wake", lane, ...first });
}
