import { setTimeout as pause } from "node:timers/promises";
import type { Faults } from "../faults.ts";
import { listen } from "../http/server.ts";
import { seededRandom } from "../random.ts";
import { createConflicts } from "./conflicts.ts";
import { withDurableTransactions } from "./durable.ts";
import { openForward } from "./forward.ts";
import { withDynamoDbFaults } from "./injected-faults.ts";

export type DynamoDbProxyOptions = {
  /** Address of DynamoDB Local. */
  endpoint: string;
  /** True if the database is stored in files that outlast it. */
  isOnDisk?: boolean;
  /** Makes transactions conflict. */
  conflicts: boolean;
  /** Shortest and longest time in milliseconds that a transaction holds its items. */
  holdMs?: readonly [least: number, greatest: number];
  /** Seed of the random choices: how long items are in flight, and which of two errors is reported. */
  seed?: number;
  /** Makes a fraction of the calls fail. */
  faults?: Faults | undefined;
  onFault: (error: unknown) => void;
};

export type DynamoDbProxy = { endpoint: string; stop(): Promise<void> };

/**
 * Serves DynamoDB Local and adds two things that it lacks: conflicts, since it runs transactions one after another, and
 * faults.
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
  // Holds each transaction's items twice, before and after it runs.
  const hold = () => pause((least + random() * (greatest - least)) / 2);
  const database = conflicts ? createConflicts({ forward, random, hold }) : forward;
  const handle = faults ? withDynamoDbFaults(database, faults) : database;
  let stopped = false;
  // Ignores calls that fail when the proxy stops, because their clients have already ended.
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
