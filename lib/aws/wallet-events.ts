import { randomUUID } from "node:crypto";
import { QueryCommand } from "@aws-sdk/lib-dynamodb";
import type { WalletEvent, WalletEventType } from "../domain/wallet-event.ts";
import type { Item, Table } from "./table.ts";
import { walletEventKey, walletEventsOf } from "./table-keys.ts";
import type { Writes } from "./writes.ts";

type NewEvent = {
  userID: string;
  walletId: string;
  type: WalletEventType;
  now: Date;
  details?: Readonly<Record<string, unknown>>;
};

/** Records an event, for good. It belongs in the transaction that makes the change. */
export const eventWrite = (
  { name: TableName }: Table,
  { userID, walletId, type, now, details }: NewEvent,
): Writes[number] => ({
  Put: {
    TableName,
    Item: {
      ...walletEventKey(userID, walletId, now, randomUUID()),
      ...details,
      userID,
      walletId,
      type,
      time: now.toISOString(),
    },
  },
});

/**
 * A page of a wallet's events, newest first.
 *
 * @param after The `end` of the page before.
 * @returns the events, and where the page ended, if there may be another.
 */
export async function readWalletEvents(
  { client, name }: Table,
  { userID, walletId }: { userID: string; walletId: string },
  { limit, after }: { limit: number; after?: string | undefined },
): Promise<{ events: WalletEvent[]; end?: string }> {
  const { PK, from, to } = walletEventsOf(userID, walletId);
  const { Items = [] } = await client.send(
    new QueryCommand({
      TableName: name,
      ConsistentRead: true,
      KeyConditionExpression: "PK = :pk AND SK BETWEEN :from AND :to",
      ExpressionAttributeValues: { ":pk": PK, ":from": from, ":to": to },
      // One more than the page shows whether there is another.
      Limit: limit + 1,
      ...(after !== undefined && { ExclusiveStartKey: { PK, SK: from + after } }),
    }),
  );
  const events = (Items as Item<WalletEvent>[]).slice(0, limit);
  const last = Items.length > limit ? events.at(-1)?.SK : undefined;
  return { events, ...(last !== undefined && { end: last.slice(from.length) }) };
}
