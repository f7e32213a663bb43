import { GetCommand } from "@aws-sdk/lib-dynamodb";
import { below } from "../../table/step.ts";
import { type Item, queryRange, type Table } from "../../table/table.ts";
import { write } from "../../table/write.ts";
import { announcedExportKey, announcedExportsOf } from "../item-keys.ts";
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

/** Reads all announcements of a user. Some may be cancelled or expired. */
export const announcedOfUser = (table: Table, userID: string): Promise<AnnouncedExport[]> =>
  queryRange<AnnouncedExport>(table, announcedExportsOf(userID));

/**
 * Announces a request and logs it in the wallet's events, in one transaction.
 *
 * @param previous the announcement that it replaces.
 * @returns false, without writing, if the previous announcement, the request or the wallet has changed.
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
  return write(table, [
    stillRequested(request),
    stillActive(wallet),
    {
      kind: "put",
      key: announcedExportKey(userID, walletId),
      item: announcement,
      when: previous ? { version: previous.version } : "absent",
    },
    eventWrite({ userID, walletId, type: "exportRequested", now, details: { availableAt } }),
  ]);
}

/** Withdraws an announcement. Returns false, without writing, if it has been replaced or withdrawn since it was read. */
export async function withdrawAnnounced(
  table: Table,
  { userID, walletId, version }: AnnouncedExport,
  now: Date,
): Promise<boolean> {
  return write(table, [
    {
      kind: "change",
      key: announcedExportKey(userID, walletId),
      set: { cancelledAt: now.toISOString() },
      when: { version, cancelledAt: undefined },
    },
    eventWrite({ userID, walletId, type: "exportCancelled", now }),
  ]);
}

/**
 * Counts a sealed export and logs it in the wallet's events.
 *
 * @returns false, without writing, if the request, its announcement or the wallet has changed, or it was sealed too
 * often.
 */
export async function noteExport(
  table: Table,
  { userID, walletId, version }: AnnouncedExport,
  { request, wallet, now }: { request: ExportRequest; wallet: Wallet; now: Date },
): Promise<boolean> {
  return write(table, [
    stillRequested(request),
    stillActive(wallet),
    {
      kind: "change",
      key: announcedExportKey(userID, walletId),
      add: { times: 1 },
      when: [
        { version, cancelledAt: undefined, times: undefined },
        { version, cancelledAt: undefined, times: below(sealsPerRequest) },
      ],
    },
    eventWrite({ userID, walletId, type: "exported", now }),
  ]);
}
