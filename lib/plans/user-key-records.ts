import { ServiceError } from "../core/service-error.ts";
import type { Step } from "../table/step.ts";
import { type Item, queryPages, readItem, type Table } from "../table/table.ts";
import { singleOf, write } from "../table/write.ts";
import { retiredKeyKey, retiredKeysDue, userKeyRecordKey } from "./item-keys.ts";
import type { Plan } from "./plan.ts";

/** A key that is being created, with an Enterprise customer's own plan if it needs one. Both may exist already. */
export type PendingKey = {
  /** Name in API Gateway of the key and of a customer's own plan: `userID/random`. A name is never used again. */
  name: string;
  /** Value of the key, which the authorizers return as `usageIdentifierKey`. */
  value: string;
  plan: Plan;
};

/** A key that is on a plan in API Gateway. */
export type ActiveKey = PendingKey & {
  keyId: string;
  planId: string;
  /** Stages that the plan covers. Other stages do not accept the key. */
  coverage: string;
  /** Time from which every part of API Gateway accepts the key, ISO 8601. */
  activeFrom: string;
  /** Value of the key that serves the user until then, if the previous key still works. */
  untilActive?: string;
};

/** Record of a user's API key. */
export type UserKeyRecord = {
  userID: string;
  /** Version of the record. Grows with each write, to detect concurrent ones. */
  version: number;
  /** The key in use. */
  current?: ActiveKey | undefined;
  /** The next key. It is recorded before it is created, so that the next run after a crash can continue with it. */
  next?: PendingKey | undefined;
};

/** A key that is deleted once every authorizer has forgotten it, together with a customer's own plan. */
export type RetiredKey = Pick<PendingKey, "name" | "plan">;

export type RetiredKeyItem = Item<RetiredKey>;

/** Reports that a record has changed since it was read. Callers should read it again. */
export class KeyChanged extends ServiceError {
  override readonly code = "KEY_CHANGED";
}

export async function readUserKeyRecord(table: Table, userID: string): Promise<UserKeyRecord | undefined> {
  return readItem<UserKeyRecord>(table, userKeyRecordKey(userID));
}

/**
 * Replaces the record that was read. Retires the keys that the new record omits.
 *
 * @param due the time when the retired keys may be deleted.
 * @throws {KeyChanged}
 */
export async function writeUserKeyRecord(
  table: Table,
  read: UserKeyRecord | undefined,
  written: Omit<UserKeyRecord, "version">,
  due: Date,
): Promise<UserKeyRecord> {
  const record: UserKeyRecord = { ...written, version: (read?.version ?? 0) + 1 };
  const step: Step = [
    {
      kind: "put",
      key: userKeyRecordKey(record.userID),
      item: record,
      when: read ? { version: read.version } : "absent",
    },
    ...retirements(read, written, due),
  ];
  if (!(await write(table, singleOf(step)))) throw new KeyChanged();
  return record;
}

/**
 * Deletes a record and retires its keys.
 *
 * @param conditions Further checks, which must all pass.
 * @throws {KeyChanged} if the record has changed or one of the conditions fails.
 */
export async function deleteUserKeyRecord(
  table: Table,
  read: UserKeyRecord,
  due: Date,
  conditions: Step = [],
): Promise<void> {
  const step: Step = [
    { kind: "remove", key: userKeyRecordKey(read.userID), when: { version: read.version } },
    ...retirements(read, {}, due),
    ...conditions,
  ];
  if (!(await write(table, step))) throw new KeyChanged();
}

/** Reads the retired keys that may be deleted by the given time, or all retired keys if no time is given. */
export async function* retiredKeys(table: Table, time?: Date): AsyncGenerator<RetiredKeyItem> {
  for await (const page of queryPages<RetiredKey>(table, retiredKeysDue(time))) yield* page;
}

export async function forgetRetiredKey(table: Table, { PK, SK }: RetiredKeyItem): Promise<void> {
  await write(table, { kind: "remove", key: { PK, SK } });
}

type Named = Pick<UserKeyRecord, "current" | "next">;

function retirements(before: Named | undefined, after: Named, due: Date): Step {
  const kept = new Set([after.current?.name, after.next?.name]);
  return [before?.current, before?.next].flatMap((key) => {
    if (key === undefined || kept.has(key.name)) return [];
    const { name, plan } = key;
    return [{ kind: "put", key: retiredKeyKey(due, name), item: { name, plan } } as const];
  });
}
