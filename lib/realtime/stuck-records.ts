import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import type { PublicChannel } from "../core/channel.ts";
import type { Table } from "../table/table.ts";
import { connectionKey, subscriberKey } from "../table/table-keys.ts";
import { afterConflicts, writeIf } from "../table/writes.ts";
import type { ConnectionName } from "./connection-records.ts";

/** A connection's place among the subscribers of a channel. */
type Place = { channel: PublicChannel; shard: number; connectionId: string };

const keyOf = ({ channel, shard, connectionId }: Place) => subscriberKey(channel, shard, connectionId);

/** Writes a note, although a subscription may be changing the same item. Returns false if its condition fails. */
const note = (table: Table, command: UpdateCommand) => afterConflicts(() => writeIf(table, command));

/** Notes since when a subscriber takes no message. Keeps an earlier note, and does nothing for a former subscriber. */
export async function noteStuckSubscriber(table: Table, place: Place, now: Date): Promise<void> {
  await note(
    table,
    new UpdateCommand({
      TableName: table.name,
      Key: keyOf(place),
      UpdateExpression: "SET stuckSince = if_not_exists(stuckSince, :now)",
      ConditionExpression: "attribute_exists(PK)",
      ExpressionAttributeValues: { ":now": now.toISOString() },
    }),
  );
}

/** Notes that a subscriber takes messages again. */
export async function clearStuckSubscriber(table: Table, place: Place): Promise<void> {
  await note(
    table,
    new UpdateCommand({
      TableName: table.name,
      Key: keyOf(place),
      UpdateExpression: "REMOVE stuckSince",
      ConditionExpression: "attribute_exists(PK)",
    }),
  );
}

/**
 * Notes that a connection missed messages of its user.
 *
 * @returns whether nothing is bringing it up to date yet. False for an unknown connection.
 */
export async function noteMiss(
  table: Table,
  { userID, connectionId }: ConnectionName,
  now: Date,
): Promise<boolean> {
  try {
    const { Attributes } = await afterConflicts(() =>
      table.client.send(
        new UpdateCommand({
          TableName: table.name,
          Key: connectionKey(userID, connectionId),
          UpdateExpression: "SET stuckSince = if_not_exists(stuckSince, :now) ADD misses :one",
          ConditionExpression: "attribute_exists(PK)",
          ExpressionAttributeValues: { ":now": now.toISOString(), ":one": 1 },
          ReturnValues: "ALL_NEW",
        }),
      ),
    );
    return Attributes?.misses === 1;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return false;
    throw error;
  }
}

/** Notes that nothing is bringing a connection up to date any more. It stays stuck. */
export async function giveUpOn(table: Table, { userID, connectionId }: ConnectionName): Promise<void> {
  await note(
    table,
    new UpdateCommand({
      TableName: table.name,
      Key: connectionKey(userID, connectionId),
      UpdateExpression: "SET misses = :zero",
      ConditionExpression: "attribute_exists(misses)",
      ExpressionAttributeValues: { ":zero": 0 },
    }),
  );
}

/**
 * Notes that a connection is up to date.
 *
 * @param misses how many it had when its user's records were read.
 * @returns false, without writing, if it has missed messages since.
 */
export async function clearMisses(
  table: Table,
  { userID, connectionId }: ConnectionName,
  misses: number,
): Promise<boolean> {
  return note(
    table,
    new UpdateCommand({
      TableName: table.name,
      Key: connectionKey(userID, connectionId),
      UpdateExpression: "REMOVE stuckSince, misses",
      ConditionExpression: "attribute_exists(PK) AND (attribute_not_exists(misses) OR misses = :misses)",
      ExpressionAttributeValues: { ":misses": misses },
    }),
  );
}
