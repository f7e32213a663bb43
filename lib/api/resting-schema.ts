import * as v from "valibot";
import { mostSlices } from "../orders/resting/schemas.ts";
import { restingWarnings } from "../orders/resting/stored.ts";
import { askedExit, OrderSchema } from "./execution-schema.ts";
import { exitsOfBuy } from "./exits-schema.ts";
import { clientOrderId } from "./idempotency-schema.ts";
import { QuoteSchema, tradeEntries, tradeRules } from "./quote-schema.ts";
import { GivenPercentSchema, percentWithin, TimestampSchema, wholeInRange } from "./scalars.ts";
import {
  AmountTextSchema,
  ChainNameSchema,
  GivenAddressSchema,
  GivenAmountSchema,
  GivenPriceSchema,
  stopPrices,
} from "./trading-scalars.ts";

const { pool: _, minAmountOut: __, maxPriceImpact: ___, ...choices } = tradeEntries;

const common = {
  chain: ChainNameSchema,
  wallet: GivenAddressSchema,
  ...choices,
  slippage: v.optional(v.pipe(GivenPercentSchema, v.maxValue(50))),
  expiresInSeconds: v.optional(wholeInRange(60, 7_776_000, "30 days by default, and 90 at most")),
  maxNetworkFee: v.optional(
    v.pipe(
      GivenAmountSchema,
      v.description("Native coin for all transactions of all children; 10 % of the value by default"),
    ),
  ),
  dryRun: v.optional(v.boolean()),
  clientOrderId,
};

const sale = { ...common, side: v.literal("sell", "must be sell with this type") };

const LimitOrderSchema = v.pipe(
  v.strictObject({ ...common, type: v.literal("limit"), price: GivenPriceSchema, exits: exitsOfBuy }),
  tradeRules(),
  v.title("PlaceLimitOrder"),
  v.description("Buys at `price` or below it, or sells at it or above, after fees and taxes."),
);

const StopOrderSchema = v.pipe(
  v.strictObject({ ...sale, type: v.literal("stop"), ...stopPrices }),
  tradeRules(),
  v.title("PlaceStopOrder"),
  v.description("Sells once the price is at `stopPrice` or below it, for at least `price`."),
);

const TrailingStopSchema = v.pipe(
  v.strictObject({
    ...sale,
    type: v.literal("trailing_stop"),
    trailPercent: percentWithin(
      0.5,
      90,
      "How far below its mark it fires, in percent. The mark follows the price upwards",
    ),
    price: v.optional(
      v.pipe(
        GivenPriceSchema,
        v.description("The least that it sells for; by default 0.8 × the price at which it would fire first"),
      ),
    ),
  }),
  tradeRules(),
  v.title("PlaceTrailingStop"),
  v.description("Sells once the price has fallen by `trailPercent` from its highest."),
);

const PairSchema = v.pipe(
  v.strictObject({
    ...sale,
    type: v.literal("oco"),
    takeProfit: v.strictObject({ price: GivenPriceSchema }),
    stopLoss: v.strictObject(stopPrices),
  }),
  tradeRules(),
  v.title("PlacePair"),
  v.description("A limit and a stop for one amount, of which one fills."),
);

/** Maximum time that all slices take, so that an order ends within 90 days. */
const mostSeconds = 7_689_600;
const mostSlicesOfSol = 24;

const { expiresInSeconds: ____, ...commonOfSlices } = common;

const SlicesSchema = v.pipe(
  v.strictObject({
    ...commonOfSlices,
    type: v.literal("twap"),
    slices: wholeInRange(
      2,
      mostSlices,
      `Number of equal parts, on sol at most ${mostSlicesOfSol}, because each keeps a rent`,
    ),
    intervalSeconds: wholeInRange(
      60,
      604_800,
      "Time from one slice to the next. The first one is due at once",
    ),
    price: v.optional(
      v.pipe(
        GivenPriceSchema,
        v.description("The worst price of each slice; 30 % beyond the quote by default"),
      ),
    ),
  }),
  tradeRules(),
  v.forward(
    v.check(
      ({ chain, slices }) => chain !== "sol" || slices <= mostSlicesOfSol,
      `must be at most ${mostSlicesOfSol} on sol`,
    ),
    ["slices"],
  ),
  v.forward(
    v.check(
      ({ slices, intervalSeconds }) => slices * intervalSeconds <= mostSeconds,
      `must be at most ${mostSeconds} seconds for all slices together`,
    ),
    ["intervalSeconds"],
  ),
  v.title("PlaceTwap"),
  v.description(
    "Trades the amount in equal slices, one each `intervalSeconds`. A missed slice is not made up.",
  ),
);

export const restingSchemas = [
  LimitOrderSchema,
  StopOrderSchema,
  PairSchema,
  TrailingStopSchema,
  SlicesSchema,
] as const;

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
        v.pipe(AmountTextSchema, v.description("SOL that stays in its markers, besides `maxNetworkFee`")),
      ),
      exits: v.exactOptional(
        v.pipe(v.array(v.object(askedExit)), v.description("The exits of a buy, also those of the preset")),
      ),
    }),
  }),
] as const;
