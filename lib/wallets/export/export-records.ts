import { GetCommand } from "@aws-sdk/lib-dynamodb";
import { dayOf, epochSeconds } from "../../core/time.ts";
import { below, type Write } from "../../table/step.ts";
import type { Item, Table } from "../../table/table.ts";
import { walletKey } from "../../table/wallet-keys.ts";
import { write } from "../../table/write.ts";
import { exportDayKey, exportKey } from "../item-keys.ts";
import type { Wallet } from "../wallet.ts";
import { stillActive } from "../wallet-records.ts";
import type { ExportRequest } from "./wallet-export.ts";
import { requestsPerDay } from "./wallet-export.ts";

const daySeconds = 86_400;

export async function readExport(
  { client, name: TableName }: Table,
  userID: string,
  walletId: string,
): Promise<ExportRequest | undefined> {
  const Key = exportKey(userID, walletId);
  const { Item: found } = await client.send(new GetCommand({ TableName, Key, ConsistentRead: true }));
  if (found === undefined) return undefined;
  const { PK: _, SK: __, ...request } = found as Item<ExportRequest>;
  // Only the item's key is trusted for its ids.
  return { ...request, userID, walletId };
}

/** Returns how many exports the user has requested today. */
export async function exportsToday(
  { client, name: TableName }: Table,
  userID: string,
  now: Date,
): Promise<number> {
  const Key = exportDayKey(userID, dayOf(now));
  const { Item: found } = await client.send(new GetCommand({ TableName, Key, ConsistentRead: true }));
  return Number(found?.requests ?? 0);
}

/** Attributes that differ between requests for the same wallet. */
const marksOf = ({ version, thumbprint }: ExportRequest) => ({ version, thumbprint });

/** Checks that nobody has cancelled or replaced the request. */
export const stillRequested = (request: ExportRequest): Write => ({
  kind: "check",
  key: exportKey(request.userID, request.walletId),
  when: marksOf(request),
});

/**
 * Records a request and counts it in one transaction.
 *
 * @param read the request that it replaces.
 * @returns false, without writing, if that request has changed or the user has reached the day's limit.
 */
export async function requestExport(
  table: Table,
  request: ExportRequest,
  { read, wallet, now }: { read: ExportRequest | undefined; wallet: Wallet; now: Date },
): Promise<boolean> {
  const { userID, walletId } = request;
  return write(table, [
    {
      kind: "put",
      key: exportKey(userID, walletId),
      item: request,
      when: read ? marksOf(read) : "absent",
    },
    {
      kind: "change",
      key: exportDayKey(userID, dayOf(now)),
      set: { expiresAt: epochSeconds(now) + 2 * daySeconds },
      add: { requests: 1 },
      when: ["absent", { requests: below(requestsPerDay) }],
    },
    stillActive(wallet),
  ]);
}

/** Cancels a request. Returns false, without writing, if it has changed since it was read. */
export async function cancelExport(table: Table, read: ExportRequest, now: Date): Promise<boolean> {
  return write(table, {
    kind: "change",
    key: exportKey(read.userID, read.walletId),
    set: { cancelledAt: now.toISOString(), version: read.version + 1 },
    when: marksOf(read),
  });
}

/** A wallet with its encrypted key. */
export type SealedItem = Wallet & { encryptedPrivateKey: Uint8Array };

/** Reads the wallet that a request names. */
export async function readSealedWallet(
  { client, name: TableName }: Table,
  { userID, network, address }: ExportRequest,
): Promise<SealedItem | undefined> {
  const Key = walletKey(userID, network, address);
  const { Item: found } = await client.send(new GetCommand({ TableName, Key, ConsistentRead: true }));
  return found as SealedItem | undefined;
}
