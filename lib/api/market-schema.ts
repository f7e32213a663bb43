import * as v from "valibot";
import { poolVenues } from "../chains/families/venue.ts";
import { intervals } from "../markets/core/candle.ts";
import { currencies } from "../markets/core/candles.ts";
import { marketFlags } from "../markets/core/market.ts";
import type { Candles } from "../markets/list-candles.ts";
import type { MarketView } from "../markets/show-market.ts";
import { decimalFormat, documented, numberInText } from "./documented.ts";
import { CountSchema, envelopeOf, GivenTimestampSchema, TimestampSchema } from "./scalars.ts";
import {
  AddressSchema,
  ChainNameSchema,
  GivenTokenSchema,
  TokenNameSchema,
  TradingChainSchema,
} from "./trading-scalars.ts";

export const MarketPathSchema = v.strictObject({ chain: ChainNameSchema, token: GivenTokenSchema });

const decimalText = (description: string) => v.pipe(v.string(), v.description(description), decimalFormat());

const inCoin = decimalText("Price in the chain's coin");
const inDollars = decimalText("In dollars");
const inQuote = decimalText("Decimal number in the quote currency of the pool");
const ChangeSchema = v.pipe(v.number(), v.description("Percent, in the quote currency of the pool"));

const QuoteSchema = v.pipe(
  v.string(),
  v.description("Currency of the pool's prices: `native` for the chain's coin, or a stable token's address"),
);

const HistorySchema = v.pipe(
  v.picklist(["loading", "complete", "unavailable"]),
  v.description("Progress in reading the 24 hours before somebody first wanted the token"),
);

const MarketSchema = v.pipe(
  v.object({
    chain: TradingChainSchema,
    token: TokenNameSchema,
    symbol: v.string(),
    name: v.string(),
    decimals: v.pipe(v.number(), v.integer()),
    price: v.exactOptional(inCoin),
    priceUsd: v.exactOptional(inDollars),
    usdSource: v.exactOptional(
      v.pipe(v.string(), v.description("Exchange that sets the coin's price in dollars")),
    ),
    change1h: v.exactOptional(ChangeSchema),
    change24h: v.exactOptional(ChangeSchema),
    high24h: v.exactOptional(inQuote),
    low24h: v.exactOptional(inQuote),
    volume24h: v.exactOptional(inQuote),
    trades24h: v.exactOptional(CountSchema),
    liquidity: v.exactOptional(
      decimalText("Coins that a sale really gets while moving the price by at most 2 %"),
    ),
    liquidityUsd: v.exactOptional(inDollars),
    fdvUsd: v.exactOptional(decimalText("Worth of all existing tokens at `priceUsd`, in dollars")),
    pool: v.exactOptional(
      v.object({
        venue: v.picklist(poolVenues),
        pool: AddressSchema,
        feeBps: v.number(),
        quote: QuoteSchema,
      }),
    ),
    pools: v.pipe(CountSchema, v.description("Number of pools that could price the token")),
    flags: v.array(v.picklist(marketFlags)),
    history: HistorySchema,
    block: v.exactOptional(v.pipe(CountSchema, v.description("Newest block read. Absent for the coin"))),
    asOf: TimestampSchema,
  }),
  v.title("Market"),
) satisfies v.GenericSchema<MarketView>;

export const MarketAnswerSchema = envelopeOf(v.object({ market: MarketSchema }));

export const mostCandles = 1000;

const limitRule = `must be a whole number from 1 to ${mostCandles}`;

export const CandlesQuerySchema = v.strictObject({
  interval: v.picklist(intervals),
  from: v.pipe(
    v.optional(GivenTimestampSchema),
    v.description("Start of the range, included. If absent, as early as `limit` allows"),
  ),
  to: v.pipe(
    v.optional(GivenTimestampSchema),
    v.description("End of the range, not included. If absent, now"),
  ),
  limit: v.pipe(
    v.optional(
      v.pipe(
        v.string(),
        v.regex(/^[1-9]\d{0,3}$/, limitRule),
        v.check((text) => Number(text) <= mostCandles, limitRule),
        numberInText({ minimum: 1, maximum: mostCandles }),
      ),
      "300",
    ),
    v.description("Most candles to return. If the range has more, the latest are returned"),
    documented({ default: 300 }),
  ),
  currency: v.pipe(
    v.optional(v.picklist(currencies), "usd"),
    v.description("Currency of the prices: dollars, the chain's coin, or the quote of each candle's pool"),
  ),
});

const CandleSchema = v.pipe(
  v.object({
    time: v.pipe(TimestampSchema, v.description("The start")),
    open: decimalText("The close before"),
    high: decimalText("Highest price at the end of a block"),
    low: decimalText("Lowest price at the end of a block"),
    close: decimalText("The last price"),
    volume: v.exactOptional(
      decimalText(
        "Quote side of the swaps, in the chosen currency. Absent, with `trades`, if they have not been counted",
      ),
    ),
    trades: v.exactOptional(CountSchema),
    isFinal: v.pipe(
      v.boolean(),
      v.description("True once a second host has shown the same swaps after the interval ended"),
    ),
    hasGaps: v.exactOptional(v.pipe(v.literal(true), v.description("True if swaps may be missing"))),
    hasNewPool: v.exactOptional(
      v.pipe(
        v.literal(true),
        v.description("True if another pool has priced the token since the candle before"),
      ),
    ),
    partial: v.exactOptional(
      v.pipe(
        v.literal(true),
        v.description("True if the interval has not ended, or its beginning is unknown"),
      ),
    ),
  }),
  v.title("Candle"),
);

const CandlesSchema = v.object({
  interval: v.picklist(intervals),
  currency: v.picklist(currencies),
  quote: v.exactOptional(
    v.pipe(QuoteSchema, v.description("Currency of the prices. Present only with the currency `quote`")),
  ),
  history: HistorySchema,
  revision: v.pipe(
    CountSchema,
    v.description("Number that grows when a reorganisation of the chain has withdrawn candles already shown"),
  ),
  candles: v.pipe(
    v.array(CandleSchema),
    v.description("Candles, the oldest first. Intervals without swaps are absent"),
  ),
}) satisfies v.GenericSchema<Candles>;

export const CandlesAnswerSchema = envelopeOf(CandlesSchema);
