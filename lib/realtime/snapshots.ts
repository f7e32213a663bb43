import type { ServerMessage } from "../api/server-messages.ts";
import { inParts } from "../api/server-messages.ts";
import type { Channel, PrivateChannel } from "../core/channel.ts";
import type { Price } from "../prices/price.ts";
import { type FeedStart, readFeed } from "../prices/price-records.ts";
import type { Table } from "../table/table.ts";
import { readExecutions } from "../trading/items/execution-records.ts";

/** Reads the latest prices. A function may cache them for a second, because all clients read the same item. */
export type PriceReader = () => Promise<Price[]>;

/**
 * Reads the latest prices of a run that is alive.
 *
 * @param startFeed starts a run if none is alive. If it fails, the read fails too, so that the client subscribes again.
 */
export const openPrices =
  (table: Table, startFeed?: (start: FeedStart) => Promise<void>): PriceReader =>
  async () => {
    const { isAlive, prices } = await readFeed(table);
    if (!isAlive) await startFeed?.({});
    return prices;
  };

/** Builds the snapshot of a channel for a user, in as many messages as needed. */
export async function snapshotsOf(
  table: Table,
  channel: Channel,
  userID: string,
  now: Date,
  prices: PriceReader = openPrices(table),
): Promise<ServerMessage[]> {
  const records: readonly object[] =
    channel === "prices" ? await prices() : await readPrivate(table, channel, userID);
  const parts = inParts<object>(records);
  return parts.map((data, index) => {
    const more = index < parts.length - 1 && { more: true };
    // Casts the data. Encoding checks it against the schema of its channel.
    return { type: "snapshot", channel, ...more, time: now.toISOString(), data } as ServerMessage;
  });
}

function readPrivate(table: Table, channel: PrivateChannel, userID: string): Promise<readonly object[]> {
  switch (channel) {
    case "orders":
      return readExecutions(table, userID, "order");
    case "positions":
      return readExecutions(table, userID, "position");
  }
}
