import type { WalletLimits } from "../core/tier.ts";
import type { Step } from "../table/step.ts";
import type { Table } from "../table/table.ts";
import { untilWritten } from "../table/until-written.ts";
import { writeOnce } from "../table/write.ts";
import { readOwnProfile } from "../users/profile-records.ts";
import {
  checkWalletLimit,
  isActive,
  keptNamed,
  type Places,
  type Wallet,
  type WalletName,
  withChanges,
} from "./wallet.ts";
import { eventWrite } from "./wallet-events.ts";
import { keyKept, nextVersion, ownership, placeChange, walletsOfUser } from "./wallet-records.ts";

/**
 * Makes a retired wallet active again, in its own slot. If the wallet is active, changes nothing.
 *
 * @throws {DomainError} WALLET_NOT_FOUND, also if the wallet was retired more than 30 days ago, and
 * WALLET_LIMIT_REACHED.
 */
export async function restoreWallet(
  table: Table,
  { userID, walletId, limits, now }: WalletName & { limits: WalletLimits; now: Date },
): Promise<Wallet> {
  return untilWritten(async () => {
    const [wallets, profile] = await Promise.all([
      walletsOfUser(table, userID),
      readOwnProfile(table, userID),
    ]);
    const wallet = keptNamed(wallets, walletId, now);
    if (isActive(wallet)) return wallet;
    checkWalletLimit(profile.tier, profile.walletCount, limits);
    const { wallet: restored, writes } = restoration(wallet, profile, now);
    return (await writeOnce(table, writes)) ? restored : undefined;
  });
}

/**
 * Builds the writes that restore a retired wallet with this name and colour. The caller must have checked the wallet
 * limit.
 */
export function restoration(
  retired: Wallet,
  places: Places,
  now: Date,
  labels: Pick<Wallet, "slotName" | "colortag"> = {},
): { wallet: Wallet; writes: Step } {
  const { UserID: userID, _id: walletId } = retired;
  const changes = { ...labels, retiredAt: undefined, expiresAt: undefined };
  const writes = [
    nextVersion(retired, changes),
    keyKept(retired),
    ownership(retired),
    placeChange(userID, places, { by: 1 }),
    eventWrite({ userID, walletId, type: "restored", now }),
  ];
  return { wallet: withChanges(retired, changes), writes };
}
