import type { Key } from "../../table/keys.ts";
import type { Write } from "../../table/step.ts";
import { readItem, type Table, withoutKey } from "../../table/table.ts";
import { write } from "../../table/write.ts";
import { looseningWrite } from "../guard-records.ts";
import { lockKey, unlockingKey, unlockRequestKey } from "../item-keys.ts";
import { type ExportLock, type LockState, lockStateOf, type Unlocking } from "./export-lock.ts";

async function contentAt<Content>(table: Table, key: Key): Promise<Content | undefined> {
  const found = await readItem<Content>(table, key);
  return found && withoutKey(found);
}

/** State of a user's exports, and the announced unlocking that decided it. */
export type ReadLock = { state: LockState; unlocking: Unlocking | undefined };

/** Reads the state of a user's exports, consistently. */
export async function readLock(
  table: Table,
  userID: string,
  times: { delaySeconds: number; now: Date },
): Promise<ReadLock> {
  const [stored, unlocking] = await Promise.all([
    readStoredLock(table, userID),
    contentAt<Unlocking>(table, unlockingKey(userID)),
  ]);
  return { state: lockStateOf(stored, unlocking, { ...times, tableId: table.id }), unlocking };
}

/** Reads a user's lock in any format in which it may be stored. */
export async function readStoredLock(table: Table, userID: string): Promise<object | undefined> {
  const stored = await contentAt<object>(table, lockKey(userID));
  // Takes the user from the item's key, because only the key is trusted.
  return stored && { ...stored, userID };
}

/** Checks that nobody has locked exports since the state was read. */
export const stillUnlocked = (userID: string, { lockId }: { lockId?: string | undefined }): Write => ({
  kind: "check",
  key: lockKey(userID),
  when: lockId === undefined ? "absent" : { lockId },
});

/** Writes a lock, replacing any other lock. There is no condition that could fail. */
export async function putLock(table: Table, lock: ExportLock): Promise<void> {
  await write(table, { kind: "put", key: lockKey(lock.userID), item: lock });
}

/** Writes a lock, and removes the announced end of any other lock. Needs rights that no function has. */
export async function putLockFirmly(table: Table, lock: ExportLock): Promise<void> {
  const { userID } = lock;
  await write(table, [
    { kind: "put", key: lockKey(userID), item: lock },
    { kind: "remove", key: unlockingKey(userID) },
  ]);
}

/** Requests the end of the lock with this id. */
export async function putUnlockRequest(table: Table, userID: string, lockId: string): Promise<void> {
  await write(table, { kind: "put", key: unlockRequestKey(userID), item: { userID, lockId } });
}

/** Returns the id of the lock whose end the user has requested. */
export async function requestedUnlock(table: Table, userID: string): Promise<unknown> {
  const request = await contentAt<{ lockId?: unknown }>(table, unlockRequestKey(userID));
  return request?.lockId;
}

/** Announces an unlocking. Returns false, without writing, if the lock or the previous unlocking has changed. */
export async function announceUnlocking(
  table: Table,
  unlocking: Unlocking,
  previous: Unlocking | undefined,
): Promise<boolean> {
  const { userID, lockId } = unlocking;
  return write(table, [
    stillUnlocked(userID, { lockId }),
    {
      kind: "put",
      key: unlockingKey(userID),
      item: unlocking,
      when: previous ? { lockId: previous.lockId, seenAt: previous.seenAt } : "absent",
    },
    looseningWrite(unlocking.unlocksAt, { userID, lockId }),
  ]);
}
