import { rangeOf } from "../../table/keys.ts";
import { queryRange, type Table } from "../../table/table.ts";

/** A stored private key, and whether its owner has exported it. */
export type SealedWalletKey = { network: string; address: string; isExported: boolean };

type SealedItem = { walletId: string };
type Announced = { walletId: string; times?: number };

/**
 * Lists a user's private keys. Only sealExport writes the record of an export, so that other functions, which write
 * profiles and the events of wallets, cannot make a key look exported.
 */
export async function privateKeysOf(table: Table, userID: string): Promise<SealedWalletKey[]> {
  const [keys, announced] = await Promise.all([
    queryRange<SealedItem>(table, rangeOf("sealedKey", { userID }), { attributes: ["SK", "walletId"] }),
    queryRange<Announced>(table, rangeOf("announcedExport", { userID }), {
      attributes: ["walletId", "times"],
    }),
  ]);
  const exported = new Set(announced.filter(({ times = 0 }) => times > 0).map(({ walletId }) => walletId));
  return keys.map(({ SK, walletId }) => {
    const [, network = "", address = ""] = SK.split("#");
    return { network, address, isExported: exported.has(walletId) };
  });
}

export const walletKeyText = ({ network, address }: SealedWalletKey): string => `${network} ${address}`;
