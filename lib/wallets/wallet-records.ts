import { GetCommand } from "@aws-sdk/lib-dynamodb";
import { bindingOf, type SealedKey } from "../aws/vault.ts";
import type { Network } from "../core/network.ts";
import { ServiceError } from "../core/service-error.ts";
import { epochSeconds } from "../core/time.ts";
import type { LaneKey } from "../orders/intent.ts";
import { atMost, type Step, type Write } from "../table/step.ts";
import { type Item, projection, queryRange, type Table } from "../table/table.ts";
import { sealedKeyKey, walletKey, walletOwnerKey, walletsOf } from "../table/wallet-keys.ts";
import { profileKey } from "../users/item-keys.ts";
import { isActive, laneOf, type Places, type Wallet, type WalletChanges } from "./wallet.ts";

const listedAttributes = [
  "_id",
  "UserID",
  "generatedWalletAddress",
  "network",
  "walletType",
  "createdAt",
  "slot",
  "slotName",
  "colortag",
  "version",
  "retiredAt",
  "expiresAt",
] as const satisfies (keyof Wallet)[];

/**
 * Returns the public fields of a wallet's item. Takes the address only from the key, because many functions can write
 * items, but none can change the key of an item.
 *
 * @throws {ServiceError} if the item contradicts its key in user, network or address; otherwise a user could deposit to
 * a stranger's address.
 */
export function walletIn({ PK, SK, ...item }: Item<object>): Wallet {
  const wallet = Object.fromEntries(
    Object.entries(item).filter(([name]) => (listedAttributes as readonly string[]).includes(name)),
  ) as Wallet;
  const key = keyOf(wallet);
  if (key.PK !== PK || key.SK !== SK)
    throw new ServiceError("A wallet's item contradicts its key", { code: "MISPLACED_WALLET" });
  return wallet;
}

/**
 * Reads all of the user's wallets, including retired ones. Leaves out each item that contradicts its key.
 *
 * @param onFault receives an error for each item left out, which raises the caller's alarm.
 */
export async function walletsOfUser(
  table: Table,
  userID: string,
  onFault: (error: ServiceError) => void = () => undefined,
): Promise<Wallet[]> {
  const attributes = ["PK", "SK", ...listedAttributes];
  const items = await queryRange<object>(table, walletsOf(userID), { attributes });
  return items.flatMap((item) => {
    try {
      return [walletIn(item)];
    } catch (error) {
      onFault(error as ServiceError);
      return [];
    }
  });
}

/** Lists the addresses of the user's wallets on a network, without retired ones. */
export async function addressesOfUser(table: Table, userID: string, network: Network): Promise<string[]> {
  const wallets = await walletsOfUser(table, userID);
  return wallets
    .filter((wallet) => wallet.network === network && isActive(wallet))
    .map(({ generatedWalletAddress }) => generatedWalletAddress);
}

/** Lists the lanes of all of the user's wallets, including retired ones. */
export const lanesOfUser = async (table: Table, userID: string): Promise<LaneKey[]> =>
  (await walletsOfUser(table, userID)).map(laneOf);

type WalletName = Pick<Wallet, "UserID" | "network" | "generatedWalletAddress">;

/** Reads the user's wallet with this address on this network. Finds retired wallets too. */
export async function readWallet(table: Table, name: WalletName): Promise<Wallet | undefined> {
  const { Item } = await table.client.send(
    new GetCommand({
      TableName: table.name,
      Key: keyOf(name),
      ConsistentRead: true,
      ...projection(listedAttributes),
    }),
  );
  const { UserID, network, generatedWalletAddress } = name;
  // Takes these fields from the item's key, because only the key is trusted.
  return Item && ({ ...Item, UserID, network, generatedWalletAddress } as Wallet);
}

/** Writes a new wallet and its key, unless the user has a wallet with its address that can still be restored. */
export const insertion = (wallet: Wallet, sealed: SealedKey, now: Date): Step => [
  {
    kind: "put",
    key: keyOf(wallet),
    item: wallet,
    when: ["absent", { expiresAt: atMost(epochSeconds(now)) }],
  },
  { kind: "put", key: keyOfSealed(wallet), item: { ...bindingOf(wallet), ...sealed } },
  ownership(wallet),
];

/**
 * Records that a user has the private key of an address. The record outlives the wallet, as the user's positions do.
 */
export const ownership = ({
  UserID: userID,
  network,
  generatedWalletAddress: address,
}: WalletName): Write => ({
  kind: "put",
  key: walletOwnerKey(userID, network, address),
  item: { userID },
});

/** Makes the private key of a retired wallet expire together with the wallet. */
export const keyExpiry = (wallet: Wallet, expiresAt: number): Write => ({
  kind: "change",
  key: keyOfSealed(wallet),
  set: { expiresAt },
});

/** Keeps the private key of a wallet that is restored. Fails if the key no longer exists. */
export const keyKept = (wallet: Wallet): Write => ({
  kind: "change",
  key: keyOfSealed(wallet),
  set: { expiresAt: undefined },
  when: { walletId: wallet._id },
});

/** Changes a wallet into its next version. Fails if the wallet has changed since it was read. */
export const nextVersion = (read: Wallet, changes: WalletChanges): Write => ({
  kind: "change",
  key: keyOf(read),
  set: { ...changes, version: read.version + 1 },
  // Compares ids as well, because a wallet that is imported again after its removal has a new id, but its version
  // starts at 1 again.
  when: { _id: read._id, version: read.version },
});

/** Checks that the wallet exists and is not retired. */
export const stillActive = (wallet: Wallet): Write => ({
  kind: "check",
  key: keyOf(wallet),
  when: { _id: wallet._id, retiredAt: undefined },
});

/**
 * Takes or frees a place among the user's wallets. Fails if the count, the tier or the last slot has changed, so
 * concurrent requests can neither exceed the limit nor get the same slot.
 *
 * @param read the state for which the caller has checked the limit.
 */
export const placeChange = (
  userID: string,
  read: Places,
  { by, lastSlot = read.lastSlot }: { by: 1 | -1; lastSlot?: number },
): Write => ({
  kind: "change",
  key: profileKey(userID),
  set: { walletCount: read.walletCount + by, lastSlot },
  when: { tier: read.tier, walletCount: read.walletCount, lastSlot: read.lastSlot },
});

const keyOf = ({ UserID, network, generatedWalletAddress }: WalletName) =>
  walletKey(UserID, network, generatedWalletAddress);

const keyOfSealed = ({ UserID, network, generatedWalletAddress }: WalletName) =>
  sealedKeyKey(UserID, network, generatedWalletAddress);
