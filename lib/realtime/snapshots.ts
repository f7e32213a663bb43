import type { ServerMessage } from "../api/server-messages.ts";
import { inParts } from "../api/server-messages.ts";
import { readExecutions } from "../aws/execution-records.ts";
import { readPrices } from "../aws/price-records.ts";
import type { Table } from "../aws/table.ts";
import type { Channel } from "../domain/channel.ts";

/** What a channel holds for a user now, in one message, or in several where it is too much for one. */
export async function snapshotsOf(
  table: Table,
  channel: Channel,
  userID: string,
  now: Date,
): Promise<ServerMessage[]> {
  const parts = inParts<object>(await read(table, channel, userID));
  return parts.map((data, index) => {
    const more = index < parts.length - 1 && { more: true };
    // The schemas check what is in the data, where this function does not know.
    return { type: "snapshot", channel, ...more, time: now.toISOString(), data } as ServerMessage;
  });
}

function read(table: Table, channel: Channel, userID: string): Promise<readonly object[]> {
  switch (channel) {
    case "prices":
      return readPrices(table);
    case "orders":
      return readExecutions(table, userID, "order");
    case "positions":
      return readExecutions(table, userID, "position");
  }
}
