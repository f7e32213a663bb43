import { DomainError } from "../core/domain-error.ts";
import type { WalletLimits } from "../core/tier.ts";
import type { LaneKey } from "../orders/intent.ts";
import type { Table } from "../table/table.ts";
import { untilWritten } from "../table/until-written.ts";
import { writeOnce } from "../table/write.ts";
import { cutoffOfRetired, laneWorkOf } from "../trading/items/lane-records.ts";
import { readOwnProfile } from "../users/profile-records.ts";
import { restoreWallet } from "./restore-wallet.ts";
import {
  isActive,
  keptNamed,
  laneOf,
  restorableUntil,
  retirement,
  type Wallet,
  type WalletName,
} from "./wallet.ts";
import { eventWrite } from "./wallet-events.ts";
import { keyExpiry, nextVersion, placeChange, readWallet, walletsOfUser } from "./wallet-records.ts";

export type RetiringDeps = {
  table: Table;
  limits: WalletLimits;
  /** Wakes the lane, which then ends the wallet's open orders. Never throws. */
  wake: (lane: LaneKey) => Promise<void>;
  /** Starts to end the wallet's resting orders, whose prices may never be reached. Never throws. */
  endResting: (userID: string, lane: LaneKey) => Promise<void>;
};

type Retirement = WalletName & { now: Date };

/**
 * Retires a wallet: frees its place, stops all signing for it, and ends its open orders soon. No order that was placed
 * before is ever signed, even if the wallet is restored or imported again. If the wallet is already
 * retired, completes what an earlier request may have left undone, because its answer may have been lost.
 *
 * @returns the wallet, and the time until which it can be restored.
 * @throws {DomainError} WALLET_NOT_FOUND, also if the wallet was retired more than 30 days ago, and WALLET_BUSY while
 * one of the user's transactions is not settled, until an hour after its order's deadline.
 */
export async function retireWallet(
  { table, limits, wake, endResting }: RetiringDeps,
  { userID, walletId, now }: Retirement,
): Promise<{ wallet: Wallet; restorableUntil: string }> {
  const { retiredAt, expiresAt } = retirement(now);
  const wallet = await untilWritten(async () => {
    const [all, profile] = await Promise.all([walletsOfUser(table, userID), readOwnProfile(table, userID)]);
    const read = keptNamed(all, walletId, now);
    if (!isActive(read)) return read;
    if ((await workOf(table, read, now)).hasTransactions) throw busy();
    const isWritten = await writeOnce(table, [
      nextVersion(read, { retiredAt, expiresAt }),
      keyExpiry(read, expiresAt),
      placeChange(userID, profile, { by: -1 }),
      eventWrite({ userID, walletId, type: "retired", now }),
      await cutoffOfRetired(table, laneOf(read), { userID, now }),
    ]).catch(async (error: unknown) => {
      // Accepts a write that succeeded although its answer was lost.
      if ((await readWallet(table, read))?.retiredAt !== retiredAt) throw error;
      return true;
    });
    return isWritten ? { ...read, expiresAt } : undefined;
  });
  // Looks for transactions again. The signer checks the wallet when it writes, so everything that it signed earlier is
  // visible now, and it signs nothing more.
  const { hasOrders, hasTransactions } = await workOf(table, wallet, now);
  const isBusy = hasTransactions && (await isUndone());
  // The orders placed before are cancelled for good, even if the wallet stays.
  if (hasOrders) await wake(laneOf(wallet));
  await endResting(userID, laneOf(wallet));
  if (isBusy) throw busy();
  return { wallet, restorableUntil: restorableUntil(wallet.expiresAt ?? expiresAt) };

  /**
   * Restores the wallet. Returns false if its place has been taken. In that case the wallet stays retired, and its
   * transaction is followed to the end.
   */
  async function isUndone(): Promise<boolean> {
    try {
      // Dates the restoration one millisecond after the retirement, because events are listed by time.
      await restoreWallet(table, { userID, walletId, limits, now: new Date(now.getTime() + 1) });
      return true;
    } catch (error) {
      if (error instanceof DomainError && error.code === "WALLET_LIMIT_REACHED") return false;
      throw error;
    }
  }
}

const busy = () =>
  new DomainError("WALLET_BUSY", "A transaction of this wallet is not settled. Try again when it is.");

const workOf = (table: Table, wallet: Wallet, now: Date) =>
  laneWorkOf(table, laneOf(wallet), { userID: wallet.UserID, now });
