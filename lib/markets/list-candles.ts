import { createHash } from "node:crypto";
import type { ChainReader, Chains } from "../chains/families/open-chains.ts";
import { formatDecimal } from "../core/decimal.ts";
import { DomainError } from "../core/domain-error.ts";
import type { Network } from "../core/network.ts";
import { epochSeconds } from "../core/time.ts";
import { nativeToken } from "../orders/trading-chain.ts";
import type { Price } from "../prices/price.ts";
import type { Table } from "../table/table.ts";
import { coinPriceOf } from "./coin-price.ts";
import { type Candle, type Interval, intervalSeconds } from "./core/candle.ts";
import { type CandleRange, candleRange, chunkKindOf } from "./core/candle-range.ts";
import { type Currency, candleInCurrency, closeAt, foldCandles, withNewPools } from "./core/candles.ts";
import type { HistoryState, Market, TokenName } from "./core/market.ts";
import { coinOf } from "./items/keys.ts";
import { countLook } from "./items/look-count.ts";
import { readMarket } from "./items/market-items.ts";
import { askedToken, tooManyLooks } from "./market-token.ts";
import { type StoredCandle, storedCandles } from "./stored-candles.ts";
import type { Want } from "./want-markets.ts";

/** A candle as clients see it. Prices and the volume are decimal text. */
type CandleView = {
  /** Start of the interval, in ISO 8601. */
  time: string;
  open: string;
  high: string;
  low: string;
  close: string;
  /** Absent, with `trades`, if the swaps have not been counted. */
  volume?: string;
  trades?: number;
  /** True if a second host has shown the same swaps after the interval ended. */
  isFinal: boolean;
  hasGaps?: true;
  hasNewPool?: true;
  /** True if the interval has not ended or its beginning is unknown. */
  partial?: true;
};

export type Candles = {
  interval: Interval;
  currency: Currency;
  /** Quote token of the prices if the currency is `quote`. */
  quote?: string;
  history: HistoryState;
  revision: number;
  /** Candles, the oldest first. */
  candles: CandleView[];
};

export type CandleDeps = {
  table: Table;
  chains: Chains;
  /**
   * Asks one host to identify a token.
   *
   * @throws {DomainError} TOKEN_NOT_FOUND
   * @throws {ChainUnavailable}
   */
  identify: (reader: ChainReader, token: string) => Promise<unknown>;
  prices: () => Promise<readonly Price[]>;
  want: Want;
};

type Asked = {
  userID: string;
  now: Date;
  path: { chain: Network; token: string };
  query: {
    interval: Interval;
    from?: string | undefined;
    to?: string | undefined;
    /** A whole number as text. */
    limit: string;
    currency: Currency;
  };
};

/**
 * Lists the last candles of a token in a range.
 *
 * @returns the candles, with a weak entity tag that changes with them.
 * @throws {DomainError} UNSUPPORTED_CHAIN, INVALID_REQUEST, TOKEN_NOT_FOUND, LOOK_LIMIT_REACHED
 * @throws {ChainUnavailable}
 */
export async function listCandles(
  deps: CandleDeps,
  { userID, now, path, query }: Asked,
): Promise<{ candles: Candles; etag: string }> {
  const { interval, currency } = query;
  const { reader, name, isCoin } = askedToken(deps.chains, path);
  if (isCoin && currency !== "usd") throw invalid("currency", "must be usd for the chain's coin");
  const limit = Number(query.limit);
  const range = candleRange({ ...query, limit }, now);
  if ("problem" in range) throw invalid(range.field, range.problem);

  const listed = {
    table: deps.table,
    prices: deps.prices,
    now,
    interval,
    range,
    limit,
    currency,
  };
  const [stored, { candles, revision, finalTo }] = await Promise.all([
    isCoin ? undefined : readMarket(deps.table, name),
    lastCandles({ ...listed, name: isCoin ? coinOf(name.chain) : name }),
  ]);
  const market = stored?.market;
  if (!isCoin) {
    if (market === undefined && candles.length === 0)
      await expectToken(deps, { userID, now, reader, token: name.token });
    await deps.want(userID, [name], now);
  }
  // Keeps only candles in the quote of the last one, because a chart cannot mix prices in two currencies.
  const quote = currency === "quote" ? candles.at(-1)?.pool.quote : undefined;
  const from = market ? knownFrom(market) : 0;
  const readTo = isCoin ? epochSeconds(now) : (market?.blockTime ?? 0);
  const known = { from, finalTo: Math.max(finalTo, readTo - finalAfterSeconds) };
  const answer: Candles = {
    interval,
    currency,
    ...(quote !== undefined && { quote }),
    history: isCoin ? "unavailable" : (market?.history ?? "loading"),
    revision: Math.max(revision, market?.revision ?? 0),
    candles: candles
      .filter(({ pool }) => quote === undefined || pool.quote === quote)
      .map((candle) => viewOf(candle, interval, { now, ...known })),
  };
  return { candles: answer, etag: etagOf(answer) };
}

