import { merged, withParts } from "./records.ts";
import type { FollowedToken, MarketHeads, MarketRecord, TokenName } from "./stream-types.ts";

/** Markets of the followed tokens. */
export type HeldMarkets = {
  /** Followed tokens by their key, in the order in which they were added. */
  readonly tokens: ReadonlyMap<string, FollowedToken>;
  readonly records: ReadonlyMap<string, MarketRecord>;
  readonly heads: MarketHeads;
};

export const noMarkets: HeldMarkets = { tokens: new Map(), records: new Map(), heads: {} };

/** Keeps minute candles for 25 hours. */
const keptMinutes = 25 * 60;

/** Makes a key of a token. Addresses of EVM chains may have any case. */
const keyOf = ({ chain, token }: TokenName) => `${chain} ${/^0x/i.test(token) ? token.toLowerCase() : token}`;

export const isSameToken = (one: TokenName, other: TokenName): boolean => keyOf(one) === keyOf(other);

export function withTokens(held: HeldMarkets, added: readonly FollowedToken[]): HeldMarkets {
  const tokens = new Map(held.tokens);
  for (const token of added) tokens.set(keyOf(token), token);
  return { ...held, tokens };
}

export function withoutTokens(held: HeldMarkets, removed: readonly TokenName[]): HeldMarkets {
  const [tokens, records] = [new Map(held.tokens), new Map(held.records)];
  for (const key of removed.map(keyOf)) {
    tokens.delete(key);
    records.delete(key);
  }
  return { ...held, tokens, records };
}

/** Applies an update, which may be late or repeated. Returns the same object if nothing changes. */
export function withMarkets(
  held: HeldMarkets,
  newHeads: MarketHeads,
  newRecords: readonly MarketRecord[],
): HeldMarkets {
  // Messages about a token may still arrive after the client has stopped following it.
  const wanted = newRecords.filter((record) => held.tokens.has(keyOf(record)));
  return withParts(held, {
    heads: withParts(held.heads, newHeads),
    records: merged(held.records, wanted, keyOf, newerMarket),
  });
}

/**
 * Keeps the newer record, with the minute candles of both records. A higher revision always wins, because a
 * reorganisation can lower the block number. Full updates repeat records, in case a minute candle was missed.
 */
function newerMarket(record: MarketRecord, old: MarketRecord): MarketRecord {
  const later =
    record.revision - old.revision ||
    record.block - old.block ||
    Date.parse(record.asOf) - Date.parse(old.asOf);
  return later < 0 ? old : withMinutes(record, old);
}

/** Keeps older minute candles, because an update contains only those that changed. */
function withMinutes(record: MarketRecord, old: MarketRecord): MarketRecord {
  const all = [...(old.minutes ?? []), ...(record.minutes ?? [])];
  if (all.length === 0) return record;
  const byTime = new Map(all.map((minute) => [minute.time, minute]));
  const minutes = [...byTime.values()].sort((a, b) => (a.time < b.time ? -1 : 1));
  return { ...record, minutes: minutes.slice(-keptMinutes) };
}
