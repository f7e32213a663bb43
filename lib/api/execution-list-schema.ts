import * as v from "valibot";
import { orderStatuses } from "../core/execution-words.ts";
import type { ListedPosition } from "../markets/value-positions.ts";
import { orderTypes, positionStatuses } from "../orders/execution.ts";
import { firingOutcomes } from "../orders/resting/life.ts";
import { booleanInText, decimalFormat } from "./documented.ts";
import { OrderSchema, PositionSchema } from "./execution-schema.ts";
import { nextCursor, paging } from "./paging-schema.ts";
import { envelopeOf, TimestampSchema } from "./scalars.ts";
import { RouteStepSchema } from "./token-schema.ts";
import { AmountTextSchema, ChainNameSchema, TokenNameSchema } from "./trading-scalars.ts";

// Accepts the addresses of all networks, because lists contain the orders of all engines.
const accountRule = "must be an address of its network";
const accountPattern = /^(0[xX][\da-fA-F]{40}|[1-9A-HJ-NP-Za-km-z]{32,44})$/;
const AccountSchema = v.pipe(v.string(), v.regex(accountPattern, accountRule));

const filters = { chain: v.optional(ChainNameSchema), wallet: v.optional(AccountSchema) };

const OrderIdSchema = v.pipe(v.string(), v.regex(/^[\w.:-]{1,64}$/, "must be the id of an order"));

export const ListOrdersQuerySchema = v.strictObject({
  status: v.pipe(
    v.optional(v.picklist([...orderStatuses, "resting"])),
    v.description("`resting`: all resting orders that have not ended or filled, not paged"),
  ),
  type: v.optional(v.picklist(orderTypes)),
  ...filters,
  token: v.optional(AccountSchema),
  parent: v.pipe(
    v.optional(OrderIdSchema),
    v.description("Lists the children that the firings of this resting order name, not paged"),
  ),
  ...paging,
});

export const ListPositionsQuerySchema = v.strictObject({
  status: v.optional(v.picklist(positionStatuses)),
  ...filters,
  valued: v.pipe(
    v.optional(v.pipe(v.picklist(["true", "false"]), booleanInText())),
    v.description("`true` adds what open positions are worth now"),
  ),
  ...paging,
});

export const OrderPageSchema = envelopeOf(v.object({ orders: v.array(OrderSchema), cursor: nextCursor }));

const ValuedPositionSchema = v.pipe(
  v.object({
    ...PositionSchema.entries,
    price: v.exactOptional(
      v.pipe(
        AmountTextSchema,
        v.description("Price of one token in native coin. This and the next fields need `valued`"),
      ),
    ),
    value: v.exactOptional(
      v.pipe(AmountTextSchema, v.description("Worth of `amount` at `price`, in native coin")),
    ),
    unrealizedPnl: v.exactOptional(v.pipe(AmountTextSchema, v.description("`value` less `cost`"))),
    netUnrealizedPnl: v.exactOptional(
      v.pipe(AmountTextSchema, v.description("`unrealizedPnl` less `costFees`")),
    ),
    priceAsOf: v.exactOptional(TimestampSchema),
  }),
  v.title("ListedPosition"),
) satisfies v.GenericSchema<ListedPosition>;

export const PositionPageSchema = envelopeOf(
  v.object({ positions: v.array(ValuedPositionSchema), cursor: nextCursor }),
);

export const OrderPathSchema = v.strictObject({
  orderId: OrderIdSchema,
});

const submission = v.pipe(
  v.picklist(["private", "sequencer", "public"]),
  v.description(
    "`private`: through a relay; `sequencer`: directly to the sequencer of a chain without a public pool; `public`: through a public pool",
  ),
);

const whole = v.pipe(v.number(), v.integer());
const gwei = v.pipe(v.string(), v.description("Gwei"), decimalFormat());

const sol = v.pipe(AmountTextSchema, v.description("SOL"));

const attempt = { attempt: whole, txHash: v.string(), submission, sentAt: v.exactOptional(TimestampSchema) };

const EvmAttemptSchema = v.pipe(
  v.object({
    ...attempt,
    purpose: v.picklist(["approve", "swap", "clear"]),
    nonce: whole,
    maxFeePerGas: gwei,
    maxPriorityFeePerGas: gwei,
    gasLimit: whole,
    outcome: v.picklist(["pending", "mined", "reverted", "replaced"]),
  }),
  v.title("Attempt"),
);

