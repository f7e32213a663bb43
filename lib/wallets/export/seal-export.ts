import { unseal, type Vault } from "../../aws/vault.ts";
import { isSameAddress } from "../../chains/families/address.ts";
import { addressOf, wholeKeyOf } from "../../chains/families/key.ts";
import { ServiceError } from "../../core/service-error.ts";
import type { Table } from "../../table/table.ts";
import { untilWritten } from "../../table/until-written.ts";
import { sealMessage } from "../keys/hpke.ts";
import { base64url, exportInfo, pointOfJwk } from "../keys/sealing.ts";
import type { WalletName } from "../wallet.ts";
import {
  announcedToday,
  announceExport,
  noteExport,
  readAnnounced,
  withdrawAnnounced,
} from "./announced-exports.ts";
import { type ShownLock, shownLock } from "./export-lock.ts";
import { readExport, readSealedWallet, type SealedItem } from "./export-records.ts";
import { unlockOnRequest } from "./lock-exports.ts";
import { readLock } from "./lock-records.ts";
import {
  type AnnouncedExport,
  announcementsPerDay,
  availableFrom,
  type ExportRequest,
  isAnnounced,
  isExportOpen,
  isOfRequest,
  newAnnouncement,
  sealsPerRequest,
} from "./wallet-export.ts";

/**
 * Result of a request: the private key sealed to the user's public key (base64url), the time from which the export is
 * available, or the reason for a refusal. The thumbprint is that of the announced key.
 */
export type SealedExport =
  | { thumbprint: string; enc: string; ciphertext: string }
  | { thumbprint: string; availableAt: string }
  | { refused: "EXPORT_LOCKED"; unlocksAt?: string }
  | { refused: "EXPORT_NOT_FOUND" | "WALLET_NOT_FOUND" | "ANNOUNCED_TOO_OFTEN" | "SEALED_TOO_OFTEN" };

/** A request to seal a wallet, to withdraw the announcement of its export, or to announce a requested unlocking. */
export type SealRequest = (WalletName & { withdraw?: boolean }) | { userID: string; unlock: true };

/** Log entry of an export. The KMS request id identifies the use of the key in CloudTrail. */
export type ExportNote = { walletId: string; awsRequestId: string | undefined };

export type SealingDeps = {
  table: Table;
  vault: Vault;
  delaySeconds: number;
  onExport: (note: ExportNote) => void;
};

/** @throws {Error} if the payload names neither a wallet nor a user whose exports to unlock. */
export function readSealRequest(payload: unknown): SealRequest {
  const { userID, walletId, withdraw, unlock } = (payload ?? {}) as Record<string, unknown>;
  if (typeof userID !== "string") throw new Error("No user is named");
  if (unlock === true) return { userID, unlock };
  if (typeof walletId !== "string") throw new Error("No wallet is named");
  return { userID, walletId, withdraw: withdraw === true };
}

/** Unlocks exports, withdraws an announcement or seals a wallet, depending on the request. */
export async function answerSealRequest(
  deps: SealingDeps,
  request: SealRequest,
  now: Date,
): Promise<SealedExport | ShownLock | { isWithdrawn: boolean }> {
  if ("unlock" in request) return unlockOnRequest(deps, { userID: request.userID, now });
  const { withdraw, ...name } = request;
  return withdraw ? withdrawExport(deps.table, name, now) : sealExport(deps, name, now);
}

/**
 * Seals the private key of a wallet to the public key in the user's request. A new request is only announced to the
 * user, because the delay counts from the announcement. The caller only names a wallet; everything else is read from
 * the table. Each result is logged in the wallet's events before it is returned.
 */
