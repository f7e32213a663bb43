import type * as v from "valibot";
import { chainFacts } from "../core/chain-facts.ts";
import { coinText, formatAmount, formatPrice } from "./decimal-text.ts";
import type { Order, ReasonCode } from "./execution.ts";
import type { FamilyTypes, SlotTerms } from "./family.ts";
import type { IntentTerms } from "./intent.ts";
import type { orderEnd, orderLife, orderTerms, quotedTerms } from "./schemas.ts";
import { nativeToken, storedNames } from "./trading-chain.ts";

/**
 * An outcome that no later event on the chain can change, because no swap was signed. The only exception is a sale that
 * found no tokens.
 */
export type OrderEnd = v.InferOutput<typeof orderEnd>;

export const cancelledByUser: OrderEnd = { status: "cancelled", reasonCode: "CANCELLED_BY_USER" };

/** An order's progress, as clients see it. */
export type Life = v.InferOutput<typeof orderLife>;

/** The hosts' quote from when the order was placed. The intent contains the rest of the quote. */
export type Quoted = v.InferOutput<typeof quotedTerms>;

/** An order that this service executes itself. Clients see {@link shownOrder}. */
export type TradeOrder<F extends FamilyTypes = FamilyTypes> = F["order"] &
  v.InferOutput<typeof orderTerms> & {
    intent: F["intent"];
    /** Result of the order. Present once it has settled. */
    details?: F["details"];
  };

export const unstarted: Life = {
  status: "open",
  stage: "queued",
  settled: false,
  networkFee: 0n,
  spent: 0n,
};

export const hasEnded = ({ life }: Pick<AnyOrder, "life">): boolean => life.status !== "open";

/** Returns the changes that mark a cancellation once the swap is signed. */
export const beingCancelled = ({ life }: AnyOrder): Pick<AnyOrder, "isCancelling" | "life"> => ({
  isCancelling: true,
  life: { ...life, stage: "cancelling" },
});

/** An order on a chain of any family. */
export type AnyOrder = TradeOrder;

export const slotsOf = <Slot extends SlotTerms>({ intent }: AnyOrder, slots: readonly Slot[]): Slot[] =>
  slots.filter(({ orderId }) => orderId === intent.orderId);

/** True if a transaction that can fill the order is signed. */
export const hasSignedSwap = (order: AnyOrder, slots: readonly SlotTerms[]): boolean =>
  slotsOf(order, slots).some(({ attempts }) => attempts.some(({ purpose }) => purpose === "swap"));

/** The end of a limit's child that makes way for a stop. */
export const yielded: OrderEnd = { status: "expired", reasonCode: "YIELDED" };

/** Ends an order whose swap was never signed. */
export const lifeAfter = (
  { networkFee }: Life,
  { status, reasonCode }: Pick<OrderEnd, "status" | "reasonCode">,
): Life => ({ ...unstarted, networkFee, ...endedProgress(status, reasonCode) });

export type Progress = Pick<Life, "status" | "stage" | "reasonCode">;

export const endedProgress = (status: Life["status"], reasonCode?: ReasonCode): Progress => ({
  status,
  stage: "done",
  ...(reasonCode && { reasonCode }),
});

export const openProgress = (stage: Life["stage"], reasonCode?: ReasonCode): Progress => ({
  status: "open",
  stage,
  ...(reasonCode && { reasonCode }),
});

/** The fields of an order that can change. */
export type OrderChanges<F extends FamilyTypes> = Partial<
  F["order"] & Pick<TradeOrder<F>, "amount" | "isCancelling" | "ending" | "life" | "details">
>;

/**
 * Applies changes to the order and raises its revision, and also its version if clients see a difference. The time of
 * the change never goes back, even if this writer read the clock before the previous writer.
 */
