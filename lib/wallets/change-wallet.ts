import type { Table } from "../table/table.ts";
import { untilWritten } from "../table/until-written.ts";
import { writeOnce } from "../table/write.ts";
import {
  activeNamed,
  type Wallet,
  type WalletChanges,
  type WalletLabels,
  type WalletName,
  withChanges,
} from "./wallet.ts";
import { eventWrite } from "./wallet-events.ts";
import { nextVersion, walletsOfUser } from "./wallet-records.ts";

type Change = WalletName & { labels: WalletLabels; now: Date };

/**
 * Changes the name or the colour of a wallet. Writes nothing if the wallet already has them.
 *
 * @throws {DomainError} WALLET_NOT_FOUND
 */
export async function changeWallet(table: Table, { userID, walletId, labels, now }: Change): Promise<Wallet> {
  return untilWritten(async () => {
    const wallet = activeNamed(await walletsOfUser(table, userID), walletId);
    const changed = (["slotName", "colortag"] as const).filter(
      (name) => labels[name] !== undefined && (labels[name] ?? undefined) !== wallet[name],
    );
    if (changed.length === 0) return wallet;
    const changes: WalletChanges = Object.fromEntries(
      changed.map((name) => [name, labels[name] ?? undefined]),
    );
    const details = Object.fromEntries(changed.map((name) => [name, labels[name]]));
    const isWritten = await writeOnce(table, [
      nextVersion(wallet, changes),
      eventWrite({ userID, walletId, type: "renamed", now, details }),
    ]);
    return isWritten ? withChanges(wallet, changes) : undefined;
  });
}
