import type { ServerMessage } from "../api/server-messages.ts";
import { inParts } from "../api/server-messages.ts";
import { readExecutions } from "../aws/execution-records.ts";
import { readPrices } from "../aws/price-records.ts";
import type { Table } from "../aws/table.ts";
import type { Channel } from "../domain/channel.ts";

/** The current records of a channel for a user, in as many messages as they need. */
export async function snapshotsOf(
  table: Table,
  channel: Channel,
  userID: string,
  now: Date,
): Promise<ServerMessage[]> {
  const parts = inParts<object>(await readRecords(table, channel, userID));
  return parts.map((data, index) => {
    const more = index < parts.length - 1 && { more: true };
    // Encoding checks the data by the schema of its channel.
    return { type: "snapshot", channel, ...more, time: now.toISOString(), data } as ServerMessage;
  });
}

function readRecords(table: Table, channel: Channel, userID: string): Promise<readonly object[]> {
  switch (channel) {
    case "prices":
      return readPrices(table);
    case "orders":
      return readExecutions(table, userID, "order");
    case "positions":
      return readExecutions(table, userID, "position");
  }
}
