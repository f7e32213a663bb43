import { randomUUID } from "node:crypto";
import type { Table } from "../../table/table.ts";
import { untilWritten } from "../../table/until-written.ts";
import { type ExportLock, newUnlocking, type ShownLock, shownLock } from "./export-lock.ts";
import {
  announceUnlocking,
  putLock,
  putLockFirmly,
  putUnlockRequest,
  readLock,
  requestedUnlock,
} from "./lock-records.ts";

type Named = { userID: string; now: Date };
type Delayed = { table: Table; delaySeconds: number };

/** Locks a user's exports, which ends pending exports. Voids an unlocking that has not taken effect yet. */
export async function lockExports(table: Table, { userID, now }: Named): Promise<ShownLock> {
  const lock = newLock(userID, now);
  await putLock(table, lock);
  return shownLock({ status: "locked", lock });
}

const newLock = (userID: string, now: Date): ExportLock => ({
  userID,
  lockId: randomUUID(),
  lockedAt: now.toISOString(),
});

/**
 * Locks a user's exports as an operator, and removes earlier unlockings, because a compromised lockExports could put
 * back an ended lock whose id it knows.
 */
export async function lockFirmly(table: Table, { userID, now }: Named): Promise<void> {
  await putLockFirmly(table, newLock(userID, now));
}

export type UnlockDeps = Delayed & {
  /** Invokes sealExport to announce the unlocking. */
  announce: (request: { userID: string; unlock: true }) => Promise<ShownLock>;
};

/**
 * Requests to unlock a user's exports. The full delay counts from the announcement. An unreadable lock cannot be ended,
 * so exports must be locked again first.
 */
export async function unlockExports(
  { table, delaySeconds, announce }: UnlockDeps,
  { userID, now }: Named,
): Promise<ShownLock> {
  const { state } = await readLock(table, userID, { delaySeconds, now });
  if (state.status !== "locked" || state.lock === undefined) return shownLock(state);
  await putUnlockRequest(table, userID, state.lock.lockId);
  return announce({ userID, unlock: true });
}

/** Returns the state of a user's exports. */
export async function lockOf({ table, delaySeconds }: Delayed, { userID, now }: Named): Promise<ShownLock> {
  const { state } = await readLock(table, userID, { delaySeconds, now });
  return shownLock(state);
}

/**
 * Used by sealExport: announces the unlocking that a user has requested. The request must name the current lock,
 * because the functions that call sealExport are not trusted to decide about it.
 */
export async function unlockOnRequest(
  { table, delaySeconds }: Delayed,
  { userID, now }: Named,
): Promise<ShownLock> {
  const times = { delaySeconds, now };
  return untilWritten(async () => {
    const [{ state, unlocking }, requested] = await Promise.all([
      readLock(table, userID, times),
      requestedUnlock(table, userID),
    ]);
    if (state.status !== "locked" || state.lock === undefined || state.lock.lockId !== requested)
      return shownLock(state);
    const { lock } = state;
    const announced = newUnlocking(lock, { ...times, tableId: table.id });
    if (!(await announceUnlocking(table, announced, unlocking))) return undefined;
    return shownLock({ status: "unlocking", lock, unlocksAt: announced.unlocksAt });
  });
}
