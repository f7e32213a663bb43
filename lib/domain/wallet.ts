import { randomUUID } from "node:crypto";
import { DomainError } from "./domain-error.ts";
import type { Network } from "./network.ts";
import type { Tier, WalletLimits } from "./tier.ts";

/** A wallet as it is kept, without its encrypted key. */
export type Wallet = {
  _id: string;
  UserID: string;
  generatedWalletAddress: string;
  network: Network;
  walletType: "generated" | "imported";
  createdAt: string;
  /** Unset until the user names the wallet. */
  slotName?: string;
  /** Unset until the user picks a colour. */
  colortag?: ColorTag;
};

/** A wallet that the user brings along. Its colour stays unset, for the lists to assign one. */
export function importedWallet(userID: string, network: Network, address: string, now: Date): Wallet {
  return {
    _id: randomUUID(),
    UserID: userID,
    generatedWalletAddress: address,
    network,
    walletType: "imported",
    createdAt: now.toISOString(),
  };
}

export const colorTags = ["blue", "green", "orange", "purple", "red", "teal", "yellow", "pink"] as const;

export type ColorTag = (typeof colorTags)[number];

/** A wallet with nothing left open, as a list shows it. */
export type ListedWallet = Required<Wallet>;

/**
 * The user's wallets in the order in which they came, with a name and a colour for those that have none. Wallets only
 * ever join at the end, so a default stays with its wallet without being stored.
 */
export function listed(wallets: readonly Wallet[]): ListedWallet[] {
  return wallets.toSorted(byAge).map((wallet, index) => ({
    ...wallet,
    slotName: wallet.slotName ?? `Wallet ${index + 1}`,
    colortag: wallet.colortag ?? defaultColor(index),
  }));
}

function byAge(a: Wallet, b: Wallet): number {
  return a.createdAt.localeCompare(b.createdAt) || a._id.localeCompare(b._id);
}

function defaultColor(index: number): ColorTag {
  return colorTags[index % colorTags.length] as ColorTag;
}

/** @throws {DomainError} WALLET_LIMIT_REACHED when a user with so many wallets may not hold another. */
export function checkWalletLimit(tier: Tier, walletCount: number, limits: WalletLimits): void {
  if (walletCount < limits[tier]) return;
  throw new DomainError("WALLET_LIMIT_REACHED", `Wallet limit of ${limits[tier]} reached for tier ${tier}`);
}
