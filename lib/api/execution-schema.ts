import * as v from "valibot";
import {
  type ExecutionKind,
  orderSides,
  orderStatuses,
  orderTypes,
  positionStatuses,
} from "../domain/execution.ts";
import { networks } from "../domain/network.ts";
import { Timestamp } from "./scalars.ts";

const identifier = "must be 1 to 64 letters, digits or any of _ . : -";
const Identifier = v.pipe(v.string(identifier), v.regex(/^[\w.:-]{1,64}$/, identifier));

const decimal = (pattern: RegExp, message: string) => v.pipe(v.string(message), v.regex(pattern, message));
const Amount = decimal(/^\d{1,40}(\.\d{1,40})?$/, "must be a decimal number as text, not negative");
const SignedAmount = decimal(/^-?\d{1,40}(\.\d{1,40})?$/, "must be a decimal number as text");

const shortText = (length: number) => {
  const message = `must be text of 1 to ${length} characters`;
  return v.pipe(v.string(message), v.minLength(1, message), v.maxLength(length, message));
};

const Version = v.pipe(
  v.number(),
  v.integer("must be a whole number"),
  v.minValue(1),
  v.maxValue(Number.MAX_SAFE_INTEGER),
);

const common = { wallet: shortText(128), chain: v.picklist(networks), symbol: shortText(128) };

const order = {
  orderId: Identifier,
  ...common,
  side: v.picklist(orderSides),
  type: v.picklist(orderTypes),
  status: v.picklist(orderStatuses),
  amount: Amount,
  filledAmount: Amount,
  price: v.optional(Amount),
  stopPrice: v.optional(Amount),
  averagePrice: v.optional(Amount),
  txHash: v.optional(shortText(128)),
  reason: v.optional(shortText(256)),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  version: Version,
};

const position = {
  positionId: Identifier,
  ...common,
  status: v.picklist(positionStatuses),
  amount: Amount,
  averageEntryPrice: Amount,
  realizedPnl: SignedAmount,
  openedAt: Timestamp,
  updatedAt: Timestamp,
  version: Version,
};

/** An order as its owner sees it. */
export const Order = v.pipe(v.object(order), v.title("Order"));

/** A position as its owner sees it. */
export const Position = v.pipe(v.object(position), v.title("Position"));

const UserID = v.pipe(
  v.string(),
  v.regex(/^[\x20-\x7e]{1,255}$/, "must be 1 to 255 printable ASCII characters"),
);

/** What an execution engine records, by its kind. An unknown field is an error, so that none gets lost unnoticed. */
export const executionRecords = {
  order: v.pipe(
    v.strictObject({ kind: v.literal("order"), userID: UserID, ...order }),
    v.title("OrderRecord"),
  ),
  position: v.pipe(
    v.strictObject({ kind: v.literal("position"), userID: UserID, ...position }),
    v.title("PositionRecord"),
  ),
};

/** How many records one invocation takes. */
const mostRecords = 100;
const listOfRecords = `must be a list of 1 to ${mostRecords} records`;

export const RecordExecutions = v.pipe(
  v.strictObject({
    records: v.pipe(
      v.array(v.unknown(), listOfRecords),
      v.minLength(1, listOfRecords),
      v.maxLength(mostRecords, listOfRecords),
    ),
  }),
  v.title("RecordExecutions"),
);

/** What became of a record: `rejected` ones stay wrong, `failed` ones may be sent again. */
export type ExecutionResult = {
  /** The record's place in the list, from 0. */
  index: number;
  /** What the record is; absent where it cannot be read. */
  kind?: ExecutionKind;
  id?: string;
  status: "recorded" | "unchanged" | "rejected" | "failed";
  error?: { code: string; message: string };
};
