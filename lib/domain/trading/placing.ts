import type { ReasonCode } from "../execution.ts";
import { type PlacingView, type Procedure, perform } from "./effects.ts";
import { feesWithin, mostFee } from "./fees.ts";
import type { Intent, LaneKey, SwapVenue } from "./intent.ts";
import { needsOf, reservedBy } from "./reserved.ts";
import { bothAnswered, type OrderFacts, type Sights } from "./sight.ts";
import type { Step } from "./table-step.ts";
import { hasEnded, type Placed, type Quoted, type TradeOrder, unstarted } from "./trade-order.ts";

/** A request to place an order, as far as it does not depend on the chain. */
export type PlaceRequest = Omit<Intent, "minAmountOut" | "gasLimit" | "venues"> & {
  /** The idempotency key, and what the rest of the request comes to. */
  key: string;
  fingerprint: string;
  /** The client's own minimum. Otherwise the quote less the slippage. */
  minAmountOut?: bigint;
  placed: Placed;
  slippagePpm: bigint;
  venues: readonly SwapVenue[];
};

export type PlacingRefusal =
  | "IDEMPOTENCY_KEY_REUSED"
  | "WALLET_NOT_FOUND"
  | Extract<
      ReasonCode,
      | "TRADING_DISABLED"
      | "WALLET_BUSY"
      | "POLICY_LIMIT"
      | "CHAIN_UNAVAILABLE"
      | "NO_ROUTE"
      | "GAS_PRICE_TOO_HIGH"
      | "INSUFFICIENT_BALANCE"
    >;

export type PlaceAnswer = { order: TradeOrder; isReplayed: boolean } | { refused: PlacingRefusal };

const maxOpenOrders = 20;
const million = 1_000_000n;

/** Records an order, once for each key, and wakes its lane. A request that is refused leaves the key unused. */
export function* placeOrder(request: PlaceRequest): Procedure<PlaceAnswer> {
  const { chain, wallet, userID, key } = request;
  const lane: LaneKey = { chain, wallet };
  const view = yield* perform({ do: "readPlacing", lane, userID, key });
  const known = yield* replayed(request, view);
  if (known !== undefined) return known;
  const refused = refusalBefore(request, view);
  if (refused !== undefined) return { refused };
  const quoted = yield* quotedIntent(request, view);
  if (typeof quoted === "string") return { refused: quoted };
  const mac = yield* perform({ do: "makeMac", intent: quoted.intent });
  const order = newOrder(quoted, mac, request.placed);
  if (yield* perform({ do: "write", step: placingStep(request, order) })) {
    yield* perform({ do: "wake", lane });
    return { order, isReplayed: false };
  }
  // The same request was faster, or the wallet is gone.
  const after = yield* replayed(request, yield* perform({ do: "readPlacing", lane, userID, key }));
  return after ?? { refused: "WALLET_NOT_FOUND" };
}

/** The order that the key has placed. It is answered whatever has changed since, and its lane woken again. */
function* replayed(
  { fingerprint }: PlaceRequest,
  { used, order }: PlacingView,
): Procedure<PlaceAnswer | undefined> {
  if (used === undefined || order === undefined) return undefined;
  if (used.fingerprint !== fingerprint) return { refused: "IDEMPOTENCY_KEY_REUSED" };
  if (!order.life.settled) yield* perform({ do: "wake", lane: order.intent });
  return { order, isReplayed: true };
}

function refusalBefore(request: PlaceRequest, view: PlacingView): PlacingRefusal | undefined {
  if (view.isStopped) return "TRADING_DISABLED";
  if (!view.hasWallet) return "WALLET_NOT_FOUND";
  if (view.laneOrders.filter((order) => !hasEnded(order)).length >= maxOpenOrders) return "WALLET_BUSY";
  const isAbove = view.maxOrder !== undefined && request.amount > view.maxOrder;
  return request.side === "buy" && isAbove ? "POLICY_LIMIT" : undefined;
}

type QuotedIntent = { intent: Intent; quoted: Quoted };

