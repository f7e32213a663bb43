import { DomainError } from "../domain-error.ts";
import { dayOf } from "../time.ts";
import { coinDecimals, unitsFrom } from "./decimal-text.ts";
import { type PlacingView, type Procedure, perform } from "./effects.ts";
import { type Intent, type LaneKey, routesFor, type SwapVenue } from "./intent.ts";
import { jointFacts } from "./joint-facts.ts";
import { type Judgement, judgeTrade, settingsForTrade, type TradingGround } from "./judge-trade.ts";
import { objectionToTrading, objectionToWallet } from "./order-checks.ts";
import { buyRulesBeside } from "./reserved.ts";
import type { Step } from "./table-step.ts";
import type { AskedTrade, HostQuote, TradeFacts } from "./trade-facts.ts";
import { hasEnded, type TradeOrder, unstarted } from "./trade-order.ts";
import { chainFacts } from "./trading-chain.ts";
import type { BuyRules } from "./wallet-policy.ts";

type PlacingGround = TradingGround & { venues: readonly SwapVenue[] };

/** A request to trade with a wallet, as it was given. */
export type TradeRequest = LaneKey & {
  userID: string;
  trade: AskedTrade;
  /** ISO 8601. */
  createdAt: string;
  /** The chain, or why it does not trade. */
  ground: PlacingGround | DomainError<"UNSUPPORTED_CHAIN">;
};

/** A request to place an order. */
export type PlaceRequest = TradeRequest & {
  /** For the order, if the key has none yet. */
  orderId: string;
  /** The idempotency key, and what the rest of the request comes to. */
  key: string;
  fingerprint: string;
  validForSeconds?: number | undefined;
};

/** `CHAIN_UNAVAILABLE`: no two hosts say the same. */
export type PlacingRefusal = DomainError | "CHAIN_UNAVAILABLE";

export type PlaceAnswer = { order: TradeOrder; isReplayed: boolean } | { refused: PlacingRefusal };

/** What an order would be, by facts that two hosts agree on. */
export type Assessed = { ground: PlacingGround; facts: TradeFacts; judged: Judgement };

export type AssessAnswer = Assessed | { refused: PlacingRefusal };

/** Each try but the last meets another order that is placed for the wallet, of which it may have 20. */
const maxTries = 20;

const validSeconds = { slow: 600, medium: 120, fast: 120, turbo: 120 } as const;

/** Records an order, once for each key, and wakes its lane. A request that is refused leaves the key unused. */
export function* placing(request: PlaceRequest): Procedure<PlaceAnswer> {
  const { chain, wallet, userID, key, createdAt } = request;
  const lane: LaneKey = { chain, wallet };
  let known: TradeFacts | undefined;
  for (let tries = 0; tries < maxTries; tries++) {
    const view = yield* perform({ do: "readPlacing", lane, day: dayOf(Date.parse(createdAt)), userID, key });
    const replay = yield* replayed(request, view);
    if (replay !== undefined) return replay;
    const assessed = yield* assess(request, view, known);
    if ("refused" in assessed) return assessed;
    // A share is of what the orders in between have left.
    if (request.trade.percent === undefined) known = assessed.facts;
    const intent = intentOf(request, assessed);
    const mac = yield* perform({ do: "makeMac", intent });
    const order = newOrder(request, assessed, intent, mac);
    if (yield* perform({ do: "write", step: placingStep(request, order, view) })) {
      yield* perform({ do: "wake", lane });
      return { order, isReplayed: false };
    }
    // The key was used meanwhile, the wallet is gone, or another order reserves what this one reckoned with.
  }
  return { refused: new DomainError("WALLET_BUSY", "Too many orders are placed for the wallet at once") };
}

/** What an order for the trade would be, without any trace of it. */
export function* trying(request: TradeRequest): Procedure<AssessAnswer> {
  const { chain, wallet, userID, createdAt } = request;
  const day = dayOf(Date.parse(createdAt));
  const view = yield* perform({ do: "readPlacing", lane: { chain, wallet }, day, userID });
  return yield* assess(request, view);
}

/** The order that the key has placed. It is answered whatever has changed since, and its lane woken again. */
function* replayed(
  { fingerprint }: PlaceRequest,
  { used, order }: PlacingView,
): Procedure<PlaceAnswer | undefined> {
  if (used === undefined || order === undefined) return undefined;
  if (used.fingerprint !== fingerprint) {
    const { orderId } = used;
    const message = "Idempotency-Key has placed another order, with another body";
    return { refused: new DomainError("IDEMPOTENCY_KEY_REUSED", message, { orderId }) };
  }
  if (!order.life.settled) yield* perform({ do: "wake", lane: order.intent });
  return { order, isReplayed: true };
}

