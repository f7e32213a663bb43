import { cancelExport, exportsToday, readExport, requestExport } from "../aws/export-records.ts";
import type { Table } from "../aws/table.ts";
import { walletsOfUser } from "../aws/wallet-records.ts";
import { type PublicJwk, pointOfJwk, thumbprintOf } from "../domain/sealing.ts";
import { isActive, noSuchWallet } from "../domain/wallet.ts";
import {
  type ExportRequest,
  isOver,
  newExportRequest,
  noSuchExport,
  requestsPerDay,
  sealsPerRequest,
  tooManyExports,
} from "../domain/wallet-export.ts";
import type { SealedExport } from "./seal-export.ts";
import { untilWritten } from "./until-written.ts";

export type ExportDeps = {
  table: Table;
  delaySeconds: number;
  /** Has sealExport seal the wallet. */
  seal: (request: { userID: string; walletId: string }) => Promise<SealedExport>;
};

type WalletName = { userID: string; walletId: string };

export type WalletExport =
  | { status: "pending"; availableAt: string }
  | { status: "ready"; enc: string; ciphertext: string };

/**
 * Requests to export a wallet, or exports it if the same key was named long enough ago. Another key begins a new request.
 *
 * @throws {DomainError} WALLET_NOT_FOUND, INVALID_REQUEST, EXPORT_LIMIT_REACHED, and EXPORT_NOT_FOUND if the request has
 * ended meanwhile.
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
    const wallet = wallets.find(({ _id }) => _id === walletId);
    if (wallet === undefined || !isActive(wallet)) throw noSuchWallet();
    if (read !== undefined && continues(read, publicKey, now)) {
      const { availableAt } = read;
      if (now.getTime() < Date.parse(availableAt)) return { status: "pending", availableAt };
      return readyWith(await seal({ userID, walletId }));
    }
    const request = newExportRequest(wallet, { publicKey, delaySeconds }, now);
    const isWritten = await requestExport(table, request, { read, wallet, now });
    if (isWritten) return { status: "pending", availableAt: request.availableAt };
    if ((await exportsToday(table, userID, now)) >= requestsPerDay) throw tooManyExports(requestsPerDay);
    return undefined;
  });
}

const continues = (read: ExportRequest, publicKey: PublicJwk, now: Date) =>
  !isOver(read, now) && read.thumbprint === thumbprintOf(publicKey);

function readyWith(sealed: SealedExport): WalletExport {
  if (!("refused" in sealed)) return { status: "ready", ...sealed };
  switch (sealed.refused) {
    case "EXPORT_LIMIT_REACHED":
      throw tooManyExports(sealsPerRequest);
    case "WALLET_NOT_FOUND":
      throw noSuchWallet();
    case "EXPORT_NOT_FOUND":
      throw noSuchExport();
  }
}

/**
 * Cancels the export of a wallet. The wallet may be retired meanwhile.
 *
 * @throws {DomainError} EXPORT_NOT_FOUND
 */
export async function endExport(
  table: Table,
  { userID, walletId, now }: WalletName & { now: Date },
): Promise<void> {
  return untilWritten(async () => {
    const read = await readExport(table, userID, walletId);
    if (read === undefined || isOver(read, now)) throw noSuchExport();
    return (await cancelExport(table, read, now)) ? true : undefined;
  }).then(() => undefined);
}
