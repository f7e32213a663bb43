import { isDeepStrictEqual } from "node:util";
import { encodeMessage, type ServerMessage } from "../api/server-messages.ts";
import { type Delivery, type Pusher, push } from "../aws/push.ts";
import type { PublicChannel } from "../core/channel.ts";
import type { Price } from "../prices/price.ts";
import type { Table } from "../table/table.ts";
import { cleanUp } from "./clean-up.ts";
import { type ChannelSubscriber, hasEndedKey, subscribersInShard } from "./connection-records.ts";
import { type Reporter, reportMissed } from "./push-outcome.ts";
import { openPrices, type PriceReader } from "./snapshots.ts";

/** An update of a public channel. It is the same for all subscribers of the channel. */
export type PublicUpdate = Exclude<
  Extract<ServerMessage, { type: "update"; channel: PublicChannel }>,
  { heads: object }
>;

/** An update for every subscriber in one shard of its channel. */
export type ChannelDelivery = { shard: number; update: PublicUpdate };

export type Deliverer = Reporter & { table: Table; pusher: Pusher; prices?: PriceReader };

/** Age from which an update may be out of date. */
const lateMs = 2000;

export type DeliveryOutcome = {
  /**
   * True if the update was late and newer data had been saved. In that case nothing was sent, because the next update
   * follows.
   */
  superseded: boolean;
  /**
   * Number of connections that were not reached but may still be open. An update with all prices follows within half a
   * minute.
   */
  undelivered: number;
};

/**
 * Pushes an update to the subscribers in a shard while reading the list of subscribers. Forgets closed connections, and
 * closes connections whose clients stopped reading long ago. Under overload, drops late updates, so that clients get no
 * outdated ones.
 */
export async function deliverToShard(
  deliverer: Deliverer,
  { shard, update }: ChannelDelivery,
  { now = new Date(), deadline }: { now?: Date; deadline?: Date } = {},
): Promise<DeliveryOutcome> {
  const { table, pusher, prices = openPrices(table) } = deliverer;
  const isLate = now.getTime() - Date.parse(update.time) > lateMs;
  const data = isLate ? stillCurrent(update.data, await prices()) : update.data;
  if (data.length === 0) return { superseded: true, undelivered: 0 };

  const message = encodeMessage({ ...update, data });
  const over: ChannelSubscriber[] = [];
  async function* deliveries(): AsyncGenerator<Delivery<ChannelSubscriber>> {
    for await (const to of subscribersInShard(table, shard))
      if (hasEndedKey(to, now)) over.push(to);
      else yield { to, connectionId: to.connectionId, messages: [message] };
  }

  const outcome = await push(pusher, deliveries(), deadline && { deadline });
  reportMissed(outcome, deliverer);
  await cleanUp(deliverer, { audience: "prices", shard }, outcome, { over, now });
  return { superseded: false, undelivered: outcome.missed.length + outcome.unfinished.length };
}

const stillCurrent = (prices: readonly Price[], latest: readonly Price[]): Price[] =>
  prices.filter((price) => latest.some((other) => isDeepStrictEqual(other, price)));
