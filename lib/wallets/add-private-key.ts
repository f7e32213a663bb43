import { bindingOf, seal, type Vault } from "../aws/vault.ts";
import type { Network } from "../core/network.ts";
import type { PrivateKey } from "../core/private-key.ts";
import type { WalletLimits } from "../core/tier.ts";
import type { Table } from "../table/table.ts";
import { addWallet, type RequestKey } from "./add-wallet.ts";
import { newWallet, type Wallet, type WalletLabels } from "./wallet.ts";

export type AddingDeps = { table: Table; vault: Vault; limits: WalletLimits };

type Addition = {
  walletType: Wallet["walletType"];
  userID: string;
  network: Network;
  labels?: WalletLabels;
  now: Date;
  requestKey?: RequestKey;
};

/**
 * Adds the wallet of a private key. Seals the key only if the user may have another wallet.
 *
 * @throws {DomainError} with the codes of {@link addWallet}.
 */
export async function addPrivateKey(
  { table, vault, limits }: AddingDeps,
  { secret, address }: PrivateKey,
  { walletType, userID, network, labels, now, requestKey }: Addition,
): Promise<{ wallet: Wallet; isReplayed: boolean }> {
  const wallet = newWallet(walletType, { userID, network, address, now }, labels);
  const { outcome, wallet: added } = await addWallet(table, {
    wallet,
    seal: () => seal(vault, secret, bindingOf(wallet)),
    limits,
    now,
    ...(requestKey && { requestKey }),
  });
  return { wallet: added, isReplayed: outcome === "replayed" };
}
