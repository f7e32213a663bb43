import { randomUUID } from "node:crypto";
import { DomainError } from "../core/domain-error.ts";
import type { Network } from "../core/network.ts";
import type { Tier, WalletLimits } from "../core/tier.ts";
import type { LaneKey } from "../orders/intent.ts";

/** A wallet. Its private key is stored elsewhere. */
export type Wallet = {
  _id: string;
  UserID: string;
  generatedWalletAddress: string;
  network: Network;
  walletType: "generated" | "imported";
  createdAt: string;
  /** Permanent number of the wallet among its user's wallets, from 1. */
  slot: number;
  /** Name of the wallet. Absent until the user names it. */
  slotName?: string;
  /** Colour of the wallet. Absent until the user picks one. */
  colortag?: ColorTag;
  /** Version of the wallet. Starts at 1, and grows by one with each change that clients see. */
  version: number;
  /** Time when the wallet was retired. */
  retiredAt?: string;
  /** Time when a retired wallet can no longer be restored and the table may remove it, in epoch seconds. */
  expiresAt?: number;
};

/** A wallet before it takes a place among the user's wallets. */
export type NewWallet = Omit<Wallet, "slot" | "version">;

export const colorTags = ["blue", "green", "orange", "purple", "red", "teal", "yellow", "pink"] as const;

export type ColorTag = (typeof colorTags)[number];

/**
 * Name and colour of a wallet. `null` and undefined mean the default of the wallet's slot, except that in a change,
 * undefined keeps the value.
 */
export type WalletLabels = { slotName?: string | null | undefined; colortag?: ColorTag | null | undefined };

/** Returns the name and the colour that the user has chosen. */
export const labelsOf = ({ slotName, colortag }: WalletLabels): Pick<Wallet, "slotName" | "colortag"> => ({
  ...(typeof slotName === "string" && { slotName }),
  ...(typeof colortag === "string" && { colortag }),
});

/** Builds a wallet. If it has no name or colour, {@link shownWallet} fills in defaults. */
export function newWallet(
  walletType: Wallet["walletType"],
  { userID, network, address, now }: { userID: string; network: Network; address: string; now: Date },
  labels: WalletLabels = {},
): NewWallet {
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
  [Name in "slotName" | "colortag" | "retiredAt" | "expiresAt"]?: Wallet[Name] | undefined;
};

/** Builds the next version of a wallet. */
export function withChanges(wallet: Wallet, changes: WalletChanges): Wallet {
  const next = Object.entries({ ...wallet, ...changes, version: wallet.version + 1 });
  return Object.fromEntries(next.filter(([, value]) => value !== undefined)) as Wallet;
}

/** True unless the wallet is retired. A retired wallet is hidden, except when it is restored or its events are read. */
export const isActive = ({ retiredAt }: Pick<Wallet, "retiredAt">): boolean => retiredAt === undefined;

/**
 * True if a retired wallet can no longer be restored, so that it counts as removed. The table removes it hours or days
 * later.
 */
export const isGone = ({ expiresAt }: Pick<Wallet, "expiresAt">, now: Date): boolean =>
  expiresAt !== undefined && expiresAt * 1000 <= now.getTime();

const restorableSeconds = 30 * 86_400;

/** Returns the attributes that retiring adds to a wallet. */
export const retirement = (now: Date): Required<Pick<Wallet, "retiredAt" | "expiresAt">> => ({
  retiredAt: now.toISOString(),
  // Rounds up to whole seconds, so that users never have less than 30 days.
  expiresAt: Math.ceil(now.getTime() / 1000) + restorableSeconds,
});

/** Returns the time until which a wallet can be restored. */
export const restorableUntil = (expiresAt: number): string => new Date(expiresAt * 1000).toISOString();

/** A wallet as clients see it, with a name and a colour. */
export type ListedWallet = Omit<Required<Wallet>, "slot" | "version" | "retiredAt" | "expiresAt">;

export function shownWallet({
  slot,
  version: _,
  retiredAt: __,
  expiresAt: ___,
  ...wallet
}: Wallet): ListedWallet {
  return {
    ...wallet,
    slotName: wallet.slotName ?? `Wallet ${slot}`,
    colortag: wallet.colortag ?? defaultColor(slot),
  };
}

/** Adds the version, which clients need to merge lists and messages. */
export const versionedWallet = (wallet: Wallet) => ({ ...shownWallet(wallet), version: wallet.version });

/** Adds the state, which messages of the stream need. */
export const streamedWallet = (wallet: Wallet) => ({
  ...versionedWallet(wallet),
  state: isActive(wallet) ? ("active" as const) : ("retired" as const),
});

/**
 * Lists the user's active wallets by slot, with default names and colours. The defaults follow from the slot, so later
 * wallets never change them. If they followed from creation times, differing clocks could change them.
 *
 * @param wallets all of the user's wallets. Retired wallets keep their slots.
 */
export const listed = (wallets: readonly Wallet[]): ListedWallet[] => activeBySlot(wallets).map(shownWallet);

export const activeBySlot = (wallets: readonly Wallet[]): Wallet[] => bySlot(wallets).filter(isActive);

export const bySlot = (wallets: readonly Wallet[]): Wallet[] => wallets.toSorted((a, b) => a.slot - b.slot);

function defaultColor(slot: number): ColorTag {
  return colorTags[(slot - 1) % colorTags.length] as ColorTag;
}

/** Facts that decide whether a user may have another wallet, and which slot it gets. */
export type Places = {
  tier: Tier;
  /** Number of wallets that are not retired. */
  walletCount: number;
  /** Highest slot so far. 0 if there was never a wallet. */
  lastSlot: number;
};

/** @throws {DomainError} WALLET_LIMIT_REACHED if a user with this many wallets may not have another. */
export function checkWalletLimit(tier: Tier, walletCount: number, limits: WalletLimits): void {
  if (walletCount < limits[tier]) return;
  throw new DomainError("WALLET_LIMIT_REACHED", `Wallet limit of ${limits[tier]} reached for tier ${tier}`);
}

export const noSuchWallet = () => new DomainError("WALLET_NOT_FOUND", "You have no such wallet");

/** Identifies a wallet of a user. */
export type WalletName = { userID: string; walletId: string };

/**
 * Finds a wallet that is not retired.
 *
 * @throws {DomainError} WALLET_NOT_FOUND, also if the wallet is retired.
 */
export function activeNamed(wallets: readonly Wallet[], walletId: string): Wallet {
  const wallet = wallets.find(({ _id }) => _id === walletId);
  if (wallet === undefined || !isActive(wallet)) throw noSuchWallet();
  return wallet;
}

/**
 * Finds a wallet, even if it is retired.
 *
 * @throws {DomainError} WALLET_NOT_FOUND, also if the wallet can no longer be restored.
 */
export function keptNamed(wallets: readonly Wallet[], walletId: string, now: Date): Wallet {
  const wallet = wallets.find(({ _id }) => _id === walletId);
  if (wallet === undefined || isGone(wallet, now)) throw noSuchWallet();
  return wallet;
}

/** Returns the lane of a wallet's orders. */
export const laneOf = ({
  network,
  generatedWalletAddress,
}: Pick<Wallet, "network" | "generatedWalletAddress">): LaneKey => ({
  chain: network,
  wallet: generatedWalletAddress,
});
