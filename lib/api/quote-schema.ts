import * as v from "valibot";
import type { Network } from "../core/network.ts";
import { type Order, orderSides } from "../orders/execution.ts";
import type { QuoteEnd, QuoteParts } from "../orders/quote-parts.ts";
import { quoteWarnings } from "../orders/quote-warnings.ts";
import type { QuoteRequest } from "../orders/trade-request.ts";
import { decimalFormat, documented, tradeVariants } from "./documented.ts";
import { EnvelopeErrorSchema } from "./error-schemas.ts";
import { envelopeOf, GivenPercentSchema, TimestampSchema } from "./scalars.ts";
import { gasPreset, maxGasPrice, priorityFee } from "./settings-schema.ts";
import { RouteStepSchema, safetyEntries } from "./token-schema.ts";
import {
  AddressSchema,
  AmountTextSchema,
  asOfBlock,
  ChainNameSchema,
  GivenAddressSchema,
  GivenAmountSchema,
  PercentSchema,
  TokenNameSchema,
  TradingChainSchema,
} from "./trading-scalars.ts";

/** Fields of a trade and its limits. If a limit is absent, the user's settings apply. */
export const tradeEntries = {
  side: v.picklist(orderSides),
  token: GivenAddressSchema,
  amount: v.optional(GivenAmountSchema),
  percent: v.optional(GivenPercentSchema),
  pool: v.optional(
    v.pipe(
      GivenAddressSchema,
      v.description(
        "The only pool to trade in, even one that the service does not find by itself. Only on sol",
      ),
    ),
  ),
  slippage: v.optional(GivenPercentSchema),
  minAmountOut: v.optional(GivenAmountSchema),
  maxPriceImpact: v.optional(GivenPercentSchema),
  gasPreset: v.optional(gasPreset),
  maxGasPrice: v.optional(maxGasPrice),
  priorityFee: v.optional(
    v.pipe(
      priorityFee,
      v.description("Budget in SOL for the priority and tips of all the order's transactions. Only on sol"),
    ),
  ),
  mevProtection: v.optional(v.boolean()),
  allowUnsafe: v.optional(v.boolean()),
};

type GivenTrade = {
  chain: Network;
  side: Order["side"];
  wallet?: string | undefined;
  exits?: readonly object[] | undefined;
} & {
  [Name in (typeof valueFields)[number]]?: string | number | undefined;
};

const valueFields = [
  ...(["amount", "percent", "pool", "slippage", "minAmountOut"] as const),
  ...(["gasPreset", "maxGasPrice", "priorityFee"] as const),
];

/** Returns the field at fault and the reason if a trade's fields contradict each other. */
function tradeProblem({
  chain,
  side,
  wallet,
  amount,
  percent,
  exits,
  slippage,
  minAmountOut,
  ...fees
}: GivenTrade) {
  if (side === "sell" && exits !== undefined) return ["exits", "is for buys only"] as const;
  if (chain !== "sol" && fees.priorityFee !== undefined)
    return ["priorityFee", "is for sol only; use gasPreset and maxGasPrice instead"] as const;
  if (chain !== "sol" && fees.pool !== undefined) return ["pool", "is for sol only"] as const;
  if (chain === "sol" && fees.gasPreset !== undefined)
    return ["gasPreset", "is not for sol; use priorityFee instead"] as const;
  if (chain === "sol" && fees.maxGasPrice !== undefined)
    return ["maxGasPrice", "is not for sol; use priorityFee instead"] as const;
  if (amount === undefined && percent === undefined) return ["amount", "is required"] as const;
  if (percent !== undefined) {
    if (amount !== undefined) return ["percent", "must not be given together with amount"] as const;
    if (side === "buy") return ["percent", "is for sales only; use amount instead"] as const;
    if (wallet === undefined) return ["wallet", "is required with percent"] as const;
  }
  if (slippage !== undefined && minAmountOut !== undefined)
    return ["minAmountOut", "must not be given together with slippage"] as const;
  return undefined;
}

/** Checks rules that involve several fields of a trade. */
export const tradeRules = <Trade extends GivenTrade>() =>
  v.rawCheck<Trade>(({ dataset, addIssue }) => {
    if (!dataset.typed) return;
    const { value: input } = dataset;
    const [key, message] = tradeProblem(input) ?? [];
    if (key === undefined) return;
    addIssue({ message, path: [{ type: "object", origin: "value", input, key, value: input[key] }] });
  });

