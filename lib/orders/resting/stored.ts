import { isDeepStrictEqual } from "node:util";
import type * as v from "valibot";
import type { AskedTrade } from "../trade.ts";
import type { AnyOrder } from "../trade-order.ts";
import { shownAttention } from "./attention.ts";
import { amountOf, endsAt } from "./exits/entry.ts";
import type { RestingOrder } from "./life.ts";
import type { LegClass } from "./mandate.ts";
import type { triggerTerms } from "./schemas.ts";
import { nextDueAt } from "./slices.ts";
import { hintsOf } from "./trailing.ts";

/** Facts about an order's children that clients see. */
export type RestingFacts = {
  /** The most that signatures for children may have cost, in coin. */
  feesSpent: Readonly<Record<LegClass, bigint>>;
  /** Coin that the transactions of all children have paid. */
  networkFee: bigint;
  /** Result of the child that has filled, or of all that have, if the order has slices. */
  fill?: Fill | undefined;
  /** What each child has paid and filled, if the order has slices. */
  parts?: Readonly<Record<string, PartFacts>> | undefined;
};

type PartFacts = { networkFee: bigint; fill?: Fill | undefined; isSettled?: boolean };

type Fill = { spent: bigint; received?: bigint | undefined; txHash?: string | undefined };

export const restingWarnings = [
  /** Other traders can trade just before and just after a child's transaction. */
  "MEV_UNPROTECTED",
  /** The order is above 5 % of the market's depth. */
  "THIN_POOL",
] as const;

export type RestingWarning = (typeof restingWarnings)[number];

/** A resting order as it is stored, with fields that no signature depends on. */
export type StoredResting = RestingOrder & {
  /** Id of the table in which the order was placed. In a restored table, its mandate proves nothing. */
  tableId: string;
  placed: AnyOrder["placed"];
  facts: RestingFacts;
  /** Choices of the user for the order's children. */
  choices: Pick<AskedTrade, "gasPreset" | "priorityFee" | "allowUnsafe">;
  /** Warnings from when the order was placed, for repeated requests. */
  warnings: readonly RestingWarning[];
  /** Grows with each change that clients see. */
  version: number;
  updatedAt: string;
};

export const choicesOf = ({ gasPreset, priorityFee, allowUnsafe }: AskedTrade): StoredResting["choices"] => ({
  ...(gasPreset !== undefined && { gasPreset }),
  ...(priorityFee !== undefined && { priorityFee }),
  ...(allowUnsafe !== undefined && { allowUnsafe }),
});

export type Trigger = v.InferOutput<typeof triggerTerms>;

/** Stores a new resting order. */
export const newStored = (
  order: RestingOrder,
  placed: AnyOrder["placed"],
  rest: Pick<StoredResting, "tableId" | "choices" | "warnings">,
): StoredResting => ({
  ...order,
  ...rest,
  placed,
  facts: { feesSpent: { limit: 0n, stop: 0n }, networkFee: 0n },
  version: 1,
  updatedAt: placed.createdAt,
});

/** True if clients see no difference. */
const isShownAlike = (a: RestingOrder, b: RestingOrder): boolean =>
  isDeepStrictEqual(shownPart(a), shownPart(b));

const shownPart = ({
  state,
  entry,
  mark,
  nextSlice,
  firings,
  isCancelling,
  end,
  filled,
  attention,
}: RestingOrder) => ({
  state,
  entry: entry && { ...entry, isFinal: undefined },
  mark: mark?.price,
  nextSlice,
  firings,
  isCancelling,
  end,
  filled,
  attention: shownAttention(attention),
});

/**
 * Stores a moved order, with what is now known of its children. Raises the version if clients see a difference. The
 * time of the change never goes back.
 */
export function storedAfter(
  known: StoredResting,
  order: RestingOrder,
  facts: RestingFacts,
  nowMs: number,
): StoredResting {
  const isChanged = !isShownAlike(order, known) || !isDeepStrictEqual(facts, known.facts);
  const updatedMs = Math.max(nowMs, Date.parse(known.updatedAt));
  return {
    ...known,
    ...order,
    facts,
    revision: known.revision + 1,
    version: known.version + Number(isChanged),
    updatedAt: isChanged ? new Date(updatedMs).toISOString() : known.updatedAt,
  };
}

export const triggerOf = (order: RestingOrder & Partial<Pick<StoredResting, "tableId">>): Trigger => {
  const { chain, wallet, userID, orderId, side, token, exit } = order.mandate;
  const of = { chain, wallet, userID, orderId, side, token, amount: amountOf(order) };
  const { state, tableId } = order;
  const dueAt = nextDueAt(order);
  return {
    ...of,
    legs: hintsOf(order),
    state,
    ...(tableId !== undefined && { tableId }),
    ...(dueAt !== undefined && { dueAt }),
    ...(exit && { exitOf: exit.of }),
    restsUntil: endsAt(order),
  };
};
