import { errorMessage, type ServerMessage } from "../api/server-messages.ts";
import { type Channel, channels, isChannel, ordered } from "../core/channel.ts";
import type { Table } from "../table/table.ts";
import { announcedToUser } from "../wallets/export/announced-exports.ts";
import { exportsAnnounced } from "./change-messages.ts";
import { addChannels, type ConnectionName, removeChannels } from "./connection-records.ts";
import { type PriceReader, snapshotsOf } from "./snapshots.ts";

/** A request to subscribe a connection to channels, or to unsubscribe it. */
export type ChannelRequest = ConnectionName & { channels: readonly string[]; now: Date };

/**
 * Subscribes a connection, then reads a snapshot of each channel in the request. This order loses no change between
 * snapshot and first update, though a change made meanwhile may arrive twice. Channels subscribed before get a snapshot
 * too, so that repeating a request after a fault brings what is missing. Exports that can still be cancelled and a lock follow.
 */
export async function subscribe(
  table: Table,
  request: ChannelRequest,
  prices?: PriceReader,
): Promise<ServerMessage[]> {
  const { known, problems } = readChannels(request.channels);
  const changed = await addChannels(table, request, known);
  if (changed === undefined) return [notConnected];
  const [exports, ...snapshots] = await Promise.all([
    announcedToUser(table, request.userID, request.now),
    ...ordered(known).map((channel) => snapshotsOf(table, channel, request.userID, request.now, prices)),
  ]);
  return [
    ...problems,
    subscriptions(changed.after.channels, request.now),
    ...snapshots.flat(),
    // Exports or an unlocking may have been announced while the user was offline.
    ...exportsAnnounced(exports, request.now),
  ];
}

export async function unsubscribe(table: Table, request: ChannelRequest): Promise<ServerMessage[]> {
  const { known, problems } = readChannels(request.channels);
  const changed = await removeChannels(table, request, known);
  if (changed === undefined) return [notConnected];
  return [...problems, subscriptions(changed.after.channels, request.now)];
}

function subscriptions(names: readonly Channel[], now: Date): ServerMessage {
  return { type: "subscriptions", channels: ordered(names), time: now.toISOString() };
}

const notConnected = errorMessage("NOT_CONNECTED", "This connection is no longer known. Connect again.");

/** Splits names into channels and the error messages for unknown names. */
function readChannels(names: readonly string[]): { known: Channel[]; problems: ServerMessage[] } {
  const unknown = [...new Set(names.filter((name) => !isChannel(name)))];
  const known = names.filter(isChannel);
  if (unknown.length === 0) return { known, problems: [] };
  const named = unknown.filter((name) => /^[A-Za-z][\w.-]{0,31}$/.test(name)).slice(0, 5);
  const others = unknown.length - named.length;
  const list = [...named, ...(others > 0 ? [`${others} other${others > 1 ? "s" : ""}`] : [])].join(", ");
  const message = `Unknown in channels: ${list}. Channels are ${channels.join(", ")}.`;
  return { known, problems: [errorMessage("UNKNOWN_CHANNEL", message)] };
}
