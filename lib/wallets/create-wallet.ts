import type { Table } from "../aws/table.ts";
import { bindingOf, seal, type Vault } from "../aws/vault.ts";
import { generateKey } from "../domain/generate-key.ts";
import type { Network } from "../domain/network.ts";
import type { WalletLimits } from "../domain/tier.ts";
import { type ColorTag, type NumberedWallet, newWallet } from "../domain/wallet.ts";
import { addWallet } from "./add-wallet.ts";
import { requestKeyOf } from "./request-key.ts";

export type CreationDeps = {
  table: Table;
  vault: Vault;
  limits: WalletLimits;
  makeKey?: typeof generateKey;
};

type Creation = {
  userID: string;
  now: Date;
  /** The Idempotency-Key. */
  key: string | undefined;
  body: {
    network: Network;
    slotName?: string | null | undefined;
    colortag?: ColorTag | null | undefined;
  };
};

/**
 * Makes a wallet with a new private key, once for each user and Idempotency-Key.
 *
 * @throws {DomainError} IDEMPOTENCY_KEY_MISSING, and those of {@link addWallet}.
 */
export async function createWallet(
  { table, vault, limits, makeKey = generateKey }: CreationDeps,
  { userID, now, key, body }: Creation,
): Promise<{ wallet: NumberedWallet; isReplayed: boolean }> {
  const requestKey = requestKeyOf({ userID, operation: "createWallet", key }, body);
  const { network, slotName, colortag } = body;
  using privateKey = await makeKey(network);
  const wallet = newWallet(
    "generated",
    { userID, network, address: privateKey.address, now },
    { slotName: slotName ?? undefined, colortag: colortag ?? undefined },
  );
  const { outcome, wallet: added } = await addWallet(table, {
    wallet,
    seal: () => seal(vault, privateKey.secret, bindingOf(wallet)),
    limits,
    now,
    requestKey,
  });
  // Only wallets of version 0.1 have none, and no request could make those.
  return { wallet: added as NumberedWallet, isReplayed: outcome === "replayed" };
}
