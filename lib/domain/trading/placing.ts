import type { ReasonCode } from "../execution.ts";
import { type PlacingView, type Procedure, perform } from "./effects.ts";
import type { Intent, LaneKey, SwapVenue } from "./intent.ts";
import { bothAnswered, type OrderFacts, type Sight, type Sights } from "./sight.ts";
import type { Step } from "./table-step.ts";
import { hasEnded, type Placed, type TradeOrder, unstarted } from "./trade-order.ts";

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
  const intent = yield* intentFor(request, view);
  if (typeof intent === "string") return { refused: intent };
  const mac = yield* perform({ do: "makeMac", intent });
  const order = newOrder(intent, mac, request.placed);
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

function* intentFor(request: PlaceRequest, { laneOrders }: PlacingView): Procedure<Intent | PlacingRefusal> {
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
  const least = (facts.quote.amountOut * (million - slippagePpm)) / million;
  const gasLimit = facts.gasLimit.swap;
  const intent = { ...draft, gasLimit, minAmountOut: minAmountOut ?? (least > 0n ? least : 1n) };
  if (facts.gasPrice > intent.maxGasPrice) return "GAS_PRICE_TOO_HIGH";
  return isAffordable(intent, facts, sights[0], laneOrders) ? intent : "INSUFFICIENT_BALANCE";
}

/** Whether the wallet has what the order needs, beside what its open orders will spend. */
function isAffordable(
  intent: Intent,
  facts: OrderFacts,
  { coins }: Sight,
  others: readonly TradeOrder[],
): boolean {
  const open = others.filter((order) => !hasEnded(order));
  const reserved = open.reduce((sum, order) => sum + coinsReserved(order.intent), 0n);
  if (coins < reserved + coinsReserved(intent)) return false;
  if (intent.side === "buy") return true;
  const sales = open.filter((order) => order.intent.side === "sell" && order.intent.token === intent.token);
  const promised = sales.reduce((sum, order) => sum + order.amount, 0n);
  return (facts.held ?? 0n) >= promised + intent.amount;
}

/** The most coins that an order can spend: a sale may need an approval too. */
const coinsReserved = ({ side, amount, gasLimit, maxGasPrice }: Intent): bigint =>
  side === "buy" ? amount + gasLimit * maxGasPrice : 2n * gasLimit * maxGasPrice;

const newOrder = (intent: Intent, mac: string, placed: Placed): TradeOrder => ({
  intent,
  mac,
  placed,
  amount: intent.amount,
  approveNonces: [],
  isCancelling: false,
  life: unstarted,
  revision: 1,
  version: 1,
  updatedAt: placed.createdAt,
});

function placingStep({ key, fingerprint }: PlaceRequest, order: TradeOrder): Step {
  const { chain, wallet, userID, orderId } = order.intent;
  return [
    { put: "key", item: { userID, key, orderId, fingerprint }, when: "absent" },
    { put: "order", item: order, when: "absent" },
    { put: "job", item: { chain, wallet, orderId, userID }, when: "absent" },
    { change: "lane", item: { chain, wallet }, addJobs: 1 },
    { check: "wallet", item: { chain, wallet, userID }, when: { isRetired: false } },
  ];
}
