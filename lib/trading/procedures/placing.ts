import { placingOf } from "../../chains/families/place.ts";
import { DomainError } from "../../core/domain-error.ts";
import { dayOf } from "../../core/time.ts";
import { firstAfter, unchangedCutoffs } from "../../orders/cutoffs.ts";
import { coinUnitsFrom } from "../../orders/decimal-text.ts";
import { type PlacingView, type Procedure, perform } from "../../orders/effects.ts";
import type { FamilyTypes, HostAnswers, SlotTerms, TraderTerms } from "../../orders/family.ts";
import type { LaneKey } from "../../orders/intent.ts";
import { reservedLane } from "../../orders/lane-steps.ts";
import { objectionToTrading, objectionToWallet } from "../../orders/order-checks.ts";
import type { Assessed, PlacingFamily } from "../../orders/placing-family.ts";
import { rulesBeside } from "../../orders/reserved.ts";
import type { ItemWrite, Job, TradeStep } from "../../orders/table-step.ts";
import type { AskedTrade } from "../../orders/trade.ts";
import { type AnyOrder, hasEnded, type TradeOrder, unstarted } from "../../orders/trade-order.ts";
import { pairNames } from "../../orders/trading-chain.ts";
import type { DayFeeLimits, OrderRules } from "../../orders/wallet-policy.ts";
import { firstPlan } from "./first-plan.ts";

/** A request to trade with a wallet, as the client sent it. */
export type TradeRequest = LaneKey & {
  userID: string;
  trade: AskedTrade;
  /** Time of the request, in ISO 8601. */
  createdAt: string;
  /** The chain, or the reason why the deployment does not trade on it. */
  setup: FamilyTypes["setup"] | DomainError<"UNSUPPORTED_CHAIN">;
} & Pick<TraderTerms, "mayLose">;

/** A request to place an order. */
export type PlaceRequest = TradeRequest & {
  /** Id for the order, unless the key has already placed an order. */
  orderId: string;
  /** The idempotency key, and the fingerprint of the rest of the request. */
  key: string;
  fingerprint: string;
};

/** `CHAIN_UNAVAILABLE` means that no two hosts agree. */
export type PlacingRefusal = DomainError | "CHAIN_UNAVAILABLE";

export type PlaceAnswer = { order: AnyOrder; isReplayed: boolean } | { refused: PlacingRefusal };

export type AssessAnswer = Assessed | { refused: PlacingRefusal };

/**
 * Maximum number of attempts to record an order. Each can fail because another order is placed for the wallet, which
 * may have 20 orders.
 */
const maxTries = 20;

