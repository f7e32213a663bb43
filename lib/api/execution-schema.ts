import * as v from "valibot";
import {
  executionKinds,
  orderSides,
  orderStatuses,
  orderTypes,
  positionStatuses,
} from "../domain/execution.ts";
import { networks } from "../domain/network.ts";
import { executionErrorCodes } from "./errors.ts";
import { GivenTimestampSchema, TimestampSchema } from "./scalars.ts";

const identifierRule = "must be 1 to 64 letters, digits or any of _ . : -";
const IdentifierSchema = v.pipe(v.string(identifierRule), v.regex(/^[\w.:-]{1,64}$/, identifierRule));

const decimal = (pattern: RegExp, message: string) => v.pipe(v.string(message), v.regex(pattern, message));
const AmountSchema = decimal(/^\d{1,40}(\.\d{1,40})?$/, "must be a decimal number of at least 0, as text");
const SignedAmountSchema = decimal(/^-?\d{1,40}(\.\d{1,40})?$/, "must be a decimal number as text");

const shortText = (length: number) => {
  const message = `must be text of 1 to ${length} characters`;
  return v.pipe(v.string(message), v.minLength(1, message), v.maxLength(length, message));
};

const VersionSchema = v.pipe(
  v.number(),
  v.integer("must be a whole number"),
  v.minValue(1),
  v.maxValue(Number.MAX_SAFE_INTEGER),
);

type Text = v.GenericSchema<string>;
type TextSchemas = { identifier: Text; amount: Text; signedAmount: Text; text: (length: number) => Text };

const given: TextSchemas = {
  identifier: IdentifierSchema,
  amount: AmountSchema,
  signedAmount: SignedAmountSchema,
  text: shortText,
};

// Messages have no limits: what an earlier version stored must not become an error when a limit is narrowed. One such
// record would keep all others of its user from being sent.
const storedAmount = v.pipe(v.string(), v.description("A decimal number as text"));
const stored: TextSchemas = {
  identifier: v.string(),
  amount: storedAmount,
  signedAmount: storedAmount,
  text: () => v.string(),
};

const common = (text: TextSchemas["text"]) => ({
  wallet: text(128),
  chain: v.picklist(networks),
  symbol: text(128),
});

const orderOf = ({ identifier, amount, text }: TextSchemas) => ({
  orderId: identifier,
  ...common(text),
  side: v.picklist(orderSides),
  type: v.picklist(orderTypes),
  status: v.picklist(orderStatuses),
  amount,
  filledAmount: amount,
  price: v.optional(amount),
  stopPrice: v.optional(amount),
  averagePrice: v.optional(amount),
  txHash: v.optional(text(128)),
  reason: v.optional(text(256)),
});

const positionOf = ({ identifier, amount, signedAmount, text }: TextSchemas) => ({
  positionId: identifier,
  ...common(text),
  status: v.picklist(positionStatuses),
  amount,
  averageEntryPrice: amount,
  realizedPnl: signedAmount,
});

/** The last fields of both kinds. */
const last = { updatedAt: TimestampSchema, version: v.pipe(v.number(), v.integer()) };
const givenLast = { updatedAt: GivenTimestampSchema, version: VersionSchema };

/** An order as clients see it. */
export const OrderSchema = v.pipe(
  v.object({ ...orderOf(stored), createdAt: TimestampSchema, ...last }),
  v.title("Order"),
);

/** A position as clients see it. */
export const PositionSchema = v.pipe(
  v.object({ ...positionOf(stored), openedAt: TimestampSchema, ...last }),
  v.title("Position"),
);

const UserIDSchema = v.pipe(
  v.string(),
  v.regex(/^[\x20-\x7e]{1,255}$/, "must be 1 to 255 printable ASCII characters"),
);

/** The records that an execution engine sends, by kind. An unknown field is an error, so that none is lost silently. */
export const executionRecords = {
  order: v.pipe(
    v.strictObject({
      kind: v.literal("order"),
      userID: UserIDSchema,
      ...orderOf(given),
      createdAt: GivenTimestampSchema,
      ...givenLast,
    }),
    v.title("OrderRecord"),
  ),
  position: v.pipe(
    v.strictObject({
      kind: v.literal("position"),
      userID: UserIDSchema,
      ...positionOf(given),
      openedAt: GivenTimestampSchema,
      ...givenLast,
    }),
    v.title("PositionRecord"),
  ),
};

/** The most records in one invocation. */
export const maxRecords = 100;
const recordsRule = `must be a list of 1 to ${maxRecords} records`;

export const RecordExecutionsSchema = v.pipe(
  v.strictObject({
    records: v.pipe(
      v.array(v.unknown(), recordsRule),
      v.minLength(1, recordsRule),
      v.maxLength(maxRecords, recordsRule),
    ),
  }),
  v.title("RecordExecutions"),
);

/** The result of one record. A `rejected` record will never be accepted; a `failed` one may be sent again. */
export const ExecutionResultSchema = v.object({
  /** The record's place in the list, from 0. */
  index: v.number(),
  /** Absent, like `id`, if the record cannot be read. */
  kind: v.exactOptional(v.picklist(executionKinds)),
  id: v.exactOptional(v.string()),
  status: v.picklist(["recorded", "unchanged", "rejected", "failed"]),
  error: v.exactOptional(v.object({ code: v.picklist(executionErrorCodes), message: v.string() })),
});

export type ExecutionResult = v.InferOutput<typeof ExecutionResultSchema>;
