import { below } from "../table/step.ts";
import { readItem, type Table } from "../table/table.ts";
import { write, writeOne } from "../table/write.ts";
import { pricesKey } from "./item-keys.ts";
import type { Price } from "./price.ts";

/** A run of feedPrices. */
export type FeedRun = {
  lease: string;
  startedAt: string;
  /** Lease of the run that this run replaces with its first save. */
  after?: string | undefined;
};

/** Start of a run that replaces no run, or of one that replaces the run `after`. */
export type FeedStart = { after?: string };

/** Run that has the feed, if any. */
export type FeedHolder = { lease?: string; startedAt?: string | undefined };

/** Latest prices, and the run that saves them. `updatedAt` is the time of the run's last sign of life. */
export type PricesItem = FeedHolder & { prices?: Price[]; updatedAt: string };

/** Time without a sign of life after which a run counts as dead. By then it has missed three signs of life in a row. */
const deadMs = 8000;

/** Age at which a run is replaced. The run itself ends a little later, and Lambda would end it after 15 minutes. */
const replacedMs = 10 * 60_000;

/** If the run in this record is old enough to be replaced, returns the start of a new run. */
export function replacementOf({ lease, startedAt = "" }: FeedHolder, now: Date): FeedStart | undefined {
  if (lease === undefined || startedAt >= new Date(now.getTime() - replacedMs).toISOString())
    return undefined;
  return { after: lease };
}

const deadBefore = (now: Date): string => new Date(now.getTime() - deadMs).toISOString();

/**
 * Takes the feed for a run, unless another run is alive. Removes old prices, so that nobody mistakes them for new ones.
 *
 * @returns the lease of the run that has the feed now.
 */
export async function takeFeed(
  table: Table,
  { lease, startedAt }: FeedRun,
  now = new Date(),
): Promise<string | undefined> {
  const { isWritten, item } = await writeOne<PricesItem>(table, {
    kind: "change",
    key: pricesKey,
    set: { prices: undefined, lease, startedAt, updatedAt: now.toISOString() },
    when: ["absent", { lease: undefined }, { updatedAt: below(deadBefore(now)) }],
  });
  return isWritten ? lease : item?.lease;
}

/**
 * Saves the latest prices. A run's first save replaces the run before it.
 *
 * @returns false, without writing, if another run has the feed.
 */
export async function savePrices(
  table: Table,
  { lease, startedAt, after }: FeedRun,
  prices: readonly Price[],
  now = new Date(),
): Promise<boolean> {
  return write(table, {
    kind: "change",
    key: pricesKey,
    set: { prices, lease, startedAt, updatedAt: now.toISOString() },
    when: [{ lease }, ...(after === undefined ? [] : [{ lease: after }])],
  });
}

/** Saves a run's sign of life. Returns false, without writing, if another run has the feed. */
export async function keepFeed(table: Table, { lease }: FeedRun, now = new Date()): Promise<boolean> {
  return write(table, {
    kind: "change",
    key: pricesKey,
    set: { updatedAt: now.toISOString() },
    when: { lease },
  });
}

/** If this run has the feed, gives it up and removes its prices. */
export async function leaveFeed(table: Table, { lease }: FeedRun, now = new Date()): Promise<void> {
  await write(table, {
    kind: "change",
    key: pricesKey,
    set: { prices: undefined, lease: undefined, startedAt: undefined, updatedAt: now.toISOString() },
    when: { lease },
  });
}

/** Reads the latest prices consistently. If no run is alive, there are none. */
export async function readFeed(
  table: Table,
  now = new Date(),
): Promise<{ isAlive: boolean; prices: Price[] }> {
  const { lease, prices = [], updatedAt = "" } = (await readItem<PricesItem>(table, pricesKey)) ?? {};
  const isAlive = lease !== undefined && updatedAt >= deadBefore(now);
  return { isAlive, prices: isAlive ? prices : [] };
}
