import { type ConnectionName, closeConnection } from "../aws/connections.ts";
import { forEachOf } from "../aws/for-each-of.ts";
import { type Delivery, type Pusher, push } from "../aws/push.ts";
import { leaveChannels, subscribersInShard } from "../aws/subscribers.ts";
import type { Table } from "../aws/table.ts";
import type { PublicChannel } from "../domain/channel.ts";
import { endConnections } from "./ended-connections.ts";

/** A message for every subscriber in one shard of a public channel. */
export type ChannelDelivery = { channel: PublicChannel; shard: number; message: string };

export type Deliverer = {
  table: Table;
  pusher: Pusher;
  /** Hears why a connection that has ended could not be forgotten. The channel's next message comes upon it again. */
  onFault: (error: unknown) => void;
};

/**
 * Pushes a message to the subscribers in a shard, while they are still being read. Connections that have ended are
 * forgotten, and those of clients that do not read are ended.
 *
 * @returns how many could not be reached although they may be there; the channel's next message replaces this one.
 */
export async function deliverToShard(
  { table, pusher, onFault }: Deliverer,
  { channel, shard, message }: ChannelDelivery,
): Promise<number> {
  async function* deliveries(): AsyncGenerator<Delivery<ConnectionName>> {
    for await (const to of subscribersInShard(table, channel, shard))
      yield { to, connectionID: to.connectionID, messages: [message] };
  }

  const { gone, stuck, undelivered } = await push(pusher, deliveries());
  await forEachOf(gone, { concurrency: 16 }, async (name) => {
    try {
      // The connection's record may have gone before, and with it the way to this one.
      await leaveChannels(table, { ...name, shard }, [channel]);
      await closeConnection(table, name);
    } catch (error) {
      onFault(error);
    }
  });
  await endConnections({ table, pusher }, stuck, onFault);
  return undelivered.length;
}
