import { DomainError } from "../../core/domain-error.ts";
import { dayOf } from "../../core/time.ts";
import { greatest } from "./bigints.ts";
import { type ChainSetup, checkTrade, settingsForTrade, type TradeCheck } from "./check-trade.ts";
import { coinDecimals, unitsFrom } from "./decimal-text.ts";
import { type PlacingView, type Procedure, perform } from "./effects.ts";
import { usualGasLimit } from "./evm/fees.ts";
import { jointQuote } from "./evm/joint-facts.ts";
import { factsText } from "./evm/placed-facts.ts";
import { routesToBind } from "./evm/route-choice.ts";
import { type Intent, isSameRoute, type LaneKey, longestValidSeconds } from "./intent.ts";
import { objectionToTrading, objectionToWallet } from "./order-checks.ts";
import { rulesBeside } from "./reserved.ts";
import type { TradeStep } from "./table-step.ts";
import { type AskedTrade, addressesOf, type HostQuote, type TradeFacts } from "./trade-facts.ts";
import { type AnyOrder, hasEnded, type TradeOrder, unstarted } from "./trade-order.ts";
import { chainFacts } from "./trading-chain.ts";
import type { OrderRules } from "./wallet-policy.ts";

/** A request to trade with a wallet, as the client sent it. */
export type TradeRequest = LaneKey & {
  userID: string;
  trade: AskedTrade;
  /** In ISO 8601. */
  createdAt: string;
  /** The chain, or the reason why it does not trade. */
  setup: ChainSetup | DomainError<"UNSUPPORTED_CHAIN">;
};

/** A request to place an order. */
export type PlaceRequest = TradeRequest & {
  /** The id of the order, if the key has not placed one yet. */
  orderId: string;
  /** The idempotency key, and the fingerprint of the rest of the request. */
  key: string;
  fingerprint: string;
  validForSeconds?: number | undefined;
};

/** `CHAIN_UNAVAILABLE` means that no two hosts agree. */
export type PlacingRefusal = DomainError | "CHAIN_UNAVAILABLE";

export type PlaceAnswer = { order: AnyOrder; isReplayed: boolean } | { refused: PlacingRefusal };

/** The terms of an order, by facts that two hosts agree on. */
export type Assessed = {
  setup: ChainSetup;
  facts: TradeFacts;
  check: TradeCheck;
  /** The answers of the hosts that were just asked. */
  quotes?: readonly [HostQuote, HostQuote];
};

export type AssessAnswer = Assessed | { refused: PlacingRefusal };

/** Each try can fail because another order is placed for the wallet, which may have 20 of them. */
const maxTries = 20;

const validSeconds = { slow: longestValidSeconds, medium: 120, fast: 120, turbo: 120 } as const;

/** Records an order, once for each key, and wakes its lane. A refused request leaves the key unused. */
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
    // A percentage refers to the balance that the orders placed meanwhile have left.
    if (request.trade.percent === undefined) known = assessed.facts;
    const intent = intentOf(request, assessed);
    const { orderId, token } = intent;
    const mac = yield* perform({ do: "makeMac", intent });
    const order = newOrder(request, assessed, intent, mac);
    if (yield* perform({ do: "write", step: placingStep(request, order, view, assessed) })) {
      yield* perform({ do: "wake", lane, job: { orderId, userID, token } });
      return { order, isReplayed: false };
    }
    // The key was used meanwhile, the wallet is gone, or another order has reserved funds that this one needs.
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
  return yield* assess(request, view);
}

/**
 * Replays the request: returns the order that this key placed, even if it has changed since, and wakes its lane again.
 */
function* replayed(
  { fingerprint }: PlaceRequest,
  { used, order }: PlacingView,
): Procedure<PlaceAnswer | undefined> {
  if (used === undefined || order === undefined) return undefined;
  if (used.fingerprint !== fingerprint) {
    const { orderId } = used;
    const message = "Idempotency-Key was used for another order, with another body";
    return { refused: new DomainError("IDEMPOTENCY_KEY_REUSED", message, { orderId }) };
  }
  if (!order.life.settled) yield* perform({ do: "wake", lane: order.intent });
  return { order, isReplayed: true };
}

/** Runs all checks in their order of precedence. Those that need no chain come first. */
function* assess(request: TradeRequest, view: PlacingView, known?: TradeFacts): Procedure<AssessAnswer> {
  const { chain, wallet, trade, setup } = request;
  const early = objectionTo(request, view);
  const { laneOrders: orders, settings } = view;
  // Every chain that trades has settings.
  if (early !== undefined || setup instanceof DomainError || settings === undefined)
    return { refused: early ?? "CHAIN_UNAVAILABLE" };
  const { gasPreset } = settingsForTrade(trade, { settings });
  const question = { chain, wallet, trade, gasPreset, orders };
  const quotes = known ? ([known, known] as const) : yield* perform({ do: "quote", question });
  const facts = jointQuote(...quotes, trade.side);
  if (facts === undefined) return { refused: "CHAIN_UNAVAILABLE" };
  if (facts instanceof DomainError) return { refused: facts };
  const [check, ...others] = [facts, ...(quotes as readonly TradeFacts[])].map((quote) =>
    checkTrade(setup, trade, { ...view, orders, settings, rules: rulesFor(request, view) }, quote),
  ) as [TradeCheck, ...TradeCheck[]];
  // An objection that only one host's facts raise may be wrong.
  const [objection] = [check, ...others].flatMap((each) => each.objection ?? []);
  if (objection !== undefined) return { refused: objection };
  return { setup, facts, check, ...(known === undefined && { quotes }) };
}

