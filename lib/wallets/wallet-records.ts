import { GetCommand } from "@aws-sdk/lib-dynamodb";
import type { SealedKey } from "../aws/vault.ts";
import { epochSeconds } from "../core/time.ts";
import { atMost, type Write } from "../table/step.ts";
import { projection, queryRange, type Table } from "../table/table.ts";
import { walletKey, walletsOf } from "../table/wallet-keys.ts";
import { profileKey } from "../users/item-keys.ts";
import type { Places, Wallet, WalletChanges } from "./wallet.ts";

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

/** A wallet's item without its encrypted key, and without anything else that no client may see. */
export const walletIn = (item: object): Wallet =>
  Object.fromEntries(
    Object.entries(item).filter(([name]) => (listedAttributes as readonly string[]).includes(name)),
  ) as Wallet;

/** All of the user's wallets, retired ones included, read without their encrypted keys. */
export async function walletsOfUser(table: Table, userID: string): Promise<Wallet[]> {
  return queryRange<Wallet>(table, walletsOf(userID), { attributes: listedAttributes });
}

type WalletName = Pick<Wallet, "UserID" | "network" | "generatedWalletAddress">;

/** The user's wallet with that address on that network, even if it is retired, without its encrypted key. */
export async function readWallet(table: Table, name: WalletName): Promise<Wallet | undefined> {
  const { Item } = await table.client.send(
    new GetCommand({
      TableName: table.name,
      Key: keyOf(name),
      ConsistentRead: true,
      ...projection(listedAttributes),
    }),
  );
  return Item as Wallet | undefined;
}

/** Writes a new wallet, unless the user has one with its address that is not gone. */
export const insertion = (wallet: Wallet, sealed: SealedKey, now: Date): Write => ({
  kind: "put",
  key: keyOf(wallet),
  item: { ...wallet, ...sealed },
  when: ["absent", { expiresAt: atMost(epochSeconds(now)) }],
});

/** Changes a wallet into its next version, if it has not changed since it was read. */
export const nextVersion = (read: Wallet, changes: WalletChanges): Write => ({
  kind: "change",
  key: keyOf(read),
  set: { ...changes, version: read.version + 1 },
  // A wallet that was imported again after its removal has another id, and a version as low as the first one's.
  when: { _id: read._id, version: read.version },
});

/** Holds while the wallet exists and is not retired. */
export const stillActive = (wallet: Wallet): Write => ({
  kind: "check",
  key: keyOf(wallet),
  when: { _id: wallet._id, retiredAt: undefined },
});

/**
 * Takes or frees a place among the user's wallets, if nothing has changed that decides about it. So no concurrency gets past
 * the limit, and no two wallets get the same slot.
 *
 * @param read for which the caller has checked the limit.
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