export function changed<F extends FamilyTypes>(
  order: TradeOrder<F>,
  changes: OrderChanges<F>,
  nowMs: number,
): TradeOrder<F> {
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
export function shownOrder({ intent, placed, amount, life, version, updatedAt }: AnyOrder): Order {
  const { chain, side, parent, minAmountOut, validUntil } = intent;
  const outDecimals = side === "buy" ? placed.decimals : chainFacts[chain].coin.decimals;
  return {
    ...shownAlike(intent, placed, { ...life, amount }),
    ...(parent && { parentOrderId: parent.orderId }),
    type: "market",
    status: life.status,
    stage: life.stage,
    settled: life.settled,
    minAmountOut: formatAmount(minAmountOut, outDecimals),
    ...(life.rent !== undefined && { rent: coinText(chain, life.rent) }),
    validUntil: new Date(validUntil * 1000).toISOString(),
    updatedAt,
    version,
  };
}

/** Shows what orders of all kinds have alike. */
export function shownAlike(
  {
    orderId,
    chain,
    wallet,
    side,
    token,
    by,
  }: Pick<IntentTerms, "orderId" | "chain" | "wallet" | "side" | "token" | "by">,
  { clientOrderId, decimals, percent, slippage, exits, createdAt, ...names }: AnyOrder["placed"],
  result: Pick<Life, "spent" | "networkFee"> & {
    amount: bigint;
    received?: bigint | undefined;
    txHash?: string | undefined;
    reasonCode?: ReasonCode | undefined;
  },
) {
  const ofCoin = chainFacts[chain].coin.decimals;
  const [inDecimals, outDecimals] = side === "buy" ? [ofCoin, decimals] : [decimals, ofCoin];
  const { amount, spent, received, networkFee, txHash, reasonCode } = result;
  const [coins, tokens] = side === "buy" ? [spent, received] : [received, spent];
  return {
    orderId,
    ...(clientOrderId !== undefined && { clientOrderId }),
    ...(by !== undefined && { keyId: by }),
    wallet,
    chain,
    ...storedNames(chain, names),
    token,
    side,
    amount: formatAmount(amount, inDecimals),
    amountToken: side === "buy" ? nativeToken : token,
    ...(percent !== undefined && { percent }),
    filledAmount: formatAmount(spent, inDecimals),
    ...(received !== undefined && { receivedAmount: formatAmount(received, outDecimals) }),
    ...(coins && tokens && { averagePrice: formatPrice(chain, coins, tokens, decimals) }),
    ...(slippage !== undefined && { slippage }),
    ...(exits && { exits: [...exits] }),
    networkFee: coinText(chain, networkFee),
    ...(txHash !== undefined && { txHash }),
    ...(reasonCode !== undefined && { reason: reasonText[reasonCode], reasonCode }),
    createdAt,
  };
}

/** Explains to users why an order waits or has ended. */
export const reasonText: Readonly<Record<ReasonCode, string>> = {
  AMOUNT_TOO_SMALL: "The amount is too small: you would receive nothing",
  CANCELLED_BY_USER: "You cancelled the order",
  CHAIN_UNAVAILABLE: "The chain cannot be reached",
  EXPIRED: "The order's time was over",
  GAS_PRICE_TOO_HIGH: "Gas costs more than the order allows",
  INSUFFICIENT_BALANCE: "The wallet's balance is too low",
  KEY_LIMIT: "The key of the program that placed the order has ended, or forbids the trade",
  MANDATE_VOID: "The order can no longer fill, as after a restore or a change of keys; place it again",
  NONCE_TAKEN: "Another program used the wallet meanwhile",
  NOT_INCLUDED: "No block included the transaction in time",
  NO_ROUTE: "No pool can make the trade",
  PARENT_NOT_FILLED: "Its buy did not fill",
  POLICY_LIMIT: "The wallet's policy forbids the trade",
  POSITION_CLOSED: "The position that it sells is closed",
  RELAY_UNAVAILABLE: "The relay cannot be reached",
  REPLACED: "Another order of the same pair was faster",
  REVERTED: "The trade failed on the chain",
  SIGNING_REFUSED: "The transaction was not signed",
  SLIPPAGE_EXCEEDED: "You would have received less than the minimum",
  TRADING_DISABLED: "Trading was stopped",
  WALLET_BUSY: "Another program's transaction is pending",
  WALLET_RETIRED: "The wallet was retired",
  YIELDED: "It made way for a stop",
};
