import type { Table } from "../../table/table.ts";
import { untilWritten } from "../../table/until-written.ts";
import { type PublicJwk, pointOfJwk, thumbprintOf } from "../keys/sealing.ts";
import { activeNamed, noSuchWallet, type WalletName } from "../wallet.ts";
import { walletsOfUser } from "../wallet-records.ts";
import { cancelExport, exportsToday, readExport, requestExport } from "./export-records.ts";
import type { SealedExport } from "./seal-export.ts";
import {
  type ExportRequest,
  exportedTooOften,
  isExportOpen,
  newExportRequest,
  noSuchExport,
  requestsPerDay,
  tooManyExports,
} from "./wallet-export.ts";

export type ExportDeps = {
  table: Table;
  delaySeconds: number;
  /** Asks sealExport to announce the request, or to seal the wallet. */
  seal: (request: { userID: string; walletId: string }) => Promise<SealedExport>;
};

export type WalletExport =
  | { status: "pending"; availableAt: string }
  | { status: "ready"; enc: string; ciphertext: string };

/**
 * Requests the export of a wallet, or exports it if the delay since the request with the same key is over. Another key
 * begins a new request.
 *
 * @throws {DomainError} WALLET_NOT_FOUND, INVALID_REQUEST, EXPORT_LIMIT_REACHED, and EXPORT_NOT_FOUND if the request
 * has ended meanwhile.
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
    if (!continues(read, publicKey, now)) {
      const request = newExportRequest(wallet, { publicKey, delaySeconds, previous: read }, now);
      if (!(await requestExport(table, request, { read, wallet, now }))) {
        if ((await exportsToday(table, userID, now)) >= requestsPerDay) throw tooManyExports(requestsPerDay);
        return undefined;
      }
    }
    return answerOf(await seal({ userID, walletId }));
  });
}

const continues = (read: ExportRequest | undefined, publicKey: PublicJwk, now: Date) =>
  read !== undefined && isExportOpen(read, now) && read.thumbprint === thumbprintOf(publicKey);

function answerOf(sealed: SealedExport): WalletExport {
  if ("availableAt" in sealed) return { status: "pending", availableAt: sealed.availableAt };
  if (!("refused" in sealed)) return { status: "ready", ...sealed };
  switch (sealed.refused) {
    case "EXPORT_LIMIT_REACHED":
      throw exportedTooOften();
    case "WALLET_NOT_FOUND":
      throw noSuchWallet();
    case "EXPORT_NOT_FOUND":
      throw noSuchExport();
  }
}

export type EndingDeps = {
  table: Table;
  /** Asks sealExport to withdraw its announcement. */
  withdraw: (name: WalletName) => Promise<{ isWithdrawn: boolean }>;
};

/**
 * Cancels the export of a wallet, even of a retired one.
 *
 * @throws {DomainError} EXPORT_NOT_FOUND
 */
export async function endExport(
  { table, withdraw }: EndingDeps,
  { userID, walletId, now }: WalletName & { now: Date },
): Promise<void> {
  const wasRequested = await untilWritten(async () => {
    const read = await readExport(table, userID, walletId);
    if (read === undefined || !isExportOpen(read, now)) return false;
    return (await cancelExport(table, read, now)) ? true : undefined;
  });
  // Withdraws even if nothing is requested: the client may repeat the call because the first answer got lost.
  const { isWithdrawn } = await withdraw({ userID, walletId });
  if (!wasRequested && !isWithdrawn) throw noSuchExport();
}