/** Checks everything in the order in which it counts. What needs no chain comes first. */
function* assess(request: TradeRequest, view: PlacingView, known?: TradeFacts): Procedure<AssessAnswer> {
  const { chain, wallet, trade, ground } = request;
  const early = objectionTo(request, view);
  const { laneOrders: orders, settings } = view;
  // A chain that trades has settings.
  if (early !== undefined || ground instanceof DomainError || settings === undefined)
    return { refused: early ?? "CHAIN_UNAVAILABLE" };
  const { gasPreset } = settingsForTrade(trade, { settings });
  const question = { chain, wallet, trade, gasPreset, orders };
  const quotes = known ? ([known, known] as const) : yield* perform({ do: "quote", question });
  const facts = agreed(quotes);
  if (facts === undefined) return { refused: "CHAIN_UNAVAILABLE" };
  if (facts instanceof DomainError) return { refused: facts };
  const [judged, ...others] = [facts, ...(quotes as readonly TradeFacts[])].map((quote) =>
    judgeTrade(ground, trade, { ...view, orders, settings, buyRules: buyRulesFor(request, view) }, quote),
  ) as [Judgement, ...Judgement[]];
  // What either of them objects to is not certain to be right.
  const [objection] = [judged, ...others].flatMap((each) => each.objection ?? []);
  return objection === undefined ? { ground, facts, judged } : { refused: objection };
}

const buyRulesFor = ({ userID, createdAt }: TradeRequest, { limits, laneOrders }: PlacingView): BuyRules =>
  buyRulesBeside(limits, laneOrders, userID, Date.parse(createdAt));

function objectionTo(request: TradeRequest, view: PlacingView): DomainError | undefined {
  const { trade, ground } = request;
  const stopped = objectionToTrading(view);
  if (stopped !== undefined) return stopped;
  if (ground instanceof DomainError) return ground;
  if (!view.hasWallet)
    return new DomainError("WALLET_NOT_FOUND", `You have no wallet with this address on ${ground.chain}`);
  const { side, token, amount } = trade;
  return objectionToWallet({
    side,
    token,
    amount: side === "sell" || amount === undefined ? undefined : unitsFrom(amount, coinDecimals, "amount"),
    openOrders: view.laneOrders.filter((order) => !hasEnded(order)).length,
    maxOrder: view.maxOrder,
    buyRules: buyRulesFor(request, view),
  });
}

/** What both hosts say. A single one could make up a minimum far below the market, or hide that there is a route. */
function agreed([a, b]: readonly [HostQuote, HostQuote]): HostQuote {
  if (a === undefined || b === undefined) return undefined;
  if (a instanceof DomainError || b instanceof DomainError)
    return a instanceof DomainError && b instanceof DomainError && a.code === b.code ? a : undefined;
  return isSameQuote(a, b) ? jointFacts(a, b) : undefined;
}

/** Whether two hosts quote the same at the same block. */
export const isSameQuote = (a: TradeFacts, b: TradeFacts): boolean =>
  a.block.number === b.block.number &&
  a.block.time === b.block.time &&
  a.amount === b.amount &&
  a.amountOut === b.amountOut &&
  a.route.venue === b.route.venue &&
  a.route.feeBps === b.route.feeBps &&
  a.identity.decimals === b.identity.decimals;

function intentOf(request: PlaceRequest, { ground, facts, judged }: Assessed): Intent {
  const { chain, wallet, userID, orderId, trade, validForSeconds, createdAt } = request;
  const { gasPreset } = judged.settings;
  const seconds = validForSeconds ?? validSeconds[gasPreset];
  return {
    chain,
    wallet,
    orderId,
    userID,
    side: trade.side,
    token: trade.token,
    amount: facts.amount,
    minAmountOut: judged.least,
    ...routesFor(trade.side, ground.venues, facts.route),
    gasLimit: facts.transactions.at(-1)?.gasLimit ?? 0n,
    maxGasPrice: judged.maxGasPrice,
    gasPreset,
    isPrivate: judged.submission === "private",
    validUntil: Math.floor(Date.parse(createdAt) / 1000) + seconds,
  };
}

function newOrder(
  { trade, key, createdAt }: PlaceRequest,
  { facts, judged }: Assessed,
  intent: Intent,
  mac: string,
): TradeOrder {
  const { symbol, decimals } = facts.identity;
  const { coin } = chainFacts[judged.chain];
  const { amountOut, priceImpact } = facts;
  return {
    intent,
    mac,
    placed: {
      clientOrderId: key,
      symbol: `${symbol}/${coin.symbol}`,
      decimals,
      ...(trade.minAmountOut === undefined && { slippage: judged.settings.slippage }),
      ...(trade.percent !== undefined && { percent: trade.percent }),
      createdAt,
    },
    quoted: { amountOut, priceImpact, networkFee: judged.networkFee.max },
    amount: intent.amount,
    approveNonces: [],
    isCancelling: false,
    life: unstarted,
    revision: 1,
    version: 1,
    updatedAt: createdAt,
  };
}

function placingStep({ key, fingerprint }: PlaceRequest, order: TradeOrder, { jobs }: PlacingView): Step {
  const { chain, wallet, userID, orderId, token } = order.intent;
  return [
    { put: "key", item: { userID, key, orderId, fingerprint }, when: "absent" },
    { put: "order", item: order, when: "absent" },
    { put: "job", item: { chain, wallet, orderId, userID, token }, when: "absent" },
    // No order was placed since, which would reserve its part of what this one was judged by.
    {
      change: "lane",
      item: { chain, wallet },
      addJobs: 1,
      when: jobs === undefined ? "absent" : { jobs },
    },
    { check: "wallet", item: { chain, wallet, userID }, when: { isRetired: false } },
  ];
}
