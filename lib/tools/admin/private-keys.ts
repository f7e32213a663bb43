import { rangeOf } from "../../table/keys.ts";
import { queryRange, type Table } from "../../table/table.ts";

/** A stored private key, and when its owner last exported it. */
export type SealedWalletKey = { network: string; address: string; exportedAt: string | undefined };

type SealedItem = { walletId: string };
type Announced = { walletId: string; availableAt?: string; times?: number };
type Exported = { walletId: string; exportedAt: string };

/**
 * Lists a user's private keys. Only sealExport writes the records of exports, so that other functions, which write
 * profiles and the events of wallets, cannot make a key look exported.
 */
export async function privateKeysOf(table: Table, userID: string): Promise<SealedWalletKey[]> {
  const [keys, announced, exported] = await Promise.all([
    queryRange<SealedItem>(table, rangeOf("sealedKey", { userID }), { attributes: ["SK", "walletId"] }),
    queryRange<Announced>(table, rangeOf("announcedExport", { userID })),
    queryRange<Exported>(table, rangeOf("exportedKey", { userID })),
  ]);
  const exportedAt = new Map([
    // Exports that an earlier version has sealed are known until their announcement expires.
    ...announced.flatMap(({ walletId, availableAt = "unknown", times = 0 }) =>
      times > 0 ? [[walletId, availableAt] as const] : [],
    ),
    ...exported.map((each) => [each.walletId, each.exportedAt] as const),
  ]);
  return keys.map(({ SK, walletId }) => {
    const [, network = "", address = ""] = SK.split("#");
    return { network, address, exportedAt: exportedAt.get(walletId) };
  });
}

export const walletKeyText = ({ network, address, exportedAt }: SealedWalletKey): string =>
  `${network} ${address}${exportedAt === undefined ? "" : `, exported at ${exportedAt}`}`;
