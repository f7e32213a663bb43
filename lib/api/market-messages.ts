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

/** Fields of `subscriptions` with the pace and the tokens of a connection. */
export const followedEntries = {
  every: v.pipe(
    v.exactOptional(v.picklist(paces)),
    v.description("Shortest time between two updates of `prices`, in seconds. Only with `tokens`"),
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
    v.description("Tokens that the connection follows. Present once a message has named `tokens` or `every`"),
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
    volume: v.exactOptional(decimal("Absent, with `trades`, while the swaps have not been counted")),
    trades: v.exactOptional(CountSchema),
    coinUsd: v.exactOptional(decimal("Price of the coin in dollars at the end of the minute, or now")),
    isFinal: v.exactOptional(
      v.pipe(
        v.literal(true),
        v.description("True once two hosts have shown the same swaps after the minute ended"),
      ),
    ),
    hasGaps: v.exactOptional(v.pipe(v.literal(true), v.description("True if swaps may be missing"))),
    hasNewPool: v.exactOptional(
      v.pipe(
        v.literal(true),
        v.description("True if another pool has priced the token since the minute before"),
      ),
    ),
  }),
  v.title("MarketMinute"),
  v.description("Prices and volume in the chain's coin; multiply by `coinUsd` for dollars"),
);

const MarketRecordSchema = v.pipe(
  v.object({
    chain: TradingChainSchema,
    token: AddressSchema,
    symbol: v.exactOptional(v.string()),
    decimals: v.exactOptional(CountSchema),
    price: v.exactOptional(decimal("Price in the chain's coin")),
    priceUsd: v.exactOptional(number),
    liquidity: v.exactOptional(decimal("Coins that a sale really gets at an impact of at most 2 %")),
    change24h: v.exactOptional(v.pipe(v.number(), v.description("Percent"))),
    volume24h: v.exactOptional(decimal("In `quote`")),
    quote: v.exactOptional(TokenNameSchema),
    flags: v.array(v.picklist(marketFlags)),
    revision: v.pipe(
      CountSchema,
      v.description("Number that grows when a reorganisation has withdrawn older records"),
    ),
    block: CountSchema,
    asOf: TimestampSchema,
    minutes: v.exactOptional(
      v.pipe(v.array(MinuteSchema), v.description("Minutes that have changed. Present if `candles` is true")),
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
      v.description("Newest block read on each chain of the connection's tokens"),
    ),
    data: v.array(v.union([PriceSchema, MarketRecordSchema])),
  }),
  v.title("MarketsUpdate"),
);

/** Maximum number of bytes in a message. API Gateway accepts 128 KB. */
const mostBytes = 128 * 1024;

/**
 * Makes a function that encodes updates for many connections and encodes each shared part only once. Drops the minute
 * candles of an update if absurd prices make it too large.
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
