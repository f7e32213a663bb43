import { setTimeout as pause } from "node:timers/promises";
import {
  ConditionalCheckFailedException,
  TransactionCanceledException,
  TransactionConflictException,
} from "@aws-sdk/client-dynamodb";
import {
  type DeleteCommand,
  type PutCommand,
  TransactWriteCommand,
  type TransactWriteCommandInput,
  type UpdateCommand,
} from "@aws-sdk/lib-dynamodb";
import type { Table } from "./table.ts";

/** A write that may have a condition. */
type Write = DeleteCommand | PutCommand | UpdateCommand;

/** Returns false, without writing, if the command's condition fails. */
export async function writeIf({ client }: Table, command: Write): Promise<boolean> {
  try {
    // Each overload of `send` takes one of these types, none takes all.
    await client.send(command as UpdateCommand);
    return true;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return false;
    throw error;
  }
}

/**
 * Repeats a write that meets a transaction on the same item, after a growing, random pause. The SDK does not.
 *
 * @throws {TransactionConflictException} if the fifth attempt still does.
 */
export async function afterConflicts<Output>(write: () => Promise<Output>): Promise<Output> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await write();
    } catch (error) {
      if (!(error instanceof TransactionConflictException) || attempt === maxConflictAttempts) throw error;
      await pauseAfter(attempt);
    }
  }
}

export type Writes = NonNullable<TransactWriteCommandInput["TransactItems"]>;

/** Cancellations that are not about the request: the same request may pass a moment later. */
const temporaryReasons = new Set(["TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded"]);

const maxConflictAttempts = 5;
const maxPauseMs = 800;

/** Writes an item unless it exists. */
export const putNew = (table: Table, Item: Record<string, unknown>): Writes[number] => ({
  Put: { TableName: table.name, Item, ConditionExpression: "attribute_not_exists(PK)" },
});

/** The condition that an item is as it was read: absent, or with these attributes. */
export function asRead(read: Readonly<Record<string, string | number>> | undefined) {
  if (read === undefined) return { ConditionExpression: "attribute_not_exists(PK)" };
  return {
    ConditionExpression: Object.keys(read)
      .map((name) => `${name} = :read_${name}`)
      .join(" AND "),
    ExpressionAttributeValues: Object.fromEntries(
      Object.entries(read).map(([name, value]) => [`:read_${name}`, value]),
    ),
  };
}

/** Pauses for a random time that grows with the attempts, so that contenders spread out. */
export const pauseAfter = (attempt: number) => pause(Math.random() * Math.min(maxPauseMs, 50 * 2 ** attempt));

/**
 * Writes all or nothing. Returns false, without writing, if a condition fails. Retries a conflict or throttling after a
 * growing, random pause, since the SDK does not.
 *
 * @throws {TransactionCanceledException} if the last attempt still meets a conflict or throttling.
 */
export async function transact(
  table: Table,
  writes: Writes,
  { attempts = maxConflictAttempts } = {},
): Promise<boolean> {
  for (let attempt = 1; ; attempt++) {
    try {
      await table.client.send(new TransactWriteCommand({ TransactItems: writes }));
      return true;
    } catch (error) {
      if (!(error instanceof TransactionCanceledException)) throw error;
      const reasons = error.CancellationReasons ?? [];
      if (reasons.some(({ Code }) => Code === "ConditionalCheckFailed")) return false;
      if (attempt >= attempts || !isTemporary(error)) throw error;
      await pauseAfter(attempt);
    }
  }
}

/**
 * Writes all or nothing. Returns false, without writing, if a condition fails, or if others change one of the items now: then
 * the same writes would fail after a pause too.
 */
export async function transactOnce(table: Table, writes: Writes): Promise<boolean> {
  return transact(table, writes, { attempts: 1 }).catch((error: unknown) => {
    if (error instanceof TransactionCanceledException && isTemporary(error)) return false;
    throw error;
  });
}

/** Whether the same transaction may pass a moment later. */
export const isTemporary = ({ CancellationReasons = [] }: TransactionCanceledException): boolean =>
  CancellationReasons.some(({ Code }) => temporaryReasons.has(Code ?? ""));