export async function sealExport(
  deps: SealingDeps,
  { userID, walletId }: WalletName,
  now: Date,
): Promise<SealedExport> {
  const { table, delaySeconds } = deps;
  return untilWritten(async () => {
    const [{ state: lock }, { request }, announced] = await Promise.all([
      readLock(table, userID, { delaySeconds, now }),
      readExport(table, userID, walletId),
      readAnnounced(table, userID, walletId),
    ]);
    if (lock.status !== "unlocked") {
      const { unlocksAt } = shownLock(lock);
      return { refused: "EXPORT_LOCKED", ...(unlocksAt !== undefined && { unlocksAt }) };
    }
    if (request === undefined || !isExportOpen(request, now)) return { refused: "EXPORT_NOT_FOUND" };
    const wallet = await readSealedWallet(table, request);
    if (wallet === undefined || !isOfRequest(request, wallet)) return { refused: "WALLET_NOT_FOUND" };
    if (!isAnnounced(request, announced, { lock, tableId: table.id, now })) {
      // If the day's limit is reached, stops before the transaction, because repeated attempts could prevent the user
      // from withdrawing the announcement.
      if ((await announcedToday(table, userID, now)) >= announcementsPerDay)
        return { refused: "ANNOUNCED_TOO_OFTEN" };
      const { lockId } = lock;
      const announcement = newAnnouncement(
        request,
        { previous: announced, delaySeconds, lockId, tableId: table.id },
        now,
      );
      const { availableAt, thumbprint } = announcement;
      const terms = { previous: announced, request, wallet, now };
      return (await announceExport(table, announcement, terms)) ? { availableAt, thumbprint } : undefined;
    }
    const from = availableFrom(announced, delaySeconds);
    const { thumbprint } = announced;
    // Refuses to seal too early. An unreadable time counts as too early.
    if (!(now >= from)) return { availableAt: from.toISOString(), thumbprint };
    if ((announced.times ?? 0) >= sealsPerRequest) return { refused: "SEALED_TOO_OFTEN" };
    return sealOnce(deps, announced, { request, wallet, now });
  });
}

/**
 * Seals the key once. Returns undefined if, in the meantime, the export was cancelled, replaced or used up, or the
 * wallet was retired.
 *
 * @throws {ServiceError} before the seal is counted, if the stored key belongs to another address.
 */
async function sealOnce(
  { table, vault, onExport }: SealingDeps,
  announced: AnnouncedExport,
  { request, wallet, now }: { request: ExportRequest; wallet: SealedItem; now: Date },
): Promise<SealedExport | undefined> {
  let awsRequestId: string | undefined;
  const secret = await unseal(vault, wallet.encryptedPrivateKey, bindingOf(request), (id) => {
    awsRequestId = id;
  });
  const sealed = await sealAndWipe(secret, request);
  if (!(await noteExport(table, announced, { request, wallet, now }))) return undefined;
  onExport({ walletId: request.walletId, awsRequestId });
  return { thumbprint: announced.thumbprint, ...sealed };
}

/** Withdraws the announcement of a wallet's export. Any later request must be announced again. */
export async function withdrawExport(
  table: Table,
  { userID, walletId }: WalletName,
  now: Date,
): Promise<{ isWithdrawn: boolean }> {
  return untilWritten(async () => {
    const announced = await readAnnounced(table, userID, walletId);
    if (announced === undefined || !isExportOpen(announced, now)) return { isWithdrawn: false };
    return (await withdrawAnnounced(table, announced, now)) ? { isWithdrawn: true } : undefined;
  });
}

/** Takes the ids from the request, because the ids in the wallet's item may belong to another wallet. */
const bindingOf = ({ userID, walletId, network, address }: ExportRequest) => ({
  userID,
  walletId,
  network,
  address,
});

async function sealAndWipe(
  secret: Uint8Array,
  { userID, walletId, network, address, publicKey }: ExportRequest,
): Promise<{ enc: string; ciphertext: string }> {
  const whole = wholeKeyOf(network, secret, address);
  try {
    if (!isSameAddress(network, await addressOf(network, secret), address))
      throw new ServiceError("The key does not belong to the address", { code: "WRONG_PRIVATE_KEY" });
    const info = exportInfo({ network, walletId, userID });
    const { enc, ciphertext } = await sealMessage(pointOfJwk(publicKey), whole, info);
    return { enc: base64url(enc), ciphertext: base64url(ciphertext) };
  } finally {
    secret.fill(0);
    whole.fill(0);
  }
}
