import { openVault, seal, type Vault } from "../../lib/aws/vault.ts";
import type { LaneKey } from "../../lib/orders/intent.ts";
import type { Table } from "../../lib/table/table.ts";
import { type Macs, openMacs } from "../../lib/trading/signing/intent-mac.ts";
import { Streaks } from "../../lib/trading/signing/streaks.ts";
import { openKms } from "./kms.ts";
import { putKey, putWallet } from "./placed-orders.ts";

export type Keys = {
  vault: Vault;
  /** MACs with the key of placeOrder. */
  macs: Macs;
  /** MACs with the key of fireOrders. */
  childMacs: Macs;
};

/** Opens a KMS with one key for wallets and two for MACs. A replacement table has a different id. */
export function openKeys(): Keys & { macsOfTable: (tableId: string) => Macs } {
  const { kms, config } = openKms();
  const { arn } = kms.ensureKey("intents", "HMAC_256");
  const macsOfTable = (tableId: string) => openMacs(arn, tableId, config);
  return {
    vault: openVault(kms.ensureKey("wallets").arn, config),
    macs: macsOfTable("table"),
    childMacs: openMacs(kms.ensureKey("children", "HMAC_256").arn, "table", config),
    macsOfTable,
  };
}

/** Builds the item of a wallet's private key. */
export async function sealedKey(
  vault: Vault,
  { chain: network, wallet: address }: LaneKey,
  userID: string,
  secret: Uint8Array,
) {
  const walletId = `wallet of ${userID}`;
  const { encryptedPrivateKey } = await seal(vault, secret, { userID, walletId, network, address });
  return { walletId, encryptedPrivateKey };
}

/** Imports a wallet with a sealed private key. */
export async function putSealedWallet(
  { table, vault }: { table: Table; vault: Vault },
  lane: LaneKey,
  userID: string,
  privateKey: string,
): Promise<void> {
  const secret = Buffer.from(privateKey.replace("0x", ""), "hex");
  const sealed = await sealedKey(vault, lane, userID, secret);
  await putWallet(table, lane, userID, { _id: sealed.walletId });
  await putKey(table, lane, userID, sealed);
}

const ignore = () => undefined;

/** Ignores everything that the signer reports, and counts postponed requests from zero like a new instance. */
export const ignoredNotes = () => ({
  onSigned: ignore,
  onRefused: ignore,
  onPostponed: ignore,
  onForbidden: ignore,
  onFault: ignore,
  streaks: new Streaks(),
});
