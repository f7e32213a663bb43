import { randomUUID } from "node:crypto";
import { DomainError } from "./domain-error.ts";
import type { Network } from "./network.ts";
import type { Tier, WalletLimits } from "./tier.ts";

/** A wallet, without its encrypted key. */
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

/** A new wallet for an imported key. It has no name and no colour: {@link listed} fills in defaults. */
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

/** A wallet as a list shows it, with a name and a colour. */
export type ListedWallet = Required<Wallet>;

/**
 * The user's wallets, oldest first, with a default name and colour for those that have none. New wallets come last, so a
 * wallet keeps its defaults without their being stored.
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

/** @throws {DomainError} WALLET_LIMIT_REACHED if a user with this many wallets may not hold another. */
export function checkWalletLimit(tier: Tier, walletCount: number, limits: WalletLimits): void {
  if (walletCount < limits[tier]) return;
  throw new DomainError("WALLET_LIMIT_REACHED", `Wallet limit of ${limits[tier]} reached for tier ${tier}`);
}
