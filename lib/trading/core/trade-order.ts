import { coinDecimals, coinText, formatAmount, formatPrice } from "./decimal-text.ts";
import { type Block, bothAnswered, type HostSnapshots, isPast } from "./evm/host-snapshot.ts";
import { minedAttempt, type Slot } from "./evm/slot.ts";
import type { Order, ReasonCode } from "./execution.ts";
import type { Intent } from "./intent.ts";
import type { OrderDetails } from "./order-details.ts";
import { reasonText } from "./reason-text.ts";
import { nativeToken } from "./trading-chain.ts";

/**
 * An end that no later fact about the chain changes, because no swap was signed. Only a sale that found no tokens may
 * still change.
 */
export type OrderEnd = {
  status: "cancelled" | "rejected" | "expired";
  reasonCode: ReasonCode;
  /** For a sale that found no tokens: the nonce up to which the wallet was checked. */
  soldOutAt?: number;
  /** The blocks in which both hosts saw no tokens. The end is certain when these are final. */
  soldOutIn?: readonly Pick<Block, "number" | "hash">[];
};

export const cancelledByUser: OrderEnd = { status: "cancelled", reasonCode: "CANCELLED_BY_USER" };

/** An order's progress, as clients see it. */
export type Life = {
  status: OrderEnd["status"] | "open" | "filled";
  stage: NonNullable<Order["stage"]>;
  settled: boolean;
  networkFee: bigint;
  spent: bigint;
  received?: bigint;
  txHash?: string;
  reasonCode?: ReasonCode;
};

/** The terms of a placed order that clients see, in addition to the intent. */
export type Placed = {
  clientOrderId: string;
  symbol: string;
  decimals: number;
  /** In percent. Absent if the client named the minimum. */
  slippage?: number;
  percent?: number;
  createdAt: string;
};

/** The hosts' quote at the time of placing, in addition to the intent's. */
export type Quoted = {
  /** In percent. */
  priceImpact?: number;
  marketImpact?: number;
  /** The pools of each of the intent's routes, from the coin to the token, by address. */
  pools?: readonly (readonly string[])[];
  /** The highest planned cost of its transactions, in coin. */
  networkFee: bigint;
};

/** An order placed here. Clients see {@link shownOrder}. */
export type TradeOrder = {
  intent: Intent;
  /** Proves that placeOrder made the intent. */
  mac: string;
  placed: Placed;
  quoted: Quoted;
  /** The amount to spend. A sale lowers it to the wallet's balance. */
  amount: bigint;
  approveNonces: readonly number[];
  /** The only nonce that its swap may have. */
  swapNonce?: number | undefined;
  /** True if the user wants to cancel it after its swap was signed. */
  isCancelling: boolean;
  ending?: OrderEnd;
  life: Life;
  /** Present once the order has settled. */
  details?: OrderDetails;
  /** Grows with each write. */
  revision: number;
  /** Grows with each change that clients see. */
  version: number;
  updatedAt: string;
};

export const unstarted: Life = {
  status: "open",
  stage: "queued",
  settled: false,
  networkFee: 0n,
  spent: 0n,
};

export const hasEnded = ({ life }: TradeOrder): boolean => life.status !== "open";

/** The changes by which a cancellation takes effect once the swap is signed. */
export const beingCancelled = ({ life }: TradeOrder): Pick<TradeOrder, "isCancelling" | "life"> => ({
  isCancelling: true,
  life: { ...life, stage: "cancelling" },
});

export const slotsOf = ({ intent }: TradeOrder, slots: readonly Slot[]): Slot[] =>
  slots.filter(({ orderId }) => orderId === intent.orderId);

/** Returns the slot of the order's swap. */
export const swapSlotOf = ({ intent, swapNonce }: TradeOrder, slots: readonly Slot[]): Slot | undefined =>
  slots.find(({ orderId, nonce }) => orderId === intent.orderId && nonce === swapNonce);

/** True if no later block can fill it. While a host does not answer, the previous state holds. */
const isLate = ({ intent, life }: TradeOrder, snapshots: HostSnapshots) =>
  bothAnswered(snapshots) ? isPast(intent.validUntil, snapshots) : life.status === "expired";

type Progress = Pick<Life, "status" | "stage" | "reasonCode">;

const ended = (status: Life["status"], reasonCode?: ReasonCode): Progress => ({
  status,
  stage: "done",
  ...(reasonCode && { reasonCode }),
});

const open = (stage: Life["stage"], reasonCode?: ReasonCode): Progress => ({
  status: "open",
  stage,
  ...(reasonCode && { reasonCode }),
});

/** Derives the order's life from its slots. All of it is provisional until the slots are final. */
export function lifeOf(order: TradeOrder, slots: readonly Slot[], snapshots: HostSnapshots): Life {
  const own = slotsOf(order, slots);
  const swap = swapSlotOf(order, own);
  const mined = swap && minedAttempt(swap)?.purpose === "swap" ? swap.receipt : undefined;
  const newest = swap?.attempts.findLast(({ purpose }) => purpose === "swap");
  const txHash = mined?.hash ?? newest?.hash;
  return {
    ...(progressOf(order, own, snapshots) ?? order.life),
    settled: false,
    networkFee: own.reduce((sum, { receipt }) => sum + (receipt?.fee ?? 0n), 0n),
    spent: mined?.status === "ok" ? mined.spent : 0n,
    ...(mined?.status === "ok" && { received: mined.received }),
    ...(txHash !== undefined && { txHash }),
  };
}

