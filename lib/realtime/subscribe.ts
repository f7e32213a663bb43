import { errorMessage, type ServerMessage } from "../api/server-messages.ts";
import { addChannels, type ConnectionName, removeChannels } from "../aws/connection-records.ts";
import type { Table } from "../aws/table.ts";
import { type Channel, channels, isChannel, ordered } from "../domain/channel.ts";
import { snapshotsOf } from "./snapshots.ts";

/** A request to subscribe or unsubscribe: whose, and to what. */
export type Request = ConnectionName & { channels: readonly string[]; now: Date };

/**
 * Subscribes a connection. The subscription stands before the channel is read, so that nothing falls between the snapshot
 * and the first update; what happens meanwhile may come twice.
 */
export async function subscribe(table: Table, request: Request): Promise<ServerMessage[]> {
  const { known, problems } = read(request.channels);
  const before = await addChannels(table, request, known);
  if (before === undefined) return [notConnected];
  const added = ordered(known).filter((channel) => !before.includes(channel));
  try {
    const snapshots = await Promise.all(
      added.map((channel) => snapshotsOf(table, channel, request.userID, request.now)),
    );
    return [...problems, subscriptions([...before, ...known], request.now), ...snapshots.flat()];
  } catch (error) {
    // Who is told of a fault subscribes again, and must find the channels new to get their snapshots.
    await removeChannels(table, request, added);
    throw error;
  }
}

/** Ends subscriptions of a connection. */
export async function unsubscribe(table: Table, request: Request): Promise<ServerMessage[]> {
  const { known, problems } = read(request.channels);
  const before = await removeChannels(table, request, known);
  if (before === undefined) return [notConnected];
  const left = before.filter((channel) => !known.includes(channel));
  return [...problems, subscriptions(left, request.now)];
}

function subscriptions(names: readonly Channel[], now: Date): ServerMessage {
  return { type: "subscriptions", channels: ordered(names), time: now.toISOString() };
}

const notConnected = errorMessage("NOT_CONNECTED", "This connection is not known any more; connect again");

/** The channels among the names, and what to say of the rest. */
function read(names: readonly string[]): { known: Channel[]; problems: ServerMessage[] } {
  const unknown = [...new Set(names.filter((name) => !isChannel(name)))];
  const known = names.filter(isChannel);
  if (unknown.length === 0) return { known, problems: [] };
  const named = unknown.filter((name) => /^[A-Za-z][\w.-]{0,31}$/.test(name)).slice(0, 5);
  const others = unknown.length - named.length;
  const list = [...named, ...(others > 0 ? [`${others} other${others > 1 ? "s" : ""}`] : [])].join(", ");
  const message = `Unknown in channels: ${list}; there are ${channels.join(", ")}`;
  return { known, problems: [errorMessage("UNKNOWN_CHANNEL", message)] };
}
