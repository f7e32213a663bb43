import { readOwnProfile } from "../aws/profile-records.ts";
import type { Table } from "../aws/table.ts";
import type { SealedKey } from "../aws/vault.ts";
import { hasWallet, insertWallet } from "../aws/wallet-records.ts";
import { pauseAfter } from "../aws/writes.ts";
import type { WalletLimits } from "../domain/tier.ts";
import { checkWalletLimit, type Wallet } from "../domain/wallet.ts";

/** Far more than a user needs who imports 50 wallets at once. A function's deadline ends the attempts before. */
const maxAttempts = 40;

/**
 * Adds a wallet to its user's wallets. Importing an address again on the same network succeeds and changes nothing, even
 * at the limit.
 *
 * @param seal encrypts the private key. Called at most once, and only if the user may hold another wallet.
 * @throws {DomainError} WALLET_LIMIT_REACHED
 */
export async function importWallet(
  table: Table,
  wallet: Wallet,
  seal: () => Promise<SealedKey>,
  limits: WalletLimits,
): Promise<void> {
  let sealed: SealedKey | undefined;
  // A concurrent change stops the insert. The next attempt reads it: the same wallet, another count, or another tier.
  for (let attempt = 1; attempt <= maxAttempts; attempt++) {
    const [isHeld, { tier, walletCount }] = await Promise.all([
      hasWallet(table, wallet),
      readOwnProfile(table, wallet.UserID),
    ]);
    if (isHeld) return;
    checkWalletLimit(tier, walletCount, limits);
    sealed ??= await seal();
    if (await insertWallet(table, wallet, sealed, { tier, walletCount })) return;
    await pauseAfter(attempt);
  }
  throw new Error("The user's profile kept changing");
}