export const tradeDescription =
  "Needs either `amount` or `percent`. `percent` refers to the available balance and is for sales only. Accepts either `slippage` or `minAmountOut`. The user's settings of the chain replace absent fields.";

export const QuoteRequestSchema = v.pipe(
  v.strictObject({ chain: ChainNameSchema, wallet: v.optional(GivenAddressSchema), ...tradeEntries }),
  tradeRules(),
  documented(tradeVariants({ title: "SellShareOfWallet", required: ["percent", "wallet"] })),
  v.title("QuoteRequest"),
  v.description(`${tradeDescription} \`percent\` needs \`wallet\`.`),
) satisfies v.GenericSchema<QuoteRequest>;

const QuoteBalanceSchema = v.object({
  token: TokenNameSchema,
  symbol: v.string(),
  needed: AmountTextSchema,
  available: AmountTextSchema,
  enough: v.boolean(),
});

const amount = (description: string) => v.pipe(AmountTextSchema, v.description(description));

const EvmNetworkFeeSchema = v.pipe(
  v.object({
    expected: AmountTextSchema,
    max: AmountTextSchema,
    l1: amount("Part of the fee besides gas: for data on layer 1, and for the operator of base"),
  }),
  v.title("EvmNetworkFee"),
);

const SolNetworkFeeSchema = v.pipe(
  v.object({
    expected: amount("Fee if the first attempt fills the order"),
    max: amount("Fee of all attempts and a cancellation together"),
    priority: amount("Priority fee of the first attempt. Later attempts pay more"),
    tip: amount("Tip for a relay in the first attempt"),
  }),
  v.title("SolNetworkFee"),
);

/** Network fee of either family. Only fees on Solana have a tip. */
const NetworkFeeSchema = v.union([EvmNetworkFeeSchema, SolNetworkFeeSchema]);

const submissions = ["private", "sequencer", "public"] as const;

export const QuoteSchema = v.pipe(
  v.object({
    chain: TradingChainSchema,
    wallet: v.exactOptional(AddressSchema),
    side: v.picklist(orderSides),
    token: AddressSchema,
    symbol: v.string(),
    baseSymbol: v.pipe(v.string(), v.description("Symbol of the token")),
    quoteSymbol: v.pipe(v.string(), v.description("Symbol of the chain's coin")),
    amount: AmountTextSchema,
    amountToken: TokenNameSchema,
    percent: v.exactOptional(PercentSchema),
    amountOut: v.pipe(AmountTextSchema, v.description("Expected output after pool fees and token taxes")),
    minAmountOut: AmountTextSchema,
    slippage: v.exactOptional(PercentSchema),
    price: v.pipe(v.string(), v.description("Price of one token in native coin"), decimalFormat()),
    priceImpact: PercentSchema,
    marketImpact: v.exactOptional(
      v.pipe(
        PercentSchema,
        v.description("Percent; how much worse the price is than the best price for a tenth of the amount"),
      ),
    ),
    referencePrice: v.exactOptional(
      v.pipe(
        v.string(),
        v.description("Price of one token in native coin when trading a tenth of the amount"),
        decimalFormat(),
      ),
    ),
    route: v.array(RouteStepSchema),
    ...safetyEntries,
    approval: v.pipe(v.boolean(), v.description("True if one of the transactions is an approval")),
    networkFee: v.pipe(
      NetworkFeeSchema,
      v.description("Fee of the transactions still needed, in native coin"),
    ),
    rent: v.exactOptional(
      v.pipe(AmountTextSchema, v.description("Coin that stays in accounts opened by the order. Only on sol")),
    ),
    exitReserve: v.exactOptional(
      v.pipe(AmountTextSchema, v.description("Coin to keep after a purchase for a later sale. Only on sol")),
    ),
    balances: v.exactOptional(v.array(QuoteBalanceSchema)),
    submission: v.picklist(submissions),
    warnings: v.array(v.picklist(quoteWarnings)),
    wouldBeRefused: v.exactOptional(EnvelopeErrorSchema),
    ...asOfBlock,
    validUntil: TimestampSchema,
  }),
  v.title("Quote"),
) satisfies v.GenericSchema<QuoteParts & QuoteEnd>;

export const QuoteAnswerSchema = envelopeOf(v.object({ quote: QuoteSchema }));