function progressOf(order: TradeOrder, own: readonly Slot[], snapshots: HostSnapshots): Progress {
  const { ending, life } = order;
  if (ending !== undefined) return ended(ending.status, ending.reasonCode);
  const swap = swapSlotOf(order, own);
  const slot = swap ?? own.find((approval) => approval.state !== "mined" || !isApproved(approval));
  switch (slot?.state) {
    case undefined:
    case "planned": {
      // Its approval was mined, but too late for the swap.
      if (life.status === "expired" && isLate(order, snapshots)) return ended("expired", life.reasonCode);
      const isWaiting = life.status === "open" && life.stage === "waiting";
      return isWaiting ? open("waiting", life.reasonCode) : open("queued");
    }
    case "signed": {
      if (isLate(order, snapshots)) return ended("expired", reasonOfExpiry(life));
      const stage = order.isCancelling ? "cancelling" : slot === swap ? "sent" : "approving";
      const failure = failureOf(slot);
      if (failure !== undefined) return open(order.isCancelling ? stage : "waiting", failure);
      const isAway = snapshots.every((snapshot) => snapshot === undefined);
      return open(stage, isAway ? "CHAIN_UNAVAILABLE" : undefined);
    }
    case "taken":
      return order.isCancelling ? cancelled : ended("rejected", "NONCE_TAKEN");
    case "mined":
      return minedProgress(order, slot);
  }
}

const cancelled = ended(cancelledByUser.status, cancelledByUser.reasonCode);

/** Returns why nobody takes the newest attempt. Undefined if somebody did. */
function failureOf({ isUndelivered, refusal, isPrivate, attempts }: Slot): ReasonCode | undefined {
  if (!isUndelivered) return undefined;
  if (refusal === "underpriced") return "GAS_PRICE_TOO_HIGH";
  if (refusal === "unfunded") return "INSUFFICIENT_BALANCE";
  return isPrivate && attempts.at(-1)?.purpose !== "clear" ? "RELAY_UNAVAILABLE" : "CHAIN_UNAVAILABLE";
}

/** An order that waited until its end keeps the reason, also while its nonce is freed. */
const reasonOfExpiry = ({ status, stage, reasonCode }: Life): ReasonCode =>
  (status === "expired" || stage === "waiting" ? reasonCode : undefined) ?? "NOT_INCLUDED";

const isApproved = (slot: Slot) => minedAttempt(slot)?.purpose === "approve" && slot.receipt?.status === "ok";

function minedProgress({ life, isCancelling }: TradeOrder, slot: Slot): Progress {
  const { receipt } = slot;
  if (minedAttempt(slot)?.purpose === "clear")
    return isCancelling ? cancelled : ended("expired", reasonOfExpiry(life));
  if (receipt?.status === "ok") return ended("filled");
  return ended("rejected", receipt?.isSlippage ? "SLIPPAGE_EXCEEDED" : "REVERTED");
}

/**
 * Applies changes to the order, with the next revision, and with the next version if clients see a difference. The
 * time never falls, although a writer may have read the clock before the previous one did.
 */
export function changed(
  order: TradeOrder,
  changes: Partial<
    Pick<
      TradeOrder,
      "amount" | "approveNonces" | "swapNonce" | "isCancelling" | "ending" | "life" | "details"
    >
  >,
  nowMs: number,
): TradeOrder {
  const next = { ...order, ...changes, revision: order.revision + 1 };
  if (isSameLife(next.life, order.life) && next.amount === order.amount) return next;
  const updatedMs = Math.max(nowMs, Date.parse(order.updatedAt));
  return { ...next, version: order.version + 1, updatedAt: new Date(updatedMs).toISOString() };
}

export function isSameLife(a: Life, b: Life): boolean {
  const names = new Set([...Object.keys(a), ...Object.keys(b)]) as Set<keyof Life>;
  return [...names].every((name) => a[name] === b[name]);
}

/** Returns the order as clients and streams see it. */
export function shownOrder({ intent, placed, amount, life, version, updatedAt }: TradeOrder): Order {
  const { chain, side } = intent;
  const ofCoin = coinDecimals[chain];
  const [inDecimals, outDecimals] = side === "buy" ? [ofCoin, placed.decimals] : [placed.decimals, ofCoin];
  const { received, spent, txHash, reasonCode } = life;
  const [coins, tokens] = side === "buy" ? [spent, received] : [received, spent];
  return {
    orderId: intent.orderId,
    clientOrderId: placed.clientOrderId,
    wallet: intent.wallet,
    chain,
    symbol: placed.symbol,
    token: intent.token,
    side,
    type: "market",
    status: life.status,
    stage: life.stage,
    settled: life.settled,
    amount: formatAmount(amount, inDecimals),
    amountToken: side === "buy" ? nativeToken : intent.token,
    ...(placed.percent !== undefined && { percent: placed.percent }),
    filledAmount: formatAmount(spent, inDecimals),
    ...(received !== undefined && { receivedAmount: formatAmount(received, outDecimals) }),
    ...(coins && tokens && { averagePrice: formatPrice(chain, coins, tokens, placed.decimals) }),
    minAmountOut: formatAmount(intent.minAmountOut, outDecimals),
    ...(placed.slippage !== undefined && { slippage: placed.slippage }),
    networkFee: coinText(chain, life.networkFee),
    ...(txHash !== undefined && { txHash }),
    ...(reasonCode !== undefined && { reason: reasonText[reasonCode], reasonCode }),
    validUntil: new Date(intent.validUntil * 1000).toISOString(),
    createdAt: placed.createdAt,
    updatedAt,
    version,
  };
}
