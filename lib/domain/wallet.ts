import { randomUUID } from "node:crypto";
import { DomainError } from "./domain-error.ts";
import type { Network } from "./network.ts";
import type { Tier, WalletLimits } from "./tier.ts";
import type { LaneKey } from "./trading/intent.ts";

/** A wallet, without its encrypted key. */
export type Wallet = {
  _id: string;
  UserID: string;
  generatedWalletAddress: string;
  network: Network;
  walletType: "generated" | "imported";
  createdAt: string;
  /** Its number among the user's wallets, from 1, for good. Wallets of version 0.1 may have none yet. */
  slot?: number;
  /** Unset until the user names the wallet. */
  slotName?: string;
  /** Unset until the user picks a colour. */
  colortag?: ColorTag;
  /** Grows by one with each change that clients see. Absent means 1. */
  version?: number;
  /** Since when it has been retired. */
  retiredAt?: string;
  /** In epoch seconds, of a retired wallet: from then on it cannot be restored, and the table may remove it. */
  expiresAt?: number;
};

export const colorTags = ["blue", "green", "orange", "purple", "red", "teal", "yellow", "pink"] as const;

export type ColorTag = (typeof colorTags)[number];

/** What a user may choose for a wallet. `null` and unset follow from its slot; in a change, unset stays. */
export type WalletLabels = { slotName?: string | null | undefined; colortag?: ColorTag | null | undefined };

/** The labels that are chosen. */
export const labelsOf = ({ slotName, colortag }: WalletLabels): Pick<Wallet, "slotName" | "colortag"> => ({
  ...(typeof slotName === "string" && { slotName }),
  ...(typeof colortag === "string" && { colortag }),
});

/** A new wallet. Without a name or a colour, {@link listed} fills in defaults. */
export function newWallet(
  walletType: Wallet["walletType"],
  { userID, network, address, now }: { userID: string; network: Network; address: string; now: Date },
  labels: WalletLabels = {},
): Wallet {
  return {
    _id: randomUUID(),
    UserID: userID,
    generatedWalletAddress: address,
    network,
    walletType,
    createdAt: now.toISOString(),
    ...labelsOf(labels),
  };
}

/** New values for attributes of a wallet. `undefined` removes the attribute. */
export type WalletChanges = {
  [Name in "slot" | "slotName" | "colortag" | "retiredAt" | "expiresAt"]?: Wallet[Name] | undefined;
};

/** The next version of a wallet. */
export function withChanges<Of extends Wallet>(wallet: Of, changes: WalletChanges): Of {
  const next = Object.entries({ ...wallet, ...changes, version: versionOf(wallet) + 1 });
  return Object.fromEntries(next.filter(([, value]) => value !== undefined)) as Of;
}

/** A retired wallet is hidden everywhere, except from those who restore it or read its events. */
export const isActive = ({ retiredAt }: Pick<Wallet, "retiredAt">): boolean => retiredAt === undefined;

/** Whether it was retired for so long that it counts as removed. The table removes it hours or days later. */
export const isGone = ({ expiresAt }: Pick<Wallet, "expiresAt">, now: Date): boolean =>
  expiresAt !== undefined && expiresAt * 1000 <= now.getTime();

export const versionOf = ({ version }: Pick<Wallet, "version">): number => version ?? 1;

const restorableSeconds = 30 * 86_400;

/** What retiring adds to a wallet. */
export const retirement = (now: Date): Required<Pick<Wallet, "retiredAt" | "expiresAt">> => ({
  retiredAt: now.toISOString(),
  // Whole seconds, rounded up, so that nobody has less time than 30 days.
  expiresAt: Math.ceil(now.getTime() / 1000) + restorableSeconds,
});

/** Until when a wallet can be restored that is gone from then on. */
export const restorableUntil = (expiresAt: number): string => new Date(expiresAt * 1000).toISOString();

/** A wallet as clients see it, with a name and a colour. */
export type ListedWallet = Omit<Required<Wallet>, "slot" | "version" | "retiredAt" | "expiresAt">;

