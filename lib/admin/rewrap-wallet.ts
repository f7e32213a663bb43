import { bindingOf, rewrap } from "../aws/vault.ts";
import { readStoredWallet, replaceKey, type StoredWallet } from "./stored-wallet.ts";
import type { Target } from "./target.ts";

/** `current`: the wallet has the newest key material already, or has gone. */
export type Outcome = "rewrapped" | "current";

const attempts = 3;

/**
 * Wraps the data key of a wallet under the newest key material, unless that is done.
 *
 * @throws {Error} when KMS or the table refuses, or the encrypted key is another one at each attempt.
 */
export async function rewrapWallet(
  { table, vault }: Target,
  read: StoredWallet,
  currentMaterialId: string,
): Promise<Outcome> {
  let wallet: StoredWallet | undefined = read;
  for (let attempt = 1; attempt <= attempts; attempt++) {
    if (wallet === undefined || wallet.keyMaterialId === currentMaterialId) return "current";
    const sealed = await rewrap(vault, wallet.encryptedPrivateKey, bindingOf(wallet));
    if (await replaceKey(table, wallet, sealed)) return "rewrapped";
    wallet = await readStoredWallet(table, wallet);
  }
  throw new Error("its encrypted key kept changing");
}
