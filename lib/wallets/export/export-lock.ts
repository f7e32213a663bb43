import * as v from "valibot";
import { DomainError } from "../../core/domain-error.ts";

/**
 * A user's lock. It ends every pending export and prevents new announcements. Each lock has a new id, which makes all
 * earlier announcements void.
 */
export type ExportLock = { userID: string; lockId: string; lockedAt: string };

/** The requested end of a lock, as sealExport announced it. The full delay counts from the announcement. */
export type Unlocking = ExportLock & {
  seenAt: string;
  unlocksAt: string;
  /**
   * Id of the table in which the unlocking was announced. In any other table, such as a restored one, the announcement
   * is void.
   */
  tableId?: string;
};

/**
 * True if an announcement was made in this table. A restored table has a different id. An announcement without an id is
 * void.
 */
export const isOfTable = (announced: { tableId?: string }, tableId: string | undefined): boolean =>
  announced.tableId !== undefined && announced.tableId === tableId;

/**
 * State of a user's exports. `lockId` names the last lock, if there ever was one. If the lock is unreadable, `lock` is
 * absent.
 */
export type LockState =
  | { status: "unlocked"; lockId?: string }
  | { status: "locked"; lock?: ExportLock | undefined }
  | { status: "unlocking"; lock: ExportLock; unlocksAt: string };

/** State of a user's exports as clients see it. */
export type ShownLock = {
  status: LockState["status"];
  /** Time of the lock. Absent if exports are not locked, or if the lock cannot be read. */
  lockedAt?: string;
  unlocksAt?: string;
};

const Time = v.pipe(v.string(), v.isoTimestamp());

const LockSchema = v.strictObject({
  userID: v.string(),
  lockId: v.pipe(v.string(), v.uuid()),
  lockedAt: Time,
});

/** Returns a stored lock, or undefined if it cannot be read. */
export function lockIn(stored: object): ExportLock | undefined {
  const { success, output } = v.safeParse(LockSchema, stored);
  return success ? output : undefined;
}

/**
 * Computes when an announced delay ends. If the configured delay has been lengthened since the announcement, the longer
 * delay applies.
 */
export const endOfDelay = (
  { seenAt, announcedEnd }: { seenAt: string; announcedEnd: string },
  delaySeconds: number,
): Date => new Date(Math.max(Date.parse(seenAt) + delaySeconds * 1000, Date.parse(announcedEnd)));

/**
 * Determines the state of a user's exports. Any stored lock counts, even if it is unreadable or comes from another
 * table. Only an unlocking that was announced in this table ends the lock.
 *
 * @param stored the content of the lock's item.
 * @param delaySeconds the current delay.
 */
export function lockStateOf(
  stored: object | undefined,
  unlocking: Unlocking | undefined,
  { delaySeconds, tableId, now }: { delaySeconds: number; tableId: string | undefined; now: Date },
): LockState {
  if (stored === undefined) return { status: "unlocked" };
  const lock = lockIn(stored);
  if (lock === undefined || unlocking === undefined) return { status: "locked", lock };
  if (unlocking.lockId !== lock.lockId || !isOfTable(unlocking, tableId)) return { status: "locked", lock };
  const unlocksAt = endOfDelay({ seenAt: unlocking.seenAt, announcedEnd: unlocking.unlocksAt }, delaySeconds);
  if (now >= unlocksAt) return { status: "unlocked", lockId: lock.lockId };
  return { status: "unlocking", lock, unlocksAt: unlocksAt.toISOString() };
}

export function newUnlocking(
  { userID, lockId, lockedAt }: ExportLock,
  { delaySeconds, tableId, now }: { delaySeconds: number; tableId: string | undefined; now: Date },
): Unlocking {
  const unlocksAt = new Date(now.getTime() + delaySeconds * 1000).toISOString();
  return { userID, lockId, lockedAt, seenAt: now.toISOString(), unlocksAt, ...(tableId && { tableId }) };
}

export function shownLock(state: LockState): ShownLock {
  if (state.status === "unlocked") return { status: "unlocked" };
  const { status, lock } = state;
  return {
    status,
    ...(lock && { lockedAt: lock.lockedAt }),
    ...(status === "unlocking" && { unlocksAt: state.unlocksAt }),
  };
}

export const exportsLocked = ({ unlocksAt }: Pick<ShownLock, "unlocksAt">) =>
  new DomainError(
    "EXPORT_LOCKED",
    unlocksAt === undefined
      ? "Exports are locked. Unlock them first, which takes the whole delay."
      : "Exports are locked until the unlocking takes effect",
    unlocksAt === undefined ? {} : { unlocksAt },
  );