/** The same for a wallet that has a slot. */
export function shownWallet({
  slot,
  version: _,
  retiredAt: __,
  expiresAt: ___,
  ...wallet
}: NumberedWallet): ListedWallet {
  return {
    ...wallet,
    slotName: wallet.slotName ?? `Wallet ${slot}`,
    colortag: wallet.colortag ?? defaultColor(slot),
  };
}

/** The same with its version, by which clients merge lists and messages. */
export const versionedWallet = (wallet: NumberedWallet) => ({
  ...shownWallet(wallet),
  version: versionOf(wallet),
});

/** The same as the stream has it. */
export const streamedWallet = (wallet: NumberedWallet) => ({
  ...versionedWallet(wallet),
  state: isActive(wallet) ? ("active" as const) : ("retired" as const),
});

/**
 * The user's active wallets by slot, with a default name and colour for those that have none. The defaults follow from the
 * slot, so later wallets never change them. Creation times could: they come from the clocks of different machines.
 *
 * @param wallets All of the user's wallets. Retired ones keep their slots.
 */
export const listed = (wallets: readonly Wallet[]): ListedWallet[] => activeBySlot(wallets).map(shownWallet);

/** The active ones, by slot. */
export const activeBySlot = (wallets: readonly Wallet[]): NumberedWallet[] =>
  bySlot(wallets).filter(isActive);

/** All of them, by slot. */
export const bySlot = (wallets: readonly Wallet[]): NumberedWallet[] =>
  numbered(wallets).toSorted((a, b) => a.slot - b.slot);

export type NumberedWallet = Wallet & { slot: number };

/** Wallets without a slot were imported before those with one. By age, they get the slots that are free. */
export function numbered(wallets: readonly Wallet[]): NumberedWallet[] {
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

/** What decides whether a user may have another wallet, and which slot it gets. */
export type Places = {
  tier: Tier;
  /** Of the wallets that are not retired. */
  walletCount: number;
  /** The highest slot so far. Absent until a wallet is added or retired by this version: until then it is the count. */
  lastSlot?: number;
};

export const lastSlotOf = ({ lastSlot, walletCount }: Places): number => lastSlot ?? walletCount;

/** @throws {DomainError} WALLET_LIMIT_REACHED if a user with this many wallets may not have another. */
export function checkWalletLimit(tier: Tier, walletCount: number, limits: WalletLimits): void {
  if (walletCount < limits[tier]) return;
  throw new DomainError("WALLET_LIMIT_REACHED", `Wallet limit of ${limits[tier]} reached for tier ${tier}`);
}

/** Whether two texts are one address. Those of EVM networks may differ in case. */
export const isSameAddress = (network: Network, one: string, other: string): boolean =>
  network === "sol" ? one === other : one.toLowerCase() === other.toLowerCase();

export const noSuchWallet = () => new DomainError("WALLET_NOT_FOUND", "You have no such wallet");

/** How users name a wallet. */
export type WalletName = { userID: string; walletId: string };

/** @throws {DomainError} WALLET_NOT_FOUND, also if the wallet is retired. */
export function activeNamed<Of extends Wallet>(wallets: readonly Of[], walletId: string): Of {
  const wallet = wallets.find(({ _id }) => _id === walletId);
  if (wallet === undefined || !isActive(wallet)) throw noSuchWallet();
  return wallet;
}

/** @throws {DomainError} WALLET_NOT_FOUND, also if the wallet is gone. It may be retired. */
export function keptNamed<Of extends Wallet>(wallets: readonly Of[], walletId: string, now: Date): Of {
  const wallet = wallets.find(({ _id }) => _id === walletId);
  if (wallet === undefined || isGone(wallet, now)) throw noSuchWallet();
  return wallet;
}

/** The lane of a wallet's orders. */
export const laneOf = ({
  network,
  generatedWalletAddress,
}: Pick<Wallet, "network" | "generatedWalletAddress">): LaneKey => ({
  chain: network,
  wallet: generatedWalletAddress,
});
