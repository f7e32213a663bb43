import { isDeepStrictEqual } from "node:util";
import { encodeMessage, type ServerMessage } from "../api/server-messages.ts";
import { type Delivery, isRefusal, type Outcome, type Pusher, push } from "../aws/push.ts";
import type { PublicChannel } from "../core/channel.ts";
import { forEachConcurrently } from "../core/concurrency.ts";
import type { Price } from "../prices/price.ts";
import type { Table } from "../table/table.ts";
import {
  type ChannelSubscriber,
  closeConnection,
  leaveChannels,
  subscribersInShard,
} from "./connection-records.ts";
import { concurrency, hangUpOn, isHealthy, isStuck, type Reporter, reportMissed } from "./push-outcome.ts";
import { openPrices, type PriceReader } from "./snapshots.ts";
import { clearStuckSubscriber, noteStuckSubscriber } from "./stuck-records.ts";

/** An update of a public channel. */
export type PublicUpdate = Extract<ServerMessage, { type: "update"; channel: PublicChannel }>;

/** An update for every subscriber in one shard of its channel. */
export type ChannelDelivery = { shard: number; update: PublicUpdate };

export type Deliverer = Reporter & { table: Table; pusher: Pusher; prices?: PriceReader };

/** The age from which an update may be out of date. */
const lateMs = 2000;

export type DeliveryOutcome = {
  /** True if newer data was saved while the update was late. Nothing was sent then, because the next update follows. */
  superseded: boolean;
  /** The number of connections that were not reached but may be open. An update with all prices follows within half a minute. */
  undelivered: number;
};

/**
 * Pushes an update to the subscribers in a shard while it reads them. Forgets closed connections, and closes those of
 * clients that stopped reading long ago. Under overload, drops late updates, so that none arrives out of date.
 */
export async function deliverToShard(
  deliverer: Deliverer,
  { shard, update }: ChannelDelivery,
  { now = new Date(), deadline }: { now?: Date; deadline?: Date } = {},
): Promise<DeliveryOutcome> {
  const { table, pusher, prices = openPrices(table) } = deliverer;
  const { channel } = update;
  const isLate = now.getTime() - Date.parse(update.time) > lateMs;
  const data = isLate ? stillCurrent(update.data, await prices()) : update.data;
  if (data.length === 0) return { superseded: true, undelivered: 0 };

  const message = encodeMessage({ ...update, data });
  async function* deliveries(): AsyncGenerator<Delivery<ChannelSubscriber>> {
    for await (const to of subscribersInShard(table, channel, shard))
      yield { to, connectionId: to.connectionId, messages: [message] };
  }

  const outcome = await push(pusher, deliveries(), deadline && { deadline });
  reportMissed(outcome, deliverer);
  await cleanUp(deliverer, { channel, shard }, outcome, now);
  return { superseded: false, undelivered: outcome.missed.length + outcome.unfinished.length };
}

const stillCurrent = (prices: readonly Price[], latest: readonly Price[]): Price[] =>
  prices.filter((price) => latest.some((other) => isDeepStrictEqual(other, price)));

/** Forgets closed connections, closes stuck ones, and notes since when others are stuck. */
async function cleanUp(
  { table, pusher, onFault }: Deliverer,
  place: { channel: PublicChannel; shard: number },
  outcome: Outcome<ChannelSubscriber>,
  now: Date,
): Promise<void> {
  // In an unhealthy run, the account causes the refusals, and noting them all would add load.
  const refused = isHealthy(outcome) ? outcome.missed.filter(({ error }) => isRefusal(error)) : [];
  const stuck = refused.map(({ to }) => to).filter(({ stuckSince }) => isStuck(stuckSince, now));
  await hangUpOn(pusher, stuck, { onFault });

  const forEach = (
    subscribers: readonly ChannelSubscriber[],
    work: (subscriber: ChannelSubscriber) => Promise<void>,
  ) => forEachConcurrently(subscribers, { concurrency }, (subscriber) => work(subscriber).catch(onFault));

  await forEach([...outcome.gone, ...stuck], async (name) => {
    const wasKnown = await closeConnection(table, name);
    // A deleted connection may have left its place among the subscribers.
    if (!wasKnown) await leaveChannels(table, { ...name, shard: place.shard }, [place.channel]);
  });
  const newlyRefused = refused.map(({ to }) => to).filter(({ stuckSince }) => stuckSince === undefined);
  await forEach(newlyRefused, ({ connectionId }) =>
    noteStuckSubscriber(table, { ...place, connectionId }, now),
  );
  const readingAgain = outcome.reached.filter(({ stuckSince }) => stuckSince !== undefined);
  await forEach(readingAgain, ({ connectionId }) => clearStuckSubscriber(table, { ...place, connectionId }));
}
