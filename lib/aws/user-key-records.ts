import { DeleteCommand, GetCommand } from "@aws-sdk/lib-dynamodb";
import type { Plan } from "../domain/plan.ts";
import { type Item, queryPages, type Table } from "./table.ts";
import { retiredKeyKey, retiredKeysDue, userKeyRecordKey } from "./table-keys.ts";
import { transact, type Writes } from "./transaction.ts";

/** A key that may have been made already, with a plan of the customer's own where theirs is one, and put on it. */
export type PendingKey = {
  /** `userID/random`: of the key in API Gateway, and of the customer's own plan. No other ever has it. */
  name: string;
  /** What the authorizers answer with. */
  value: string;
  plan: Plan;
};

/** A key of API Gateway that is on a plan. */
export type ActiveKey = PendingKey & {
  keyID: string;
  planID: string;
  /** The stages that the plan covers: other ones do not know the key. */
  coverage: string;
  /** From when on API Gateway surely knows it. */
  activeFrom: string;
};

/** A user's API key, as far as it has come. */
export type UserKeyRecord = {
  userID: string;
  /** Grows with each write, of which there can then be one at a time. */
  version: number;
  /** The key in use. */
  current?: ActiveKey | undefined;
  /** The next one, noted before it is made, so that who comes after a crash goes on with the same. */
  next?: PendingKey | undefined;
};

/** A key that is to be deleted once no authorizer can remember it, and its plan if that is a customer's own. */
export type RetiredKey = Pick<PendingKey, "name" | "plan">;

/** One as it is kept. */
export type RetiredKeyItem = Item<RetiredKey>;

/** Somebody else has changed the user's key since it was read: who wants to change it reads it anew. */
export class KeyChanged extends Error {
  override readonly name = "KeyChanged";
}

export async function readUserKeyRecord(table: Table, userID: string): Promise<UserKeyRecord | undefined> {
  const { Item } = await table.client.send(
    new GetCommand({ TableName: table.name, Key: userKeyRecordKey(userID), ConsistentRead: true }),
  );
  return Item as UserKeyRecord | undefined;
}

/**
 * Writes a user's key in place of what was read. Keys that it no longer names are retired with it.
 *
 * @param due when those may go.
 * @throws {KeyChanged}
 */
export async function writeUserKeyRecord(
  table: Table,
  read: UserKeyRecord | undefined,
  written: Omit<UserKeyRecord, "version">,
  due: Date,
): Promise<UserKeyRecord> {
  const record: UserKeyRecord = { ...written, version: (read?.version ?? 0) + 1 };
  const Item = { ...userKeyRecordKey(record.userID), ...record };
  const put = { Put: { TableName: table.name, Item, ...unchangedSince(read) } };
  const refused = await transact(table, [put, ...retirements(table, read, written, due)]);
  if (refused !== undefined) throw new KeyChanged();
  return record;
}

/**
 * Deletes a user's key and retires what it names.
 *
 * @throws {KeyChanged}
 */
export async function deleteUserKeyRecord(table: Table, read: UserKeyRecord, due: Date): Promise<void> {
  const Delete = { TableName: table.name, Key: userKeyRecordKey(read.userID), ...unchangedSince(read) };
  const refused = await transact(table, [{ Delete }, ...retirements(table, read, {}, due)]);
  if (refused !== undefined) throw new KeyChanged();
}

/** The retired keys that may go at that time; without one, all of them. */
export async function* retiredKeys(table: Table, time?: Date): AsyncGenerator<RetiredKeyItem> {
  for await (const page of queryPages<RetiredKey>(table, retiredKeysDue(time))) yield* page;
}

export async function forgetRetiredKey(table: Table, { PK, SK }: RetiredKeyItem): Promise<void> {
  await table.client.send(new DeleteCommand({ TableName: table.name, Key: { PK, SK } }));
}

type Named = Pick<UserKeyRecord, "current" | "next">;

function retirements(table: Table, before: Named | undefined, after: Named, due: Date): Writes {
  const kept = new Set([after.current?.name, after.next?.name]);
  return [before?.current, before?.next].flatMap((key) => {
    if (key === undefined || kept.has(key.name)) return [];
    const { name, plan } = key;
    return [{ Put: { TableName: table.name, Item: { ...retiredKeyKey(due, name), name, plan } } }];
  });
}

function unchangedSince(read: UserKeyRecord | undefined) {
  if (read === undefined) return { ConditionExpression: "attribute_not_exists(PK)" };
  return {
    ConditionExpression: "version = :read",
    ExpressionAttributeValues: { ":read": read.version },
  };
}
