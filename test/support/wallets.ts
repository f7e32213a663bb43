import { bindingOf, seal, type Vault } from "../../lib/aws/vault.ts";
import type { Network } from "../../lib/core/network.ts";
import type { Table } from "../../lib/table/table.ts";
import { register } from "../../lib/users/register.ts";
import { addWallet } from "../../lib/wallets/add-wallet.ts";
import { newWallet, type Wallet } from "../../lib/wallets/wallet.ts";
import { readWalletEvents } from "../../lib/wallets/wallet-events.ts";
import type { Key } from "./keys.ts";

export const walletLimits = { Base: 10, Pro: 50, Enterprise: 500 };

/** Replaces real sealing, which requires a KMS key. */
export const fakeSeal = async () => ({ encryptedPrivateKey: Buffer.from("sealed"), keyMaterialId: "m1" });

/** Creates a user with wallets at these addresses on eth. */
export async function holderOf(
  table: Table,
  userID: string,
  addresses: readonly string[],
  now = new Date(),
): Promise<Wallet[]> {
  await register(table, { userID, names: [], ref: undefined }, now);
  const wallets: Wallet[] = [];
  for (const address of addresses) {
    const wallet = newWallet("imported", { userID, network: "eth", address, now });
    const addition = { wallet, seal: fakeSeal, limits: walletLimits, now };
    wallets.push((await addWallet(table, addition)).wallet);
  }
  return wallets;
}

/** Adds a wallet with a sealed private key to an existing user. */
export async function sealedWalletOf(
  table: Table,
  { vault, userID, made, now }: { vault: Vault; userID: string; made: Key; now: Date },
): Promise<Wallet> {
  const { network, address, secret } = made;
  const wallet = newWallet("imported", { userID, network: network as Network, address, now });
  const sealKey = () => seal(vault, secret, bindingOf(wallet));
  return (await addWallet(table, { wallet, seal: sealKey, limits: walletLimits, now })).wallet;
}

/** Lists the types of a wallet's events, newest first. */
export async function eventTypes(table: Table, { UserID: userID, _id: walletId }: Wallet) {
  const { events } = await readWalletEvents(table, { userID, walletId }, { limit: 100 });
  return events.map(({ type }) => type);
}
