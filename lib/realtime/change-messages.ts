import { inParts, type ServerMessage } from "../api/server-messages.ts";
import type { ExecutionKind, OrderStatus } from "../core/execution-words.ts";
import type { Chain } from "../core/network.ts";
import type { Device } from "../devices/device.ts";
import { channelOf, type Execution } from "../orders/execution.ts";
import type { ProgramKey } from "../orders/program-key.ts";
import type { Price } from "../prices/price.ts";
import type { FeedHolder } from "../prices/price-records.ts";
import { shownKey } from "../programs/program-keys.ts";
import type { Redemption } from "../rewards/redemption.ts";
import type { UserProgress } from "../users/profile.ts";
import type { Announced } from "../wallets/export/announced-exports.ts";
import { type ShownLock, shownLock } from "../wallets/export/export-lock.ts";
import type { AnnouncedExport } from "../wallets/export/wallet-export.ts";
import type { ShownPolicy } from "../wallets/guard-records.ts";
import { streamedWallet, type Wallet } from "../wallets/wallet.ts";
import type { PublicUpdate } from "./deliver.ts";

/** A change of the table about which clients are notified. */
export type PublishedChange =
  | { of: "settings"; userID: string; chain: Chain; version: number; settings: object }
  | { of: "wallet"; userID: string; wallet: Wallet }
  | ({ of: "export"; userID: string } & ExportAnnounced)
  | { of: "exportLock"; userID: string; lock: ShownLock }
  | ({ of: "policy" } & ShownPolicy)
  | { of: "programKey"; userID: string; key: ProgramKey }
  | {
      of: "execution";
      userID: string;
      kind: ExecutionKind;
      execution: Execution;
      /** The order's status before the change. Undefined for a position, and for an order's first record. */
      statusBefore?: OrderStatus | undefined;
      /** True if it comes from a resting order and not from its record. */
      isResting?: true;
    }
  | { of: "device"; userID: string; device: Device }
  | { of: "redemption"; userID: string; redemption: Redemption }
  | { of: "progress"; userID: string; progress: UserProgress }
  | { of: "prices"; prices: readonly Price[]; feed?: FeedHolder | undefined };

/** The part of an announcement that is published. The thumbprint shows users which key would receive their wallet. */
type ExportAnnounced = Pick<AnnouncedExport, "walletId" | "availableAt" | "thumbprint" | "version">;

/** A change about which connections get a message. Devices learn of it only by notices. */
export type StreamedChange = Exclude<PublishedChange, { of: "device" }>;

/** Builds the message about one change. */
export function messageOf(change: StreamedChange, now: Date): ServerMessage {
  const time = now.toISOString();
  switch (change.of) {
    case "settings": {
      const { chain, version, settings } = change;
      return { type: "TradingSettingsUpdated", time, data: { chain, version, settings } } as ServerMessage;
    }
    case "wallet":
      return { type: "WalletsUpdated", time, data: { wallets: [streamedWallet(change.wallet)] } };
    case "export":
      return exportRequested(change, now);
    case "exportLock":
      return { type: "ExportLockUpdated", time, data: change.lock };
    case "policy":
      return policyUpdated(change, now);
    case "programKey":
      return programKeyChanged(change.key, now);
    case "execution": {
      const channel = channelOf[change.kind];
      return { type: "update", channel, time, data: [change.execution] } as ServerMessage;
    }
    case "redemption":
      return rewardRedeemed(change.redemption, now);
    case "progress":
      return profileUpdated(change.progress, now);
    case "prices":
      return pricesUpdate(change, now);
  }
}

export function pricesUpdate({ prices }: { prices: readonly Price[] }, now: Date): PublicUpdate {
  return { type: "update", channel: "prices", time: now.toISOString(), data: [...prices] };
}

/**
 * Builds `WalletsUpdated` messages with these wallets, in as many messages as needed. If there are no wallets, there
 * are no messages.
 */
export function walletsUpdated(wallets: readonly Wallet[], now: Date): ServerMessage[] {
  if (wallets.length === 0) return [];
  const time = now.toISOString();
  return inParts(wallets.map(streamedWallet)).map((part) => ({
    type: "WalletsUpdated",
    time,
    data: { wallets: part },
  }));
}

/** Builds the message about a requested export. */
function exportRequested(
  { walletId, availableAt, thumbprint, version }: ExportAnnounced,
  now: Date,
): ServerMessage {
  const data = { walletId, availableAt, thumbprint, version };
  return { type: "WalletExportRequested", time: now.toISOString(), data };
}

/** Builds the messages about exports that can still be cancelled, and about a lock in force. */
export const exportsAnnounced = ({ lock, exports }: Announced, now: Date): ServerMessage[] => [
  ...exports.map((each) => exportRequested(each, now)),
  ...(lock.status === "unlocked"
    ? []
    : [{ type: "ExportLockUpdated", time: now.toISOString(), data: shownLock(lock) } as const]),
];

/** Builds the message about a changed policy. */
export const policyUpdated = (
  { walletId, policy, pending, change, version }: ShownPolicy,
  now: Date,
): ServerMessage => ({
  type: "WalletPolicyUpdated",
  time: now.toISOString(),
  data: { walletId, policy, ...(pending && { pending }), change, version },
});

/** Builds the message about a program key that was added or revoked. */
export const programKeyChanged = (key: ProgramKey, now: Date): ServerMessage => ({
  type: key.revokedAt === undefined ? "ProgramKeyAdded" : "ProgramKeyRevoked",
  time: now.toISOString(),
  data: { key: shownKey(key) },
});

/** Builds the message about a new or changed redemption. */
export const rewardRedeemed = (redemption: Redemption, now: Date): ServerMessage => ({
  type: "RewardRedeemed",
  time: now.toISOString(),
  data: { redemption },
});

/** Builds the message about what trades have earned. */
export const profileUpdated = ({ userID: _, ...data }: UserProgress, now: Date): ServerMessage => ({
  type: "ProfileUpdated",
  time: now.toISOString(),
  data,
});
