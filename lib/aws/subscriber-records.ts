import { DeleteCommand } from "@aws-sdk/lib-dynamodb";
import { type Channel, isPublic, type PublicChannel } from "../domain/channel.ts";
import type { Connection, ConnectionName } from "./connection-records.ts";
import { queryPages, type Table } from "./table.ts";
import { subscriberKey, subscribersOf } from "./table-keys.ts";
import type { Writes } from "./transaction.ts";

type Place = Pick<Connection, "connectionID" | "shard">;

/**
 * The writes that put a connection among the subscribers of the public channels of a list. Subscribers of private channels
 * need no such place: they are found among their user's connections.
 */
export function entering(table: Table, connection: Connection, channels: readonly Channel[]): Writes {
  const { userID, connectionID, expiresAt } = connection;
  return placesOf(connection, channels).map((key) => {
    return { Put: { TableName: table.name, Item: { ...key, userID, connectionID, expiresAt } } };
  });
}

/** The writes that take a connection from among the subscribers of the public channels of a list, where it is one. */
export function leaving(table: Table, place: Place, channels: readonly Channel[]): Writes {
  return placesOf(place, channels).map((Key) => ({ Delete: { TableName: table.name, Key } }));
}

/** Makes those writes, one by one. */
export async function leaveChannels(table: Table, place: Place, channels: readonly Channel[]): Promise<void> {
  for (const Key of placesOf(place, channels))
    await table.client.send(new DeleteCommand({ TableName: table.name, Key }));
}

/** The subscribers in one shard of a channel, as they are read. */
export async function* subscribersInShard(
  table: Table,
  channel: PublicChannel,
  shard: number,
): AsyncGenerator<ConnectionName> {
  for await (const page of queryPages<ConnectionName>(table, subscribersOf(channel, shard))) yield* page;
}

const placesOf = ({ connectionID, shard }: Place, channels: readonly Channel[]) =>
  channels.filter(isPublic).map((channel) => subscriberKey(channel, shard, connectionID));
