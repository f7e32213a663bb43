import type { TradingChain } from "../../core/chain-facts.ts";
import { type Decimal, formatDecimal, parseDecimal } from "../../core/decimal.ts";
import { epochSeconds } from "../../core/time.ts";
import { getItems } from "../../table/batch-get.ts";
import { atMost } from "../../table/step.ts";
import { queryRange, readItem, type Table } from "../../table/table.ts";
import { write } from "../../table/write.ts";
import type { Market, TokenName } from "../core/market.ts";
import { marketKey, marketShards, marketsIn } from "./keys.ts";

/** A token's market as a run stored it, for functions that show it and for the next run. */
export type MarketItem<State = unknown> = {
  market: Market;
  /** State for the next run. Functions that show the market ignore it. */
  state: State;
};

/**
 * Format of the items that this version of the code writes. Code with an earlier format never overwrites items of a
 * later one.
 */
export const itemFormat = 1;

/** Requires that the item was not written by a later run or by code with a later format. */
export const notLaterThan = (epoch: number) => ({ epoch: atMost(epoch), format: atMost(itemFormat) });

type Stored = { content: string; epoch: number; format: number; expiresAt: number };

/** How long a market and its minute candles are kept after somebody last wanted the market. */
const keptMs = 8 * 24 * 3_600_000;

/** Returns the time when a market is deleted that is last wanted at a given time, in epoch seconds. */
export const marketExpiry = (wantedAt: Date): number => epochSeconds(new Date(wantedAt.getTime() + keptMs));

/**
 * Writes a market, with the time since when nobody has wanted it, or the current time if somebody does.
 *
 * @returns false, without writing, if another run has taken over.
 */
export async function writeMarket(
  table: Table,
  item: MarketItem,
  { epoch, wantedAt }: { epoch: number; wantedAt: Date },
): Promise<boolean> {
  const stored: Stored = {
    content: textOf(item),
    epoch,
    format: itemFormat,
    expiresAt: marketExpiry(wantedAt),
  };
  const when = ["absent", notLaterThan(epoch)] as const;
  return write(table, { kind: "put", key: marketKey(item.market), item: stored, when });
}

export async function readMarket<State>(
  table: Table,
  name: TokenName,
): Promise<MarketItem<State> | undefined> {
  const stored = await readItem<Stored>(table, marketKey(name));
  return stored && itemOf<State>(stored);
}

/** Reads the existing markets of these tokens. No token may occur twice. */
export async function readMarketsOf(table: Table, names: readonly TokenName[]): Promise<Market[]> {
  const stored = await getItems<Stored>(table, names.map(marketKey));
  return stored.flatMap((each) => itemOf(each)?.market ?? []);
}

/** Reads all markets of a chain, with the times when they are deleted. */
export async function allMarketsOf(
  table: Table,
  chain: TradingChain,
): Promise<{ market: Market; expiresAt: number }[]> {
  const shards = Array.from({ length: marketShards }, (_, shard) => shard);
  const found = await Promise.all(shards.map((shard) => queryRange<Stored>(table, marketsIn(chain, shard))));
  return found.flat().flatMap((stored) => {
    const item = itemOf(stored);
    return item === undefined ? [] : [{ market: item.market, expiresAt: stored.expiresAt }];
  });
}

/**
 * Encodes decimals and large integers as objects, because JSON lacks them. The name of an object's only field
 * identifies its type.
 */
type Encoded = { decimal: string } | { integer: string };

const isDecimal = (value: unknown): value is Decimal =>
  typeof value === "object" && value !== null && "mantissa" in value && "exponent" in value;

const textOf = (item: MarketItem): string =>
  JSON.stringify(item, (_, value): unknown => {
    if (isDecimal(value)) return { decimal: formatDecimal(value) } satisfies Encoded;
    return typeof value === "bigint" ? ({ integer: String(value) } satisfies Encoded) : value;
  });

/** Decodes an item. Undefined if code with a later, unknown format wrote it. */
function itemOf<State>({ content, format }: Stored): MarketItem<State> | undefined {
  if (format > itemFormat) return undefined;
  return JSON.parse(content, (_, value) => {
    const { decimal, integer } = (value ?? {}) as { decimal?: string; integer?: string };
    if (decimal !== undefined) return parseDecimal(decimal);
    return integer === undefined ? value : BigInt(integer);
  });
}
