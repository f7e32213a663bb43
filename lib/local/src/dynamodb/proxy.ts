import { setTimeout as pause } from "node:timers/promises";
import type { Faults } from "../faults.ts";
import { listen } from "../http/server.ts";
import { seededRandom } from "../random.ts";
import { createConflicts } from "./conflicts.ts";
import { withDurableTransactions } from "./durable.ts";
import { openForward } from "./forward.ts";
import { withDynamoDbFaults } from "./injected-faults.ts";

export type DynamoDbProxyOptions = {
  /** The endpoint of DynamoDB Local. */
  endpoint: string;
  /** Whether the database is in files, which outlast it. */
  isOnDisk?: boolean;
  /** Whether transactions conflict. */
  conflicts: boolean;
  /** Least and greatest time for which a transaction holds its items, in milliseconds. */
  holdMs?: readonly [least: number, greatest: number];
  /** Decides how long items are in flight, and which of two errors is reported. */
  seed?: number;
  /** Makes calls fail. */
  faults?: Faults | undefined;
  onFault: (error: unknown) => void;
};

export type DynamoDbProxy = { endpoint: string; stop(): Promise<void> };

/**
 * Serves DynamoDB Local with what it lacks: conflicts, since it runs transactions one after another, and faults.
 */
export async function startDynamoDbProxy({
  endpoint,
  isOnDisk = false,
  conflicts,
  holdMs: [least, greatest] = [5, 50],
  seed = 1,
  faults,
  onFault,
}: DynamoDbProxyOptions): Promise<DynamoDbProxy> {
  const { forward: toDatabase, close } = openForward(endpoint);
  const forward = isOnDisk ? withDurableTransactions(toDatabase) : toDatabase;
  const random = seededRandom(`conflicts ${seed}`);
  // A transaction is held twice, before and after it.
  const hold = () => pause((least + random() * (greatest - least)) / 2);
  const database = conflicts ? createConflicts({ forward, random, hold }) : forward;
  const handle = faults ? withDynamoDbFaults(database, faults) : database;
  let stopped = false;
  // Calls in progress fail when the proxy stops, and their clients have gone.
  const listener = await listen(0, handle, (error) => stopped || onFault(error));
  return {
    endpoint: listener.url,
    async stop() {
      stopped = true;
      await listener.close();
      close();
    },
  };
}
