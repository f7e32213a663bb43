import type { Table } from "../aws/table.ts";
import { eventWrite } from "../aws/wallet-events.ts";
import { nextVersion, type WalletChanges, walletsOfUser } from "../aws/wallet-records.ts";
import { transactOnce } from "../aws/writes.ts";
import {
  type ColorTag,
  isActive,
  type NumberedWallet,
  noSuchWallet,
  numbered,
  versionOf,
} from "../domain/wallet.ts";
import { untilWritten } from "./until-written.ts";

/** What to change. `null` goes back to the default, and what is absent stays. */
export type LabelChanges = { slotName?: string | null | undefined; colortag?: ColorTag | null | undefined };

type Change = { userID: string; walletId: string; labels: LabelChanges; now: Date };

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
    const wallet = numbered(all).find(({ _id }) => _id === walletId);
    if (wallet === undefined || !isActive(wallet)) throw noSuchWallet();
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

function withChanges(wallet: NumberedWallet, changes: WalletChanges): NumberedWallet {
  const next = Object.entries({ ...wallet, ...changes, version: versionOf(wallet) + 1 });
  return Object.fromEntries(next.filter(([, value]) => value !== undefined)) as NumberedWallet;
}
