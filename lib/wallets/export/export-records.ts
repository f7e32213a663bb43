import { getItems } from "../../table/batch-get.ts";
import type { When, Write } from "../../table/step.ts";
import { readItem, type Table, withoutKey } from "../../table/table.ts";
import { isSealedKey, isWallet, sealedKeyKey, walletKey } from "../../table/wallet-keys.ts";
import { write } from "../../table/write.ts";
import { exportKey } from "../item-keys.ts";
import type { Wallet } from "../wallet.ts";
import { stillActive } from "../wallet-records.ts";
import { type ExportRequest, exportRequestIn } from "./wallet-export.ts";

/** A wallet's stored request, if it can be read, and a condition that fails once the request has been replaced. */
export type StoredRequest = { request: ExportRequest | undefined; when: When };

/** Reads a request. An unreadable item counts as no request, and the next request replaces it. */
export async function readExport(table: Table, userID: string, walletId: string): Promise<StoredRequest> {
  const found = await readItem<object>(table, exportKey(userID, walletId));
  if (found === undefined) return { request: undefined, when: "absent" };
  // Takes the ids from the item's key, because only the key is trusted.
  const request = exportRequestIn({ ...withoutKey(found), userID, walletId });
  return { request, when: request === undefined ? "present" : marksOf(request) };
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
 * Records a request.
 *
 * @param read the stored request to replace.
 * @returns false, without writing, if that request or the wallet has changed.
 */
export async function requestExport(
  table: Table,
  request: ExportRequest,
  { read, wallet }: { read: StoredRequest; wallet: Wallet },
): Promise<boolean> {
  const key = exportKey(request.userID, request.walletId);
  return write(table, [{ kind: "put", key, item: request, when: read.when }, stillActive(wallet)]);
}

/** Cancels a request. Returns false, without writing, if the request has changed since it was read. */
export async function cancelRequest(table: Table, read: ExportRequest, now: Date): Promise<boolean> {
  return write(table, {
    kind: "change",
    key: exportKey(read.userID, read.walletId),
    set: { cancelledAt: now.toISOString(), version: read.version + 1 },
    when: marksOf(read),
  });
}

/** A wallet with its encrypted key. */
export type SealedItem = Wallet & { encryptedPrivateKey: Uint8Array };

/** Reads the wallet that a request names, and its key, in one call. */
export async function readSealedWallet(
  table: Table,
  { userID, network, address }: ExportRequest,
): Promise<SealedItem | undefined> {
  const of = [userID, network, address] as const;
  const found = await getItems<Partial<SealedItem>>(table, [walletKey(...of), sealedKeyKey(...of)]);
  const wallet = found.find(isWallet) as Wallet | undefined;
  const encryptedPrivateKey = found.find(isSealedKey)?.encryptedPrivateKey;
  return wallet && encryptedPrivateKey && { ...wallet, encryptedPrivateKey };
}
