import * as v from "valibot";
import { type GivenResting, type RestingRequest, restingProblem } from "../orders/resting/request.ts";
import { restingWarnings } from "../orders/resting/stored.ts";
import { decimalFormat } from "./documented.ts";
import { OrderSchema } from "./execution-schema.ts";
import { QuoteSchema, tradeEntries } from "./quote-schema.ts";
import { TimestampSchema } from "./scalars.ts";
import {
  AmountTextSchema,
  ChainNameSchema,
  GivenAddressSchema,
  GivenAmountSchema,
} from "./trading-scalars.ts";

const priceRule =
  "must be a decimal number above 0 as text, at most 10^40 and with at most 40 decimal places";

const GivenPriceSchema = v.pipe(
  v.string(priceRule),
  v.regex(/^(?=.*[1-9])\d{1,41}(\.\d{1,40})?$/, priceRule),
  v.description("Native coin for one token, as decimal text"),
  decimalFormat(),
);

const { pool: _, minAmountOut: __, maxPriceImpact: ___, ...choices } = tradeEntries;

/** Fields of all resting orders. */
const common = {
  chain: ChainNameSchema,
  wallet: GivenAddressSchema,
  ...choices,
  expiresInSeconds: v.optional(
    v.pipe(v.number(), v.description("60 to 7776000, which is 90 days; 30 days by default")),
  ),
  maxNetworkFee: v.optional(
    v.pipe(
      GivenAmountSchema,
      v.description("Native coin for all transactions of all children; 10 % of the value by default"),
    ),
  ),
  dryRun: v.optional(v.boolean()),
};

const stopPrices = {
  stopPrice: GivenPriceSchema,
  price: v.optional(
    v.pipe(GivenPriceSchema, v.description("The least that it sells for; 0.8 × `stopPrice` by default")),
  ),
};

/** Checks rules that involve several fields. */
const rules = <Resting extends RestingRequest>() =>
  v.rawCheck<Resting>(({ dataset, addIssue }) => {
    if (!dataset.typed) return;
    const { value: input } = dataset;
    const [field, message] = restingProblem(input as unknown as GivenResting) ?? [];
    if (field === undefined) return;
    const key = field as keyof Resting & string;
    addIssue({ message, path: [{ type: "object", origin: "value", input, key, value: input[key] }] });
  });

const LimitOrderSchema = v.pipe(
  v.strictObject({ ...common, type: v.literal("limit"), price: GivenPriceSchema }),
  rules(),
  v.title("PlaceLimitOrder"),
  v.description("Buys at `price` or below it, or sells at it or above, after fees and taxes."),
);

const StopOrderSchema = v.pipe(
  v.strictObject({ ...common, type: v.literal("stop"), ...stopPrices }),
  rules(),
  v.title("PlaceStopOrder"),
  v.description("Sells once the price is at `stopPrice` or below it, for at least `price`."),
);

const PairSchema = v.pipe(
  v.strictObject({
    ...common,
    type: v.literal("oco"),
    takeProfit: v.strictObject({ price: GivenPriceSchema }),
    stopLoss: v.strictObject(stopPrices),
  }),
  rules(),
  v.title("PlacePair"),
  v.description("A limit and a stop for one amount, of which one fills."),
);

export const restingSchemas = [LimitOrderSchema, StopOrderSchema, PairSchema] as const;

export const placedRestingSchemas = [
  v.object({
    order: OrderSchema,
    warnings: v.pipe(
      v.array(v.picklist(restingWarnings)),
      v.description("Of a resting order. `THIN_POOL`: it is above 5 % of the market's depth"),
    ),
  }),
  v.object({
    dryRun: v.literal(true),
    quote: QuoteSchema,
    resting: v.object({
      price: v.pipe(AmountTextSchema, v.description("The price now of one token, for the order's own size")),
      distancePercent: v.pipe(v.number(), v.description("From the nearest price at which it fires")),
      wouldFireNow: v.boolean(),
      worst: v.pipe(AmountTextSchema, v.description("The worst price at which it may fill")),
      expiresAt: TimestampSchema,
      maxNetworkFee: AmountTextSchema,
      rents: v.exactOptional(
        v.pipe(AmountTextSchema, v.description("SOL that stays in its marker, beside `maxNetworkFee`")),
      ),
    }),
  }),
] as const;
