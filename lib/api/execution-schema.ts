import * as v from "valibot";
import { executionKinds, orderStatuses } from "../core/execution-words.ts";
import { networks } from "../core/network.ts";
import {
  attentionCodes,
  orderSides,
  orderStages,
  orderTypes,
  positionStatuses,
  reasonCodes,
} from "../orders/execution.ts";
import { decimalFormat } from "./documented.ts";
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
type Parts = {
  identifier: Text;
  amount: Text;
  signedAmount: Text;
  text: (length: number) => Text;
  time: Text;
};

const given: Parts = {
  identifier: IdentifierSchema,
  amount: AmountSchema,
  signedAmount: SignedAmountSchema,
  text: shortText,
  time: GivenTimestampSchema,
};

// Applies no limits to stored records, so that they stay valid if a limit is narrowed later. A single invalid record
// would block all other records of its user.
const storedAmount = v.pipe(v.string(), v.description("A decimal number as text"), decimalFormat());
const stored: Parts = {
  identifier: v.string(),
  amount: storedAmount,
  signedAmount: storedAmount,
  text: () => v.string(),
  time: TimestampSchema,
};

const described = <Schema extends v.GenericSchema>(schema: Schema, text: string) =>
  v.optional(v.pipe(schema, v.description(text)));

const common = ({ text }: Parts) => ({
  wallet: text(128),
  chain: v.picklist(networks),
  symbol: text(128),
  baseSymbol: described(
    text(128),
    "The symbol of what is traded. `symbol` cannot be split, since symbols may contain a slash",
  ),
  quoteSymbol: described(text(128), "The symbol of what is paid for it"),
  token: described(text(128), "The address of the traded token"),
  settled: described(v.boolean(), "True if it is final on chain"),
});

/** Only orders placed through this API need the fields from `clientOrderId` on. Other engines may omit them. */
const orderOf = (parts: Parts) => {
  const { identifier, amount, text, time } = parts;
  return {
    orderId: identifier,
    ...common(parts),
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
    clientOrderId: described(text(255), "The Idempotency-Key of the request that placed it"),
    keyId: described(text(128), "The program key by which a program placed it"),
    amountToken: described(text(128), "The unit of `amount`: a token's address, or `native`"),
    percent: described(v.number(), "The requested percentage of the balance"),
    receivedAmount: described(amount, "The amount that reached the wallet"),
    minAmountOut: described(amount, "The lowest amount that may arrive"),
    slippage: described(v.number(), "Percent"),
    networkFee: described(amount, "Native coin paid for all of its transactions so far"),
    rent: described(amount, "SOL that stays in accounts opened for the order"),
    stage: v.optional(v.picklist(orderStages)),
    reasonCode: described(v.picklist(reasonCodes), "Why it waits, or ended without a fill"),
    validUntil: described(
      time,
      "The order cannot fill after this time; on sol, nothing more is signed to fill it",
    ),
  };
};

const pair = {
  takeProfit: v.optional(v.object({ percent: v.optional(v.number()), price: v.optional(storedAmount) })),
  stopLoss: v.optional(
    v.object({
      percent: v.optional(v.number()),
      stopPrice: v.optional(storedAmount),
      price: v.optional(storedAmount),
    }),
  ),
};

/** An exit as its request describes it. */
export const askedExit = {
  percent: v.number(),
  ...pair,
  trailing: v.optional(v.object({ trailPercent: v.number() })),
};

/** Fields of resting orders, and of the orders that these place. */
const restingParts = {
  parentOrderId: described(v.string(), "The resting order that placed it, or the buy of an exit"),
  ...pair,
  trailing: described(
    v.object({
      trailPercent: v.number(),
      mark: v.exactOptional(storedAmount),
      stopPrice: v.exactOptional(storedAmount),
    }),
    "The price that it follows upwards, and the price below it at which it fires now",
  ),
  exits: described(
    v.array(v.object({ orderId: v.string(), ...askedExit })),
    "The exits of a buy, as they were asked for. Each is an order of its own",
  ),
  maxAmount: described(storedAmount, "The most that an exit sells, whatever its buy receives"),
  slices: described(v.number(), "Number of its slices"),
  slicesDone: described(v.number(), "Number of the slices that have filled"),
  nextAt: described(TimestampSchema, "Time at which its next slice is due"),
  expiresAt: described(TimestampSchema, "Nothing fires after this time"),
  maxNetworkFee: described(storedAmount, "Native coin that the transactions of all its children may pay"),
  feesSpent: described(
    v.object({ limit: storedAmount, stop: storedAmount }),
    "The part of `maxNetworkFee` that is used up, by kind of leg",
  ),
  childOrderId: described(v.string(), "Its newest child"),
  attention: described(
    v.array(v.object({ code: v.picklist(attentionCodes), since: TimestampSchema })),
    "What keeps it from firing now",
  ),
};

/** Only positions from orders placed through this API have `token`, `settled` and the fields from `closedAt` on. */
const positionOf = (parts: Parts) => ({
  positionId: parts.identifier,
  ...common(parts),
  status: v.picklist(positionStatuses),
  amount: parts.amount,
  averageEntryPrice: parts.amount,
  realizedPnl: parts.signedAmount,
  closedAt: v.optional(parts.time),
  cost: described(parts.amount, "Native coin paid for `amount`"),
  networkFees: described(parts.amount, "Native coin paid for the transactions of its orders"),
  costFees: described(parts.amount, "The part of `networkFees` that was paid for `amount`, as `cost` was"),
  netRealizedPnl: described(parts.signedAmount, "`realizedPnl` less the other `networkFees`"),
  movedOut: described(parts.amount, "Tokens that left the wallet without an order"),
  reason: described(v.picklist(["MOVED_OUT"]), "Closed without a sale: its tokens left the wallet"),
});

/** Fields that come last in every order and position. */
const last = { updatedAt: TimestampSchema, version: v.pipe(v.number(), v.integer()) };
const givenLast = { updatedAt: GivenTimestampSchema, version: VersionSchema };

/** An order as clients see it. */
export const OrderSchema = v.pipe(
  v.object({ ...orderOf(stored), ...restingParts, createdAt: TimestampSchema, ...last }),
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

/**
 * Records that an execution engine sends, by kind. An unknown field is an error; otherwise it would be lost silently.
 */
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

/** Maximum number of records in one invocation. */
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
  /** Position of the record in the list, from 0. */
  index: v.number(),
  /** Id of the record. `kind` and `id` are absent if the record cannot be read. */
  kind: v.exactOptional(v.picklist(executionKinds)),
  id: v.exactOptional(v.string()),
  status: v.picklist(["recorded", "unchanged", "rejected", "failed"]),
  error: v.exactOptional(v.object({ code: v.picklist(executionErrorCodes), message: v.string() })),
});

export type ExecutionResult = v.InferOutput<typeof ExecutionResultSchema>;
