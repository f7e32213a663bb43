import * as v from "valibot";
import { tradingChains } from "../core/chain-facts.ts";
import { marketFlags } from "../markets/core/market.ts";
import type { MarketMessage } from "../markets/core/market-delivery.ts";
import type { MarketRecord } from "../markets/core/market-record.ts";
import { paces } from "../markets/core/market-subscription.ts";
import type { Price } from "../prices/price.ts";
import { decimalFormat } from "./documented.ts";
import { PriceSchema } from "./price-schema.ts";
import { CountSchema, TimestampSchema } from "./scalars.ts";
import { AddressSchema, TokenNameSchema, TradingChainSchema } from "./trading-scalars.ts";

/** The pace and the tokens of a connection, in `subscriptions`. */
export const followedEntries = {
  every: v.pipe(
    v.exactOptional(v.picklist(paces)),
    v.description("The shortest time between two updates of `prices`, in seconds. Only with `tokens`"),
  ),
  tokens: v.pipe(
    v.exactOptional(
      v.array(
        v.object({
          chain: TradingChainSchema,
          token: AddressSchema,
          candles: v.exactOptional(v.literal(true)),
        }),
      ),
    ),
    v.description("The tokens that the connection follows, once it has named `tokens` or `every`"),
  ),
};

const number = v.pipe(v.string(), decimalFormat());

const decimal = (description: string) => v.pipe(number, v.description(description));

const MinuteSchema = v.pipe(
  v.object({
    time: v.pipe(TimestampSchema, v.description("Its start")),
    open: number,
    high: number,
    low: number,
    close: number,
    volume: number,
    trades: CountSchema,
    coinUsd: v.exactOptional(decimal("The coin in dollars at the end of the minute, or now")),
    isFinal: v.exactOptional(
      v.pipe(v.literal(true), v.description("Two hosts have shown the same swaps, after its end")),
    ),
    hasGaps: v.exactOptional(v.pipe(v.literal(true), v.description("Swaps may be missing"))),
    hasNewPool: v.exactOptional(
      v.pipe(v.literal(true), v.description("Another pool has taken over since the minute before")),
    ),
  }),
  v.title("MarketMinute"),
  v.description("Prices and volume in the chain's coin; times `coinUsd`, they are in dollars"),
);

const MarketRecordSchema = v.pipe(
  v.object({
    chain: TradingChainSchema,
    token: AddressSchema,
    symbol: v.exactOptional(v.string()),
    decimals: v.exactOptional(CountSchema),
    price: v.exactOptional(decimal("In the chain's coin")),
    priceUsd: v.exactOptional(number),
    liquidity: v.exactOptional(decimal("The coins that a sale really gets at an impact of at most 2 %")),
    change24h: v.exactOptional(v.pipe(v.number(), v.description("Percent"))),
    volume24h: v.exactOptional(decimal("In `quote`")),
    quote: v.exactOptional(TokenNameSchema),
    flags: v.array(v.picklist(marketFlags)),
    revision: v.pipe(CountSchema, v.description("Grows when a reorganisation has taken back older records")),
    block: CountSchema,
    asOf: TimestampSchema,
    minutes: v.exactOptional(
      v.pipe(v.array(MinuteSchema), v.description("Changed minutes, if `candles` is true")),
    ),
  }),
  v.title("MarketRecord"),
);

const HeadSchema = v.object({ block: CountSchema, time: TimestampSchema });

/** An update of prices for a connection that follows tokens. */
export const MarketsUpdateSchema = v.pipe(
  v.object({
    type: v.literal("update"),
    channel: v.literal("prices"),
    time: TimestampSchema,
    heads: v.pipe(
      v.object(v.entriesFromList(tradingChains, v.exactOptional(HeadSchema))),
      v.description("The newest block that was read of each chain of its tokens"),
    ),
    data: v.array(v.union([PriceSchema, MarketRecordSchema])),
  }),
  v.title("MarketsUpdate"),
);

/** API Gateway takes messages of 128 KB. */
const mostBytes = 128 * 1024;

/**
 * Makes a function that encodes the updates of many connections, and each of their parts only once. An update that is too
 * large, because tokens have absurd prices, goes without minutes.
 */
export function marketEncoder(time: string): (message: MarketMessage) => string {
  const update = JSON.stringify({ type: "update", channel: "prices", time });
  const head = onceFor((each: object) => encoded(HeadSchema, each));
  const coin = onceFor((each: Price) => encoded(PriceSchema, each));
  const whole = onceFor((each: MarketRecord) => encoded(MarketRecordSchema, each));
  const withoutMinutes = onceFor(({ minutes: _, ...each }: MarketRecord) =>
    encoded(MarketRecordSchema, each),
  );
  const encode = ({ heads, coins, records }: MarketMessage) => {
    const ofChains = Object.entries(heads).map(([chain, each]) => `"${chain}":${head(each)}`);
    const data = [
      ...coins.map(coin),
      ...records.map(({ record, hasMinutes }) => (hasMinutes ? whole : withoutMinutes)(record)),
    ];
    return `${update.slice(0, -1)},"heads":{${ofChains}},"data":[${data}]}`;
  };
  return (message) => {
    const text = encode(message);
    if (Buffer.byteLength(text) <= mostBytes) return text;
    const records = message.records.map(({ record }) => ({ record, hasMinutes: false }));
    return encode({ ...message, records });
  };
}

const encoded = (schema: v.GenericSchema, value: unknown) => JSON.stringify(v.parse(schema, value));

function onceFor<Part extends object>(encode: (part: Part) => string): (part: Part) => string {
  const texts = new Map<Part, string>();
  return (part) => {
    const known = texts.get(part);
    if (known !== undefined) return known;
    const text = encode(part);
    texts.set(part, text);
    return text;
  };
}
