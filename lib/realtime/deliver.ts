import { isDeepStrictEqual } from "node:util";
import { encodeMessage, type ServerMessage } from "../api/server-messages.ts";
import { type ConnectionName, closeConnection } from "../aws/connection-records.ts";
import { readPrices } from "../aws/price-records.ts";
import { type Delivery, type Pusher, push } from "../aws/push.ts";
import { leaveChannels, subscribersInShard } from "../aws/subscriber-records.ts";
import type { Table } from "../aws/table.ts";
import { forEachConcurrently } from "../concurrency.ts";
import type { PublicChannel } from "../domain/channel.ts";
import { endConnections } from "./ended-connections.ts";

/** What has changed in a public channel. */
export type PublicUpdate = Extract<ServerMessage, { type: "update"; channel: PublicChannel }>;

/** A message for every subscriber in one shard of a public channel. */
export type ChannelDelivery = { shard: number; update: PublicUpdate };

export type Deliverer = {
  table: Table;
  pusher: Pusher;
  /** Hears why a connection that has ended could not be forgotten. The channel's next message comes upon it again. */
  onFault: (error: unknown) => void;
};

/** Milliseconds after which a message may be no news any more. */
const late = 2000;

/** What became of a message. */
export type DeliveryOutcome = {
  /** Whether it came so late that another one has taken its place, which is on its way: nobody was told of this one. */
  superseded: boolean;
  /** How many could not be reached although they may be there; the channel's next message replaces this one. */
  undelivered: number;
};

/**
 * Pushes a message to the subscribers in a shard, while they are still being read. Connections that have ended are
 * forgotten, and those of clients that do not read are ended. When there is more to push than can be, messages are left
 * out, so that those that are pushed are never old.
 */
export async function deliverToShard(
  { table, pusher, onFault }: Deliverer,
  { shard, update }: ChannelDelivery,
  now = new Date(),
): Promise<DeliveryOutcome> {
  const { channel } = update;
  const isLate = now.getTime() - Date.parse(update.time) > late;
  if (isLate && !isDeepStrictEqual(await readPrices(table), update.data))
    return { superseded: true, undelivered: 0 };

  const message = encodeMessage(update);
  async function* deliveries(): AsyncGenerator<Delivery<ConnectionName>> {
    for await (const to of subscribersInShard(table, channel, shard))
      yield { to, connectionID: to.connectionID, messages: [message] };
  }

  const { gone, stuck, undelivered } = await push(pusher, deliveries());
  await forEachConcurrently(gone, { concurrency: 16 }, async (name) => {
    try {
      // The connection's record may have gone before, and with it the way to this one.
      await leaveChannels(table, { ...name, shard }, [channel]);
      await closeConnection(table, name);
    } catch (error) {
      onFault(error);
    }
  });
  await endConnections({ table, pusher }, stuck, onFault);
  return { superseded: false, undelivered: undelivered.length };
}
