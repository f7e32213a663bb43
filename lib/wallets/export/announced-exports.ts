import { GetCommand } from "@aws-sdk/lib-dynamodb";
import { type Item, queryRange, type Table } from "../../table/table.ts";
import { announcedExportKey, announcedExportsOf } from "../../table/table-keys.ts";
import { asRead, transact } from "../../table/writes.ts";
import type { Wallet } from "../wallet.ts";
import { eventWrite } from "../wallet-events.ts";
import { stillActive } from "../wallet-records.ts";
import { stillRequested } from "./export-records.ts";
import { type AnnouncedExport, type ExportRequest, sealsPerRequest } from "./wallet-export.ts";

export async function readAnnounced(
  { client, name: TableName }: Table,
  userID: string,
  walletId: string,
): Promise<AnnouncedExport | undefined> {
  const Key = announcedExportKey(userID, walletId);
  const { Item: found } = await client.send(new GetCommand({ TableName, Key, ConsistentRead: true }));
  return found as Item<AnnouncedExport> | undefined;
}

/** All of a user. Some may be cancelled or over. */
export const announcedOfUser = (table: Table, userID: string): Promise<AnnouncedExport[]> =>
  queryRange<AnnouncedExport>(table, announcedExportsOf(userID));

/**
 * Announces a request, and logs it for the user, in one transaction.
 *
 * @param previous What it replaces.
 * @returns false, without writing, if that, the request or the wallet has changed.
 */
export async function announceExport(
  table: Table,
  announcement: AnnouncedExport,
  {
    previous,
    request,
    wallet,
    now,
  }: { previous: AnnouncedExport | undefined; request: ExportRequest; wallet: Wallet; now: Date },
): Promise<boolean> {
  const { userID, walletId, availableAt } = announcement;
  return transact(table, [
    stillRequested(table, request),
    stillActive(table, wallet),
    {
      Put: {
        TableName: table.name,
        Item: { ...announcedExportKey(userID, walletId), ...announcement },
        ...asRead(previous && { version: previous.version }),
      },
    },
    eventWrite(table, { userID, walletId, type: "exportRequested", now, details: { availableAt } }),
  ]);
}

/** Takes an announcement back. Returns false, without writing, if it was replaced or taken back since it was read. */
export async function withdrawAnnounced(
  table: Table,
  { userID, walletId, version }: AnnouncedExport,
  now: Date,
): Promise<boolean> {
  return transact(table, [
    {
      Update: {
        TableName: table.name,
        Key: announcedExportKey(userID, walletId),
        UpdateExpression: "SET cancelledAt = :now",
        ConditionExpression: "version = :read AND attribute_not_exists(cancelledAt)",
        ExpressionAttributeValues: { ":read": version, ":now": now.toISOString() },
      },
    },
    eventWrite(table, { userID, walletId, type: "exportCancelled", now }),
  ]);
}

/**
 * Counts that a wallet leaves, and logs it for the user.
 *
 * @returns false, without writing, if the request, its announcement or the wallet has changed, or it has left too often.
 */
export async function noteExport(
  table: Table,
  { userID, walletId, version }: AnnouncedExport,
  { request, wallet, now }: { request: ExportRequest; wallet: Wallet; now: Date },
): Promise<boolean> {
  return transact(table, [
    stillRequested(table, request),
    stillActive(table, wallet),
    {
      Update: {
        TableName: table.name,
        Key: announcedExportKey(userID, walletId),
        UpdateExpression: "ADD times :one",
        ConditionExpression:
          "version = :read AND attribute_not_exists(cancelledAt) AND (attribute_not_exists(times) OR times < :most)",
        ExpressionAttributeValues: { ":one": 1, ":most": sealsPerRequest, ":read": version },
      },
    },
    eventWrite(table, { userID, walletId, type: "exported", now }),
  ]);
}
