import { firstAfter, unchangedOwner } from "../../orders/cutoffs.ts";
import { type PlacingView, type Procedure, perform } from "../../orders/effects.ts";
import type { FamilyTypes, SlotTerms } from "../../orders/family.ts";
import type { IntentTerms } from "../../orders/intent.ts";
import { reservedLane } from "../../orders/lane-steps.ts";
import type { Assessed, PlacingFamily } from "../../orders/placing-family.ts";
import { untilEnd } from "../../orders/program-limits.ts";
import { unchangedKey } from "../../orders/program-signing.ts";
import { exitIdOf } from "../../orders/resting/exits/entry.ts";
import type { Mandate } from "../../orders/resting/mandate.ts";
import type { ItemWrite, Job, TradeStep } from "../../orders/table-step.ts";
import { type AnyOrder, type TradeOrder, unstarted } from "../../orders/trade-order.ts";
import { pairNames } from "../../orders/trading-chain.ts";
import type { TradeRequest } from "./assess.ts";
import { firstPlan } from "./first-plan.ts";

export type OrderRequest = TradeRequest & {
  /** Id for the order, unless the key has already placed an order. */
  orderId: string;
  /** The idempotency key. Absent for a child. */
  key?: string;
  /** Deadline in seconds. By default, it follows from the usual lifetime of the family's orders. */
  validUntil?: number;
  parent?: { terms: NonNullable<IntentTerms["parent"]>; mandate: Mandate; mandateMac: string };
};

/** A new order that is not yet written, with the other items of its transaction. */
export type NewOrder = {
  order: AnyOrder;
  job: Job;
  slots: readonly SlotTerms[];
  /** Reserves the lane for the order's first run. */
  held: ReturnType<typeof reservedLane> | undefined;
};

/** Makes an order from its assessed request, and proves it. Writes nothing. */
export function* makeOrder(
  family: PlacingFamily,
  request: OrderRequest,
  assessed: Assessed,
  view: PlacingView,
): Procedure<NewOrder> {
  const { chain, wallet, userID } = request;
  const intent = intentOf(family, request, assessed, view);
  const { orderId, token } = intent;
  const mac = yield* perform({ do: "makeMac", intent });
  const made = orderOf(family, request, assessed, intent, mac);
  const facts = family.factsForRun(assessed, made, (view.jobs ?? 0) + 1);
  const job = { chain, wallet, orderId, userID, token, ...(facts !== undefined && { facts }) };
  const nowMs = yield* perform({ do: "now" });
  const { setup } = assessed;
  const plan = view.jobs === undefined ? firstPlan(made, job, { view, setup, nowMs }) : undefined;
  const { order, slots } = plan ?? { order: made, slots: [] };
  // Leaves the plan to the order's own run. Without a plan, any run may begin.
  return { order, job, slots, held: plan && reservedLane(orderId, nowMs) };
}

/** Builds the writes of a new order. They fail if its lane, wallet, cutoffs or key have changed since they were read. */
export function writesOfOrder(
  { order, job, slots, held }: NewOrder,
  { jobs, cutoffs, program }: PlacingView,
): TradeStep {
  const { chain, wallet } = order.intent;
  return [
    { kind: "put", of: "order", item: order, when: "absent" },
    { kind: "put", of: "job", item: job, when: "absent" },
    ...slots.map((item): ItemWrite => ({ kind: "put", of: "slot", item, when: "absent" })),
    // Checks that no other order was placed in the meantime, because it would have reserved funds that this order
    // needs.
    {
      kind: "change",
      of: "lane",
      item: { chain, wallet },
      ...(held && { set: held }),
      add: { jobs: 1 },
      when: jobs === undefined ? "absent" : { jobs },
    },
    ...unchangedOwner(order.intent, cutoffs),
    ...unchangedKey(order.intent, program),
  ];
}

export function* wakeFor({ job, held }: NewOrder): Procedure<void> {
  const { chain, wallet, orderId, userID, token } = job;
  yield* perform({
    do: "wake",
    lane: { chain, wallet },
    job: { orderId, userID, token },
    reservation: held && orderId,
  });
}

function intentOf(
  family: PlacingFamily,
  { chain, wallet, userID, orderId, trade, createdAt, ...request }: OrderRequest,
  assessed: Assessed,
  { cutoffs, program }: PlacingView,
): FamilyTypes["intent"] {
  const { facts, check } = assessed;
  const seconds = trade.validForSeconds ?? family.secondsFor(check);
  const { parent, by, quotedOut = facts.amountOut } = request;
  const { validUntil = Math.floor(Date.parse(createdAt) / 1000) + seconds } = request;
  const terms = {
    chain,
    wallet,
    orderId,
    userID,
    side: trade.side,
    token: trade.token,
    amount: facts.amount,
    minAmountOut: check.least,
    quotedOut,
    isPrivate: check.submission === "private",
    createdAt: Math.max(Date.parse(createdAt), firstAfter({ chain }, cutoffs)),
    validUntil: untilEnd(validUntil, program),
    ...(parent && { parent: parent.terms }),
    ...(by !== undefined && { by }),
  };
  return family.intentOf(terms, assessed);
}

/** Returns the facts about an order that never change, apart from its slippage. */
export function placedPart(
  { trade: { percent, exits = [] }, userID, orderId, key, createdAt }: Omit<OrderRequest, "validUntil">,
  { facts, check }: Assessed,
): AnyOrder["placed"] {
  const { symbol, decimals } = facts.identity;
  return {
    ...(key !== undefined && { clientOrderId: key }),
    symbol: pairNames(check.chain, symbol).symbol,
    baseSymbol: symbol,
    decimals,
    ...(percent !== undefined && { percent }),
    ...(exits.length > 0 && {
      exits: exits.map((exit, index) => ({ ...exit, orderId: exitIdOf({ userID, orderId }, index) })),
    }),
    createdAt,
  };
}

function orderOf(
  family: PlacingFamily,
  request: OrderRequest,
  assessed: Assessed,
  intent: FamilyTypes["intent"],
  mac: string,
): TradeOrder {
  const { facts, check } = assessed;
  const { trade, createdAt, parent } = request;
  return {
    ...family.orderPart,
    intent,
    mac,
    ...(parent && { mandate: parent.mandate, mandateMac: parent.mandateMac }),
    placed: {
      ...placedPart(request, assessed),
      ...(trade.minAmountOut === undefined && { slippage: check.settings.slippage }),
    },
    quoted: {
      priceImpact: facts.priceImpact,
      ...(facts.market && { marketImpact: facts.market.impact }),
      networkFee: check.networkFee.max,
      ...family.quotedPart(intent, assessed),
    },
    amount: intent.amount,
    isCancelling: false,
    life: unstarted,
    revision: 1,
    version: 1,
    updatedAt: createdAt,
  };
}
