import { isDeepStrictEqual } from "node:util";
import { encodeMessage, type ServerMessage } from "../api/server-messages.ts";
import {
  type ConnectionName,
  closeConnection,
  leaveChannels,
  subscribersInShard,
} from "../aws/connection-records.ts";
import { readPrices } from "../aws/price-records.ts";
import { type Delivery, hangUp, type Pusher, push } from "../aws/push.ts";
import type { Table } from "../aws/table.ts";
import { forEachConcurrently } from "../concurrency.ts";
import type { PublicChannel } from "../domain/channel.ts";

/** An update of a public channel. */
export type PublicUpdate = Extract<ServerMessage, { type: "update"; channel: PublicChannel }>;

/** An update for every subscriber in one shard of its channel. */
export type ChannelDelivery = { shard: number; update: PublicUpdate };

export type Deliverer = {
  table: Table;
  pusher: Pusher;
  /** Called if a closed connection could not be forgotten. The channel's next update tries again. */
  onFault: (error: unknown) => void;
};

/** The age at which an update may be out of date. */
const lateMs = 2000;

/** How many connections are cleaned up at a time. Many may have closed at once. */
const concurrency = 16;

export type DeliveryOutcome = {
  /** True if newer data was saved while the update was late: nothing was sent, as the next update is on its way. */
  superseded: boolean;
  /** The number of connections that were not reached but may be open. The channel's next update replaces this one. */
  undelivered: number;
};

/**
 * Pushes an update to the subscribers in a shard while it reads them. Closed connections are forgotten, and those of
 * clients that have stopped reading are closed. Under overload, late updates are dropped, so that none arrives out of date.
 */
export async function deliverToShard(
  { table, pusher, onFault }: Deliverer,
  { shard, update }: ChannelDelivery,
  now = new Date(),
): Promise<DeliveryOutcome> {
  const { channel } = update;
  const isLate = now.getTime() - Date.parse(update.time) > lateMs;
  if (isLate && !isDeepStrictEqual(await readPrices(table), update.data))
    return { superseded: true, undelivered: 0 };

  const message = encodeMessage(update);
  async function* deliveries(): AsyncGenerator<Delivery<ConnectionName>> {
    for await (const to of subscribersInShard(table, channel, shard))
      yield { to, connectionID: to.connectionID, messages: [message] };
  }

  const { gone, stuck, undelivered } = await push(pusher, deliveries());
  await forEachConcurrently(gone, { concurrency }, async (name) => {
    try {
      // First, because the connection's record, which leads here, may be gone already.
      await leaveChannels(table, { ...name, shard }, [channel]);
      await closeConnection(table, name);
    } catch (error) {
      onFault(error);
    }
  });
  await endConnections({ table, pusher }, stuck, onFault);
  return { superseded: false, undelivered: undelivered.length };
}

/**
 * Removes the records of closed connections.
 *
 * @param onFault called for each that could not be removed. The next message for it tries again.
 */
export async function forgetConnections(
  table: Table,
  closed: readonly ConnectionName[],
  onFault: (error: unknown) => void,
): Promise<void> {
  await forEachConcurrently(closed, { concurrency }, (name) => closeConnection(table, name).catch(onFault));
}

/**
 * Closes the connections of clients that have stopped reading. Waiting for them would delay everybody else, and leaving
 * out messages would leave them with wrong data. A client that connects and subscribes again has the right data.
 */
export async function endConnections(
  { table, pusher }: { table: Table; pusher: Pusher },
  stuck: readonly ConnectionName[],
  onFault: (error: unknown) => void,
): Promise<void> {
  await forEachConcurrently(stuck, { concurrency }, ({ connectionID }) =>
    hangUp(pusher, connectionID).catch(onFault),
  );
  await forgetConnections(table, stuck, onFault);
}
