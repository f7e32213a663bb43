import type { Table } from "../aws/table.ts";
import { eventWrite } from "../aws/wallet-events.ts";
import { nextVersion, walletsOfUser } from "../aws/wallet-records.ts";
import { transactOnce } from "../aws/writes.ts";
import {
  activeNamed,
  type NumberedWallet,
  numbered,
  type WalletChanges,
  type WalletLabels,
  type WalletName,
  withChanges,
} from "../domain/wallet.ts";
import { untilWritten } from "./until-written.ts";

type Change = WalletName & { labels: WalletLabels; now: Date };

/**
 * Changes the name or the colour of a wallet. What it has already changes nothing.
 *
 * @throws {DomainError} WALLET_NOT_FOUND
 */
export async function changeWallet(
  table: Table,
  { userID, walletId, labels, now }: Change,
): Promise<NumberedWallet> {
  return untilWritten(async () => {
    const all = await walletsOfUser(table, userID);
    const wallet = activeNamed(numbered(all), walletId);
    const changed = (["slotName", "colortag"] as const).filter(
      (name) => labels[name] !== undefined && (labels[name] ?? undefined) !== wallet[name],
    );
    if (changed.length === 0) return wallet;
    const changes: WalletChanges = {
      // A wallet of version 0.1 may have none, and what is published of it depends on no other wallet.
      slot: wallet.slot,
      ...Object.fromEntries(changed.map((name) => [name, labels[name] ?? undefined])),
    };
    const details = Object.fromEntries(changed.map((name) => [name, labels[name]]));
    const isWritten = await transactOnce(table, [
      nextVersion(table, wallet, changes),
      eventWrite(table, { userID, walletId, type: "renamed", now, details }),
    ]);
    return isWritten ? withChanges(wallet, changes) : undefined;
  });
}