function* quotedIntent(
  request: PlaceRequest,
  { laneOrders }: PlacingView,
): Procedure<QuotedIntent | PlacingRefusal> {
  const { key: _, fingerprint, placed, slippagePpm, minAmountOut, ...rest } = request;
  const draft: Intent = { ...rest, minAmountOut: minAmountOut ?? 1n, gasLimit: 0n };
  const { chain, wallet, orderId } = draft;
  const question = { chain, wallet, hashes: [], orders: [draft] };
  const sights: Sights = [
    yield* perform({ do: "look", host: 0, question }),
    yield* perform({ do: "look", host: 1, question }),
  ];
  if (!bothAnswered(sights)) return "CHAIN_UNAVAILABLE";
  const [facts, other] = sights.map(({ orders }) => orders.get(orderId));
  if (facts === undefined || other === undefined) return "CHAIN_UNAVAILABLE";
  if (facts.quote === undefined && other.quote === undefined) return "NO_ROUTE";
  // One host alone could name a minimum far below the market.
  const isAgreed =
    sights[0].latest.hash === sights[1].latest.hash && facts.quote?.amountOut === other.quote?.amountOut;
  if (!isAgreed || facts.quote === undefined) return "CHAIN_UNAVAILABLE";
  const { amountOut, priceImpact } = facts.quote;
  const least = (amountOut * (million - slippagePpm)) / million;
  const gasLimit = facts.gasLimit.swap;
  const intent = { ...draft, gasLimit, minAmountOut: minAmountOut ?? (least > 0n ? least : 1n) };
  const { baseFee, coins } = sights[0];
  const fees = feesWithin(intent.maxGasPrice, facts.fees, baseFee, gasLimit, facts.l1Fee.swap);
  if (fees === undefined) return "GAS_PRICE_TOO_HIGH";
  const networkFee = mostFee(transactionsOf(intent, facts), fees);
  const quoted = { amountOut, ...(priceImpact !== undefined && { priceImpact }), networkFee };
  return isAffordable({ intent, quoted }, facts, coins, laneOrders)
    ? { intent, quoted }
    : "INSUFFICIENT_BALANCE";
}

/** The transactions that an order still needs. */
function transactionsOf({ side, amount }: Intent, facts: OrderFacts) {
  const { gasLimit, l1Fee, allowance = 0n, wantsZeroFirst } = facts;
  const approvals = side === "buy" || allowance >= amount ? 0 : wantsZeroFirst && allowance > 0n ? 2 : 1;
  const approve = { gasLimit: gasLimit.approve, l1Fee: l1Fee.approve };
  return [...Array(approvals).fill(approve), { gasLimit: gasLimit.swap, l1Fee: l1Fee.swap }];
}

/** Whether the wallet has what the order needs, beside what its open orders will spend. */
function isAffordable(
  { intent, quoted }: QuotedIntent,
  { held = 0n }: OrderFacts,
  coins: bigint,
  others: readonly TradeOrder[],
): boolean {
  const needs = needsOf({ intent, quoted, amount: intent.amount });
  const reserved = reservedBy(others);
  if (coins < reserved.coins + needs.coins) return false;
  return intent.side === "buy" || held >= (reserved.tokens.get(intent.token) ?? 0n) + needs.tokens;
}

const newOrder = ({ intent, quoted }: QuotedIntent, mac: string, placed: Placed): TradeOrder => ({
  intent,
  mac,
  placed,
  quoted,
  amount: intent.amount,
  approveNonces: [],
  isCancelling: false,
  life: unstarted,
  revision: 1,
  version: 1,
  updatedAt: placed.createdAt,
});

function placingStep({ key, fingerprint }: PlaceRequest, order: TradeOrder): Step {
  const { chain, wallet, userID, orderId, token } = order.intent;
  return [
    { put: "key", item: { userID, key, orderId, fingerprint }, when: "absent" },
    { put: "order", item: order, when: "absent" },
    { put: "job", item: { chain, wallet, orderId, userID, token }, when: "absent" },
    { change: "lane", item: { chain, wallet }, addJobs: 1 },
    { check: "wallet", item: { chain, wallet, userID }, when: { isRetired: false } },
  ];
}
