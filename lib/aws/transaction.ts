import { setTimeout as pause } from "node:timers/promises";
import { type CancellationReason, TransactionCanceledException } from "@aws-sdk/client-dynamodb";
import { TransactWriteCommand, type TransactWriteCommandInput } from "@aws-sdk/lib-dynamodb";
import type { Table } from "./table.ts";

export type Writes = NonNullable<TransactWriteCommandInput["TransactItems"]>;

/** Cancellations that say nothing about the request: the same one may pass a moment later. */
const passing = new Set(["TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded"]);

const attempts = 5;

/**
 * Writes all or nothing. A cancellation for conflict or throttling is tried again after a growing, random pause, which
 * the SDK does not do by itself.
 *
 * @returns the reasons of each write, in order, when a condition stopped the transaction; undefined when it was written.
 * @throws {TransactionCanceledException} when it still conflicts or is throttled after 5 attempts.
 */
export async function transact(table: Table, writes: Writes): Promise<CancellationReason[] | undefined> {
  for (let attempt = 1; ; attempt++) {
    try {
      await table.client.send(new TransactWriteCommand({ TransactItems: writes }));
      return undefined;
    } catch (error) {
      if (!(error instanceof TransactionCanceledException)) throw error;
      const reasons = error.CancellationReasons ?? [];
      if (reasons.some(({ Code }) => Code === "ConditionalCheckFailed")) return reasons;
      if (attempt === attempts || !reasons.some(({ Code }) => passing.has(Code ?? ""))) throw error;
      await pause(Math.random() * 50 * 2 ** attempt);
    }
  }
}
