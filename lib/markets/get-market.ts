import type { ChainReader, Chains } from "../chains/families/open-chains.ts";
import { ChainUnavailable } from "../chains/hosts/host-fault.ts";
import type { Network } from "../core/network.ts";
import { RecentMap } from "../core/recent-map.ts";
import type { Price } from "../prices/price.ts";
import type { Table } from "../table/table.ts";
import { coinPriceOf } from "./coin-price.ts";
import { type DayStatistics, type Market, nameOf } from "./core/market.ts";
import { countLook } from "./items/look-count.ts";
import { readMarket } from "./items/market-items.ts";
import { type AskedToken, askedToken, tooManyLooks } from "./market-token.ts";
import { coinView, type MarketView, marketView, type ShownMarket } from "./show-market.ts";
import { storedDay } from "./stored-candles.ts";
import type { Want } from "./want-markets.ts";

export type MarketDeps = {
  table: Table;
  chains: Chains;
  /**
   * Reads a market from one host, without the figures of the last day.
   *
   * @param last The reference pool that a reader has stored lately.
   * @throws {DomainError} TOKEN_NOT_FOUND
   * @throws {ChainUnavailable}
   */
  lookOnce: (reader: ChainReader, token: string, now: Date, last?: string) => Promise<Market>;
  prices: () => Promise<readonly Price[]>;
  want: Want;
  looked: RecentMap<string, ShownMarket>;
};

/** Maximum age at which a stored market is shown, and at which a market from this process's own looks is shown. */
const storedMs = 15_000;
const lookedMs = 2000;

/**
 * Maximum age at which the sums of the last day are shown, and the reference pool counts. The reader stores them every
 * five minutes.
 */
const readMs = 10 * 60_000;

/** Markets that this process read in its last looks. */
export const recentLooks = () => new RecentMap<string, ShownMarket>(500);

type Asked = { userID: string; chain: Network; token: string; now: Date };

/**
 * Shows the market of a token, from the table or from a look at one host.
 *
 * @throws {DomainError} UNSUPPORTED_CHAIN, INVALID_REQUEST, TOKEN_NOT_FOUND, LOOK_LIMIT_REACHED
 * @throws {ChainUnavailable}
 */
export async function getMarket(
  deps: MarketDeps,
  { userID, now, ...asked }: Asked,
): Promise<{ market: MarketView }> {
  const token = askedToken(deps.chains, asked);
  const prices = deps.prices();
  // Ignores a failure of the prices at this point, because awaiting them below throws it.
  prices.catch(() => undefined);
  const coin = async () => coinPriceOf(await prices, token.name.chain, now);
  if (token.isCoin) return { market: coinView(token, await coin(), now) };
  const shown = await currentMarket(deps, token, { userID, now });
  await deps.want(userID, [token.name], now);
  return { market: marketView(shown, await coin()) };
}

async function currentMarket(
  { table, lookOnce, looked }: MarketDeps,
  { reader, name }: AskedToken,
  { userID, now }: { userID: string; now: Date },
): Promise<ShownMarket> {
  const stored = (await readMarket(table, name))?.market;
  const remembered = looked.get(nameOf(name));
  if (remembered && ageOf(remembered.market, now) <= lookedMs) return remembered;
  if (stored && ageOf(stored, now) <= storedMs) return { market: stored, day: stored.day, isOld: false };

  if (!(await countLook(table, userID, now))) return oldMarket(stored, remembered, now) ?? refused();
  try {
    const last = stored && ageOf(stored, now) <= readMs ? stored.pool?.pool : undefined;
    const market = await lookOnce(reader, name.token, now, last);
    const shown = withStored(market, stored, await dayWith(table, market, { stored, now }));
    looked.set(nameOf(name), shown);
    return shown;
  } catch (error) {
    const old = error instanceof ChainUnavailable ? oldMarket(stored, remembered, now) : undefined;
    if (old === undefined) throw error;
    return old;
  }
}

const refused = () => {
  throw tooManyLooks();
};

const ageOf = ({ asOf }: Market, now: Date) => now.getTime() - Date.parse(asOf);

/** Returns the figures of the last day, unless they are too old or in a different currency from the price. */
const dayOf = (stored: Market | undefined, quote: string | undefined, now: Date) =>
  stored && ageOf(stored, now) <= readMs && stored.pool?.quote === quote ? stored.day : undefined;

/**
 * Computes the figures of the last day for a market that was just read. Uses candles, because they include new trades
 * earlier than the stored market does.
 */
async function dayWith(
  table: Table,
  market: Market,
  { stored, now }: { stored: Market | undefined; now: Date },
): Promise<DayStatistics | undefined> {
  const day = dayOf(stored, market.pool?.quote, now);
  if (day === undefined || market.pool === undefined) return undefined;
  const sums = await storedDay(table, market, { quote: market.pool.quote, now });
  return sums.trades === 0 ? day : sums;
}

/** Adds the fields that cannot be known from a single look. */
function withStored(market: Market, stored: Market | undefined, day: DayStatistics | undefined): ShownMarket {
  const { revision, history, firstSeenAt } = stored ?? market;
  const hasGaps = day !== undefined && stored?.hasGaps === true;
  return { market: { ...market, revision, history, firstSeenAt, hasGaps }, day, isOld: false };
}

/** Returns the newest known market, marked as old. */
function oldMarket(
  stored: Market | undefined,
  remembered: ShownMarket | undefined,
  now: Date,
): ShownMarket | undefined {
  if (remembered && (stored === undefined || remembered.market.asOf > stored.asOf))
    return { ...remembered, isOld: ageOf(remembered.market, now) > storedMs };
  return stored && { market: stored, day: dayOf(stored, stored.pool?.quote, now), isOld: true };
}
