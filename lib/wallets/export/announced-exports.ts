import { dayOf, epochSeconds } from "../../core/time.ts";
import { below, type Write } from "../../table/step.ts";
import { type Item, queryRange, readItem, type Table } from "../../table/table.ts";
import { write } from "../../table/write.ts";
import {
  announcedDayKey,
  announcedExportKey,
  announcedTo,
  exportedKeyKey,
  isAnnouncedExport,
  isUnlocking,
} from "../item-keys.ts";
import type { Wallet } from "../wallet.ts";
import { eventWrite } from "../wallet-events.ts";
import { stillActive } from "../wallet-records.ts";
import { isOfTable, type LockState, lockStateOf, type Unlocking } from "./export-lock.ts";
import { stillRequested } from "./export-records.ts";
import { readStoredLock, stillUnlocked } from "./lock-records.ts";
import {
  type AnnouncedExport,
  announcementsPerDay,
  type ExportRequest,
  isExportOpen,
  isOfLock,
  sealsPerRequest,
} from "./wallet-export.ts";

const daySeconds = 86_400;

export async function readAnnounced(
  table: Table,
  userID: string,
  walletId: string,
): Promise<AnnouncedExport | undefined> {
  return readItem<AnnouncedExport>(table, announcedExportKey(userID, walletId));
}

/** State of a user's exports, and the announced exports that can still be cancelled. */
export type Announced = { lock: LockState; exports: AnnouncedExport[] };

/** Reads a user's announcements, without those that are cancelled, expired, or void because of a lock. */
export async function announcedToUser(table: Table, userID: string, now: Date): Promise<Announced> {
  const [stored, announced] = await Promise.all([
    readStoredLock(table, userID),
    queryRange<object>(table, announcedTo(userID)),
  ]);
  const unlocking = announced.find(isUnlocking) as Unlocking | undefined;
  const lock = lockStateOf(stored, unlocking, { delaySeconds: 0, tableId: table.id, now });
  const exports = (announced.filter(isAnnouncedExport) as Item<AnnouncedExport>[]).filter(
    (each) => isExportOpen(each, now) && isOfTable(each, table.id) && isOfLock(each, lock),
  );
  return { lock, exports };
}

/** Returns how many exports were announced to the user today, according to sealExport's own count. */
export async function announcedToday(table: Table, userID: string, now: Date): Promise<number> {
  const item = await readItem<{ announcements?: unknown }>(table, announcedDayKey(userID, dayOf(now)));
  return Number(item?.announcements ?? 0);
}

type Terms = { request: ExportRequest; wallet: Wallet; now: Date };

/** Checks that the request and the wallet are unchanged, and that nobody has locked exports in the meantime. */
const stillAllowed = (
  announced: AnnouncedExport,
  { request, wallet }: Pick<Terms, "request" | "wallet">,
): Write[] => [stillRequested(request), stillActive(wallet), stillUnlocked(announced.userID, announced)];

/**
 * Announces a request, counts it and logs it in the wallet's events, in one transaction.
 *
 * @param previous the announcement to replace.
 * @returns false, without writing, if the previous announcement, the request or the wallet has changed, or if the user
 * has reached the day's limit or locked exports.
 */
export async function announceExport(
  table: Table,
  announcement: AnnouncedExport,
  { previous, request, wallet, now }: Terms & { previous: AnnouncedExport | undefined },
): Promise<boolean> {
  const { userID, walletId, availableAt, thumbprint } = announcement;
  return write(table, [
    ...stillAllowed(announcement, { request, wallet }),
    {
      kind: "put",
      key: announcedExportKey(userID, walletId),
      item: announcement,
      when: previous ? { version: previous.version } : "absent",
    },
    {
      kind: "change",
      key: announcedDayKey(userID, dayOf(now)),
      set: { expiresAt: epochSeconds(now) + 2 * daySeconds },
      add: { announcements: 1 },
      when: ["absent", { announcements: below(announcementsPerDay) }],
    },
    eventWrite({ userID, walletId, type: "exportRequested", now, details: { availableAt, thumbprint } }),
  ]);
}

/**
 * Withdraws an announcement. Returns false, without writing, if somebody has replaced or withdrawn it since it was
 * read.
 */
export async function withdrawAnnounced(
  table: Table,
  { userID, walletId, version }: AnnouncedExport,
  now: Date,
): Promise<boolean> {
  return write(table, [
    {
      kind: "change",
      key: announcedExportKey(userID, walletId),
      set: { cancelledAt: now.toISOString() },
      when: { version, cancelledAt: undefined },
    },
    eventWrite({ userID, walletId, type: "exportCancelled", now }),
  ]);
}

/**
 * Counts a sealed export, logs it in the wallet's events, and records it where only sealExport writes. The announcement
 * expires, but an operator who deletes the user must know later, too, that the owner has the key.
 *
 * @returns false, without writing, if the request, its announcement or the wallet has changed, if the user has locked
 * exports, or if the wallet was sealed too often.
 */
export async function noteExport(
  table: Table,
  announced: AnnouncedExport,
  { request, wallet, now }: Terms,
): Promise<boolean> {
  const { userID, walletId, version } = announced;
  return write(table, [
    ...stillAllowed(announced, { request, wallet }),
    {
      kind: "change",
      key: announcedExportKey(userID, walletId),
      add: { times: 1 },
      when: [
        { version, cancelledAt: undefined, times: undefined },
        { version, cancelledAt: undefined, times: below(sealsPerRequest) },
      ],
    },
    {
      kind: "put",
      key: exportedKeyKey(userID, walletId),
      item: { walletId, exportedAt: now.toISOString() },
    },
    eventWrite({ userID, walletId, type: "exported", now }),
  ]);
}