const SolAttemptSchema = v.pipe(
  v.object({
    ...attempt,
    purpose: v.picklist(["swap", "clear"]),
    priorityFee: sol,
    tip: sol,
    computeUnitLimit: whole,
    lastValidBlockHeight: v.pipe(
      whole,
      v.description("Height of the last block that can contain the transaction"),
    ),
    outcome: v.picklist(["pending", "mined", "reverted", "expired"]),
  }),
  v.title("SolAttempt"),
);

const side = v.object({ token: TokenNameSchema, amount: AmountTextSchema });

const report = {
  spent: side,
  received: side,
  quotedAmountOut: AmountTextSchema,
  slippage: v.pipe(v.number(), v.description("Slippage in percent, negative if more arrived than quoted")),
  priceImpact: v.exactOptional(v.pipe(v.number(), v.description("Percent"))),
  marketImpact: v.exactOptional(v.pipe(v.number(), v.description("Percent"))),
  route: v.exactOptional(v.array(RouteStepSchema)),
  submission,
  block: v.pipe(whole, v.description("Block of the fill; on sol, its slot")),
  blockTime: TimestampSchema,
};

const EvmReportSchema = v.pipe(
  v.object({
    ...report,
    networkFee: v.object({
      total: AmountTextSchema,
      swap: AmountTextSchema,
      approve: AmountTextSchema,
      clear: AmountTextSchema,
      l1: AmountTextSchema,
    }),
    gasUsed: whole,
    effectiveGasPrice: gwei,
    approvalLeft: v.pipe(AmountTextSchema, v.description("Tokens that the router may still take")),
    flags: v.exactOptional(
      v.pipe(
        v.array(v.picklist(["ODD_EVENTS"])),
        v.description(
          "ODD_EVENTS: the amounts come from the wallet's balances, because the token's events do not report them",
        ),
      ),
    ),
    unchecked: v.exactOptional(
      v.pipe(
        v.literal(true),
        v.description(
          "True if no two hosts know the wallet's balances around the fill. The amounts then come from the token's events",
        ),
      ),
    ),
  }),
  v.title("OrderReport"),
  v.description("Result of a filled order, from its receipts"),
);

const SolReportSchema = v.pipe(
  v.object({
    ...report,
    networkFee: v.object({ total: sol, swap: sol, clear: sol, priority: sol, tip: sol }),
    rent: v.pipe(AmountTextSchema, v.description("SOL that stays in accounts opened for the order")),
    computeUnits: v.exactOptional(whole),
  }),
  v.title("SolOrderReport"),
  v.description("Result of a filled order on sol, from its transaction"),
);

const FiringSchema = v.pipe(
  v.object({
    n: whole,
    orderId: v.pipe(v.string(), v.description("The child")),
    slice: v.exactOptional(v.pipe(whole, v.description("Number of the slice, from 1"))),
    leg: v.picklist(["limit", "stop", "takeProfit", "stopLoss", "trailing", "slice"]),
    price: v.pipe(AmountTextSchema, v.description("Price of one token at which it fired")),
    block: whole,
    outcome: v.pipe(
      v.picklist(firingOutcomes),
      v.description(
        "`failed`: in a block; `lapsed`: in none; `unsent`: not signed; `yielded`: to a stop; `replaced`: by the other leg",
      ),
    ),
    times: v.exactOptional(v.pipe(whole, v.description("Number of equal firings that were not signed"))),
  }),
  v.title("Firing"),
);

export const OrderAnswerSchema = envelopeOf(
  v.object({
    order: OrderSchema,
    firings: v.exactOptional(
      v.pipe(
        v.array(FiringSchema),
        v.description("Firings of a resting order, the newest ten first, or a hundred of one with slices"),
      ),
    ),
    attempts: v.pipe(
      v.array(v.union([EvmAttemptSchema, SolAttemptSchema])),
      v.description("Attempts of the order, empty for orders of other engines"),
    ),
    report: v.exactOptional(v.union([EvmReportSchema, SolReportSchema])),
  }),
);
