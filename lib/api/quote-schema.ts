import * as v from "valibot";
import { orderSides } from "../domain/execution.ts";
import { quoteWarnings } from "../domain/trading/quote-warnings.ts";
import { EnvelopeErrorSchema } from "./errors.ts";
import { envelopeOf, TimestampSchema } from "./scalars.ts";
import { gasPreset, maxGasPrice } from "./settings-schema.ts";
import { RouteStepSchema, safetyEntries } from "./token-schema.ts";
import {
  AddressSchema,
  AmountTextSchema,
  asOfBlock,
  ChainNameSchema,
  GivenAddressSchema,
  GivenAmountSchema,
  GivenPercentSchema,
  PercentSchema,
  TokenNameSchema,
  TradingChainSchema,
} from "./trading-scalars.ts";

export const QuoteRequestSchema = v.pipe(
  v.strictObject({
    chain: ChainNameSchema,
    wallet: v.optional(GivenAddressSchema),
    side: v.picklist(orderSides),
    token: GivenAddressSchema,
    amount: v.optional(GivenAmountSchema),
    percent: v.optional(GivenPercentSchema),
    slippage: v.optional(GivenPercentSchema),
    minAmountOut: v.optional(GivenAmountSchema),
    maxPriceImpact: v.optional(GivenPercentSchema),
    gasPreset: v.optional(gasPreset),
    maxGasPrice: v.optional(maxGasPrice),
    mevProtection: v.optional(v.boolean()),
    allowUnsafe: v.optional(v.boolean()),
  }),
  v.forward(
    v.check(({ amount, percent }) => amount !== undefined || percent !== undefined, "is required"),
    ["amount"],
  ),
  v.forward(
    v.check(
      ({ amount, percent }) => amount === undefined || percent === undefined,
      "must not be given beside amount",
    ),
    ["percent"],
  ),
  v.forward(
    v.check(
      ({ percent, side }) => percent === undefined || side === "sell",
      "is for sales only. Name an amount",
    ),
    ["percent"],
  ),
  v.forward(
    v.check(
      ({ percent, wallet }) => percent === undefined || wallet !== undefined,
      "is required with percent",
    ),
    ["wallet"],
  ),
  v.forward(
    v.check(
      ({ slippage, minAmountOut }) => slippage === undefined || minAmountOut === undefined,
      "must not be given beside slippage",
    ),
    ["minAmountOut"],
  ),
  v.title("QuoteRequest"),
  v.description(
    "Exactly one of `amount` and `percent`. `percent` is of the available balance, for sales, and needs `wallet`. `slippage` or `minAmountOut`, not both. What is absent comes from the user's settings of the chain.",
  ),
);

/** Addresses may have any case or checksum. */
export type QuoteRequest = v.InferOutput<typeof QuoteRequestSchema>;

const QuoteBalanceSchema = v.object({
  token: TokenNameSchema,
  symbol: v.string(),
  needed: AmountTextSchema,
  available: AmountTextSchema,
  enough: v.boolean(),
});

const NetworkFeeSchema = v.object({
  expected: AmountTextSchema,
  max: AmountTextSchema,
  l1: v.pipe(AmountTextSchema, v.description("The part for layer 1")),
});

const submissions = ["private", "sequencer", "public"] as const;

const QuoteSchema = v.pipe(
  v.object({
    chain: TradingChainSchema,
    wallet: v.exactOptional(AddressSchema),
    side: v.picklist(orderSides),
    token: AddressSchema,
    symbol: v.string(),
    amount: AmountTextSchema,
    amountToken: TokenNameSchema,
    percent: v.exactOptional(PercentSchema),
    amountOut: v.pipe(AmountTextSchema, v.description("After pool fees and token taxes")),
    minAmountOut: AmountTextSchema,
    slippage: v.exactOptional(PercentSchema),
    price: v.pipe(v.string(), v.description("Native coin for one token")),
    priceImpact: PercentSchema,
    route: v.array(RouteStepSchema),
    ...safetyEntries,
    approval: v.pipe(v.boolean(), v.description("One of the transactions is an approval")),
    networkFee: v.pipe(NetworkFeeSchema, v.description("Native coin for the transactions still needed")),
    balances: v.exactOptional(v.array(QuoteBalanceSchema)),
    submission: v.picklist(submissions),
    warnings: v.array(v.picklist(quoteWarnings)),
    wouldBeRefused: v.exactOptional(EnvelopeErrorSchema),
    ...asOfBlock,
    validUntil: TimestampSchema,
  }),
  v.title("Quote"),
);

export type TradeQuote = v.InferInput<typeof QuoteSchema>;

export const QuoteAnswerSchema = envelopeOf(v.object({ quote: QuoteSchema }));