/** Records an order, once for each key, and wakes the wallet's lane. A refused request leaves the key unused. */
export function* placing(request: PlaceRequest): Procedure<PlaceAnswer> {
  const family = placingOf(request.chain);
  const { chain, wallet, userID, key, createdAt } = request;
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
    const intent = intentOf(family, request, assessed, view);
    const { orderId, token } = intent;
    const mac = yield* perform({ do: "makeMac", intent });
    const made = newOrder(family, request, assessed, intent, mac);
    const facts = family.factsForRun(assessed, made, (view.jobs ?? 0) + 1);
    const job = { chain, wallet, orderId, userID, token, ...(facts !== undefined && { facts }) };
    const nowMs = yield* perform({ do: "now" });
    const { setup } = assessed;
    const plan = view.jobs === undefined ? firstPlan(made, job, { view, setup, nowMs }) : undefined;
    const { order, slots } = plan ?? { order: made, slots: [] };
    // Leaves the plan to the order's own run. Without a plan, any run may begin.
    const reservation = plan && orderId;
    const held = plan && reservedLane(orderId, nowMs);
    if (yield* perform({ do: "write", step: placingStep(request, view, { order, job, slots, held }) })) {
      yield* perform({ do: "wake", lane, job: { orderId, userID, token }, reservation });
      return { order, isReplayed: false };
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

/** Runs all checks in their order of precedence, starting with those that do not query the chain. */
function* assess(
  family: PlacingFamily,
  request: TradeRequest,
  view: PlacingView,
  known?: FamilyTypes["facts"],
): Procedure<AssessAnswer> {
  const { trade, setup, mayLose } = request;
  const early = objectionTo(request, view);
  const { laneOrders: orders, settings } = view;
  if (early !== undefined || setup instanceof DomainError) return { refused: early ?? "CHAIN_UNAVAILABLE" };
  const rules = rulesFor(request, view, setup.limits);
  const trader = { orders, settings, rules, mayLose, isStopped: view.isStopped };
  const question = family.questionAbout(request, trade, trader);
  const quotes: HostAnswers = known ? [known, known] : yield* perform({ do: "quote", question });
  const facts = family.jointAnswer(quotes, question);
  if (facts === undefined) return { refused: "CHAIN_UNAVAILABLE" };
  if (facts instanceof DomainError) return { refused: facts };
  const [check, ...others] = [facts, ...(quotes as readonly FamilyTypes["facts"][])].map((quote) =>
    family.check(setup, trade, trader, quote),
  ) as [FamilyTypes["check"], ...FamilyTypes["check"][]];
  // Ignores an objection that is based on the facts of only one host, because they may be wrong.
  const [objection] = [check, ...others].flatMap((each) => each.objection ?? []);
  if (objection !== undefined) return { refused: objection };
  return { setup, facts, check, ...(known === undefined && { quotes }) };
}

const rulesFor = (
  { userID, createdAt }: TradeRequest,
  { limits, laneOrders }: PlacingView,
  chainLimits: DayFeeLimits,
): OrderRules => rulesBeside(limits, laneOrders, { userID, nowMs: Date.parse(createdAt), chainLimits });

function objectionTo(request: TradeRequest, view: PlacingView): DomainError | undefined {
  const { trade, setup } = request;
  const stopped = objectionToTrading(view);
  if (stopped !== undefined) return stopped;
  if (setup instanceof DomainError) return setup;
  if (!view.hasWallet)
    return new DomainError("WALLET_NOT_FOUND", `You have no wallet with this address on ${setup.chain}`);
  const { side, token } = trade;
  const amount =
    side === "sell" || trade.amount === undefined
      ? undefined
      : coinUnitsFrom(setup.chain, trade.amount, "amount");
  return objectionToWallet({
    chain: setup.chain,
    side,
    token,
    amount,
    // Excludes the network fee, because only hosts know it.
    adds: amount,
    openOrders: view.laneOrders.filter((order) => !hasEnded(order)).length,
    maxOrder: setup.limits.maxOrder,
    rules: rulesFor(request, view, setup.limits),
  });
}

function intentOf(
  family: PlacingFamily,
  { chain, wallet, userID, orderId, trade, createdAt }: PlaceRequest,
  assessed: Assessed,
  { cutoffs }: PlacingView,
): FamilyTypes["intent"] {
  const { facts, check } = assessed;
  const seconds = trade.validForSeconds ?? family.secondsFor(check);
  const terms = {
    chain,
    wallet,
    orderId,
    userID,
    side: trade.side,
    token: trade.token,
    amount: facts.amount,
    minAmountOut: check.least,
    quotedOut: facts.amountOut,
    isPrivate: check.submission === "private",
    createdAt: Math.max(Date.parse(createdAt), firstAfter({ chain, wallet }, cutoffs)),
    validUntil: Math.floor(Date.parse(createdAt) / 1000) + seconds,
  };
  return family.intentOf(terms, assessed);
}

function newOrder(
  family: PlacingFamily,
  { trade, key, createdAt }: PlaceRequest,
  assessed: Assessed,
  intent: FamilyTypes["intent"],
  mac: string,
): TradeOrder {
  const { facts, check } = assessed;
  const { symbol, decimals } = facts.identity;
  return {
    ...family.orderPart,
    intent,
    mac,
    placed: {
      clientOrderId: key,
      symbol: pairNames(check.chain, symbol).symbol,
      baseSymbol: symbol,
      decimals,
      ...(trade.minAmountOut === undefined && { slippage: check.settings.slippage }),
      ...(trade.percent !== undefined && { percent: trade.percent }),
      createdAt,
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

type Placed = {
  order: AnyOrder;
  job: Job;
  slots: readonly SlotTerms[];
  /** Reserves the lane for the order's first run. */
  held: ReturnType<typeof reservedLane> | undefined;
};

function placingStep(
  { key, fingerprint }: PlaceRequest,
  { jobs, cutoffs }: PlacingView,
  { order, job, slots, held }: Placed,
): TradeStep {
  const { chain, wallet, userID, orderId } = order.intent;
  return [
    { kind: "put", of: "key", item: { userID, key, orderId, fingerprint }, when: "absent" },
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
    { kind: "check", of: "wallet", item: { chain, wallet, userID }, when: { retiredAt: undefined } },
    // Keeps an order from being accepted and void at once.
    ...unchangedCutoffs(order.intent, cutoffs),
  ];
}