const invalid = (field: string, problem: string) =>
  new DomainError("INVALID_REQUEST", `${field} ${problem}`, { field });

/** @throws {DomainError} TOKEN_NOT_FOUND, LOOK_LIMIT_REACHED */
async function expectToken(
  { table, identify }: CandleDeps,
  { userID, now, reader, token }: { userID: string; now: Date; reader: ChainReader; token: string },
): Promise<void> {
  if (!(await countLook(table, userID, now))) throw tooManyLooks();
  await identify(reader, token);
}

type Listed = {
  table: Table;
  name: TokenName;
  interval: Interval;
  range: CandleRange;
  limit: number;
  now: Date;
  currency: Currency;
  prices: CandleDeps["prices"];
};

/**
 * Reads backwards in growing steps from the end of the range until there are enough candles.
 * @returns the candles, and the end of the newest final minute candle. All minutes before that end are final, too.
 */
async function lastCandles(
  listed: Listed,
): Promise<{ candles: Candle[]; revision: number; finalTo: number }> {
  const { table, name, interval, limit, now } = listed;
  const { from, to } = listed.range;
  const seconds = intervalSeconds[interval];
  let known: Candle[] = [];
  let found: Candle[] = [];
  let [revision, finalTo] = [0, 0];
  let end = Math.ceil(to / seconds) * seconds;
  for (let span = limit * seconds; end > from && found.length < limit; span *= 4) {
    const part = {
      kind: chunkKindOf[interval],
      range: { from: Math.max(from, end - span), to: end },
      now: epochSeconds(now),
    };
    const stored = await storedCandles(table, name, part);
    if (name.token === nativeToken) known = [...stored.candles.map(({ candle }) => candle), ...known];
    else known = withNewPools([...(await converted(listed, stored.candles, part)), ...known]);
    found = foldCandles(known, interval);
    revision = Math.max(revision, stored.revision);
    finalTo = Math.max(finalTo, endOfFinal(stored.candles));
    end = part.range.from;
  }
  return { candles: found.filter(({ start }) => start < to).slice(-limit), revision, finalTo };
}

/**
 * Returns the end of the newest final minute candle. Longer candles do not count, because they may be stored as final
 * before their interval ends.
 */
function endOfFinal(candles: readonly StoredCandle[]): number {
  const newest = candles.findLast(({ candle, seconds }) => seconds === 60 && candle.isFinal);
  return newest === undefined ? 0 : newest.candle.start + newest.seconds;
}

/** Converts candles by the coin's close in each interval. Leaves out candles for whose interval no close is known. */
async function converted(
  { table, name: { chain }, currency, now, prices }: Listed,
  candles: readonly StoredCandle[],
  part: Parameters<typeof storedCandles>[2],
): Promise<Candle[]> {
  const needsCoin = ({ candle: { pool } }: StoredCandle) =>
    currency !== "quote" && (pool.quote === nativeToken) !== (currency === "native");
  const isNeeded = candles.some(needsCoin);
  const stored = isNeeded ? (await storedCandles(table, coinOf(chain), part)).candles : [];
  const coin = stored.map(({ candle }) => candle);
  const live = isNeeded && coin.length === 0 ? coinPriceOf(await prices(), chain, now)?.usd : undefined;
  return candles.flatMap(
    ({ candle, seconds }) =>
      candleInCurrency(candle, currency, closeAt(coin, candle.start + seconds - 1) ?? live) ?? [],
  );
}

const daySeconds = 86_400;

/** Time from the end of an interval until a second host has confirmed its swaps. */
const finalAfterSeconds = 120;

/** Returns the time from which a token's candles are known, in epoch seconds. */
const knownFrom = ({ firstSeenAt, history }: Market): number =>
  Date.parse(firstSeenAt) / 1000 - (history === "complete" ? daySeconds : 0);

function viewOf(
  { start, trades, hasGaps, hasNewPool, ...candle }: Candle,
  interval: Interval,
  { now, from, finalTo }: { now: Date; from: number; finalTo: number },
): CandleView {
  const end = start + intervalSeconds[interval];
  const isPartial = start < from || end * 1000 > now.getTime();
  const isFinal = candle.isFinal && !isPartial && end <= finalTo;
  return {
    time: new Date(start * 1000).toISOString(),
    open: formatDecimal(candle.open),
    high: formatDecimal(candle.high),
    low: formatDecimal(candle.low),
    close: formatDecimal(candle.close),
    ...(candle.volume && { volume: formatDecimal(candle.volume) }),
    ...(trades !== undefined && { trades }),
    isFinal,
    ...(hasGaps && { hasGaps }),
    ...(hasNewPool && { hasNewPool }),
    ...(isPartial && { partial: true }),
  };
}

/** Computes a weak tag, because the time in the response differs each time. */
const etagOf = (answer: Candles): string =>
  `W/"${createHash("sha256").update(JSON.stringify(answer)).digest("base64url").slice(0, 22)}"`;
