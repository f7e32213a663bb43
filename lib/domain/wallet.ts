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
  /** Its number among the user's wallets, from 1. Wallets of version 0.1 have none. */
  slot?: number;
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
export type ListedWallet = Omit<Required<Wallet>, "slot">;

/**
 * The user's wallets by slot, with a default name and colour for those that have none. The defaults follow from the slot,
 * so later wallets never change them. Creation times could: they come from the clocks of different machines.
 */
export function listed(wallets: readonly Wallet[]): ListedWallet[] {
  return withSlots(wallets)
    .toSorted((a, b) => a.slot - b.slot)
    .map(({ slot, ...wallet }) => ({
      ...wallet,
      slotName: wallet.slotName ?? `Wallet ${slot}`,
      colortag: wallet.colortag ?? defaultColor(slot),
    }));
}

/** Wallets without a slot were imported before those with one. By age, they get the slots that are free. */
function withSlots(wallets: readonly Wallet[]): (Wallet & { slot: number })[] {
  const taken = new Set(wallets.map(({ slot }) => slot));
  let last = 0;
  return wallets.toSorted(byAge).map((wallet) => {
    if (wallet.slot !== undefined) return { ...wallet, slot: wallet.slot };
    do last++;
    while (taken.has(last));
    return { ...wallet, slot: last };
  });
}

function byAge(a: Wallet, b: Wallet): number {
  return a.createdAt.localeCompare(b.createdAt) || a._id.localeCompare(b._id);
}

function defaultColor(slot: number): ColorTag {
  return colorTags[(slot - 1) % colorTags.length] as ColorTag;
}

/** @throws {DomainError} WALLET_LIMIT_REACHED if a user with this many wallets may not hold another. */
export function checkWalletLimit(tier: Tier, walletCount: number, limits: WalletLimits): void {
  if (walletCount < limits[tier]) return;
  throw new DomainError("WALLET_LIMIT_REACHED", `Wallet limit of ${limits[tier]} reached for tier ${tier}`);
}
