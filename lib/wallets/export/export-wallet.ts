import type { Table } from "../../table/table.ts";
import { untilWritten } from "../../table/until-written.ts";
import { type PublicJwk, pointOfJwk, thumbprintOf } from "../keys/sealing.ts";
import { activeNamed, noSuchWallet, type WalletName } from "../wallet.ts";
import { walletsOfUser } from "../wallet-records.ts";
import { announcedToday } from "./announced-exports.ts";
import { exportsLocked } from "./export-lock.ts";
import { cancelRequest, readExport, requestExport } from "./export-records.ts";
import type { SealedExport } from "./seal-export.ts";
import {
  announcementsPerDay,
  type ExportRequest,
  exportedTooOften,
  isExportOpen,
  newExportRequest,
  noSuchExport,
  tooManyExports,
} from "./wallet-export.ts";

export type ExportDeps = {
  table: Table;
  delaySeconds: number;
  /** Invokes sealExport to announce the request, or to seal the wallet. */
  seal: (request: { userID: string; walletId: string }) => Promise<SealedExport>;
};

/** An export, with the thumbprint (RFC 7638) of the public key that sealExport has announced. */
export type WalletExport = { thumbprint: string } & (
  | { status: "pending"; availableAt: string }
  | { status: "ready"; enc: string; ciphertext: string }
);

/**
 * Requests the export of a wallet. If the delay since a request with the same public key is over, exports the wallet. A
 * different public key begins a new request.
 *
 * @throws {DomainError} WALLET_NOT_FOUND, INVALID_REQUEST, EXPORT_LOCKED, EXPORT_LIMIT_REACHED, and EXPORT_NOT_FOUND if
 * the request has ended in the meantime.
 */
export async function exportWallet(
  { table, delaySeconds, seal }: ExportDeps,
  { userID, walletId, publicKey, now }: WalletName & { publicKey: PublicJwk; now: Date },
): Promise<WalletExport> {
  pointOfJwk(publicKey);
  return untilWritten(async () => {
    const [wallets, read] = await Promise.all([
      walletsOfUser(table, userID),
      readExport(table, userID, walletId),
    ]);
    const wallet = activeNamed(wallets, walletId);
    if (!continues(read.request, publicKey, now)) {
      // Keeps the pending request if the day's limit is reached, because sealExport would refuse a new one.
      if ((await announcedToday(table, userID, now)) >= announcementsPerDay) throw tooManyExports();
      const request = newExportRequest(wallet, { publicKey, delaySeconds, previous: read.request }, now);
      if (!(await requestExport(table, request, { read, wallet }))) return undefined;
    }
    return answerOf(await seal({ userID, walletId }));
  });
}

const continues = (read: ExportRequest | undefined, publicKey: PublicJwk, now: Date) =>
  read !== undefined && isExportOpen(read, now) && read.thumbprint === thumbprintOf(publicKey);

function answerOf(sealed: SealedExport): WalletExport {
  if ("availableAt" in sealed) return { status: "pending", ...sealed };
  if (!("refused" in sealed)) return { status: "ready", ...sealed };
  switch (sealed.refused) {
    case "EXPORT_LOCKED":
      throw exportsLocked(sealed);
    case "ANNOUNCED_TOO_OFTEN":
      throw tooManyExports();
    case "SEALED_TOO_OFTEN":
      throw exportedTooOften();
    case "WALLET_NOT_FOUND":
      throw noSuchWallet();
    case "EXPORT_NOT_FOUND":
      throw noSuchExport();
  }
}

export type EndingDeps = {
  table: Table;
  /** Invokes sealExport to withdraw its announcement. */
  withdraw: (name: WalletName) => Promise<{ isWithdrawn: boolean }>;
  /** Reports that the request could not be cancelled. */
  onFault: (error: unknown) => void;
};

/**
 * Cancels the export of a wallet, even of a retired one. First withdraws the announcement: nothing can be exported
 * without one, and a compromised exportWallet could store a request that cannot be cancelled.
 *
 * @throws {DomainError} EXPORT_NOT_FOUND if nothing was announced or requested.
 */
export async function endExport(
  { table, withdraw, onFault }: EndingDeps,
  { userID, walletId, now }: WalletName & { now: Date },
): Promise<void> {
  const { isWithdrawn } = await withdraw({ userID, walletId });
  let wasRequested = false;
  try {
    await untilWritten(async () => {
      const { request } = await readExport(table, userID, walletId);
      if (request === undefined || !isExportOpen(request, now)) return false;
      wasRequested = true;
      return (await cancelRequest(table, request, now)) || undefined;
    });
  } catch (error) {
    if (!wasRequested && !isWithdrawn) throw error;
    onFault(error);
  }
  if (!wasRequested && !isWithdrawn) throw noSuchExport();
}