const rulesFor = ({ userID, createdAt }: TradeRequest, { limits, laneOrders }: PlacingView): OrderRules =>
  rulesBeside(limits, laneOrders, userID, Date.parse(createdAt));

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
      : unitsFrom(trade.amount, coinDecimals[setup.chain], "amount");
  return objectionToWallet({
    chain: setup.chain,
    side,
    token,
    amount,
    // Without the network fee, which only hosts know.
    adds: amount,
    openOrders: view.laneOrders.filter((order) => !hasEnded(order)).length,
    maxOrder: setup.limits.maxOrder,
    rules: rulesFor(request, view),
  });
}

function intentOf(request: PlaceRequest, { facts, check }: Assessed): Intent {
  const { chain, wallet, userID, orderId, trade, validForSeconds, createdAt } = request;
  const { gasPreset } = check.settings;
  const seconds = validForSeconds ?? validSeconds[gasPreset];
  return {
    chain,
    wallet,
    orderId,
    userID,
    side: trade.side,
    token: trade.token,
    amount: facts.amount,
    minAmountOut: check.least,
    quotedOut: facts.amountOut,
    routes: routesToBind(
      facts.routes,
      { side: trade.side, amountIn: facts.amount, isListed: facts.identity.isListed },
      check.least,
    ),
    gasLimit: facts.transactions.at(-1)?.gasLimit ?? 0n,
    approvalGas: trade.side === "sell" ? approvalGasOf(facts) : 0n,
    maxGasPrice: check.maxGasPrice,
    gasPreset,
    isPrivate: check.submission === "private",
    nextNonce: facts.nextNonce ?? 0,
    validUntil: Math.floor(Date.parse(createdAt) / 1000) + seconds,
  };
}

/** An approval may become necessary, or need more gas, when another order has used up the allowance. */
const approvalGasOf = ({ transactions }: TradeFacts): bigint =>
  greatest(usualGasLimit.approve, ...transactions.slice(0, -1).map(({ gasLimit }) => gasLimit));

function newOrder(
  { trade, key, createdAt }: PlaceRequest,
  { facts, check }: Assessed,
  intent: Intent,
  mac: string,
): TradeOrder {
  const { symbol, decimals } = facts.identity;
  const { coin } = chainFacts[check.chain];
  return {
    intent,
    mac,
    placed: {
      clientOrderId: key,
      symbol: `${symbol}/${coin.symbol}`,
      decimals,
      ...(trade.minAmountOut === undefined && { slippage: check.settings.slippage }),
      ...(trade.percent !== undefined && { percent: trade.percent }),
      createdAt,
    },
    quoted: {
      priceImpact: facts.priceImpact,
      ...(facts.market && { marketImpact: facts.market.impact }),
      pools: intent.routes.map((route) => addressesOf(facts.routes.find((each) => isSameRoute(each, route)))),
      networkFee: check.networkFee.max,
    },
    amount: intent.amount,
    approveNonces: [],
    isCancelling: false,
    life: unstarted,
    revision: 1,
    version: 1,
    updatedAt: createdAt,
  };
}

/** Returns what both hosts said about the same block. Undefined if one of them did not say all that a plan needs. */
function factsForRun({ setup, quotes = [undefined, undefined] }: Assessed, intent: Intent, jobs: number) {
  const [one, other] = quotes.map((quote) => (quote instanceof DomainError ? undefined : quote?.forPlanning));
  if (one === undefined || one.latest.hash !== other?.latest.hash) return undefined;
  return factsText({ setup: setup.name, jobs, hosts: [one, other] }, intent);
}

function placingStep(
  { key, fingerprint }: PlaceRequest,
  order: TradeOrder,
  { jobs }: PlacingView,
  assessed: Assessed,
): TradeStep {
  const { chain, wallet, userID, orderId, token } = order.intent;
  const facts = factsForRun(assessed, order.intent, (jobs ?? 0) + 1);
  const job = { chain, wallet, orderId, userID, token, ...(facts !== undefined && { facts }) };
  return [
    { kind: "put", of: "key", item: { userID, key, orderId, fingerprint }, when: "absent" },
    { kind: "put", of: "order", item: order, when: "absent" },
    { kind: "put", of: "job", item: job, when: "absent" },
    // No order was placed since; it would have reserved funds that this one counts on.
    {
      kind: "change",
      of: "lane",
      item: { chain, wallet },
      add: { jobs: 1 },
      when: jobs === undefined ? "absent" : { jobs },
    },
    { kind: "check", of: "wallet", item: { chain, wallet, userID }, when: { retiredAt: undefined } },
  ];
}
