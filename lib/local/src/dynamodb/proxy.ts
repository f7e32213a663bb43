import { setTimeout as pause } from "node:timers/promises";
import { listen } from "../http/server.ts";
import { seededRandom } from "../random.ts";
import { createConflicts } from "./conflicts.ts";
import { openForward } from "./forward.ts";

export type DynamoDbProxyOptions = {
  /** The endpoint of DynamoDB Local. */
  endpoint: string;
  /** Decides how long items are in flight, and which of two errors is reported. */
  seed?: string | number;
  /** Least and greatest time for which a transaction holds its items, in milliseconds. */
  holdMs?: readonly [least: number, greatest: number];
  onFault: (error: unknown) => void;
};

export type DynamoDbProxy = { endpoint: string; stop(): Promise<void> };

/** Serves DynamoDB Local with the conflicts that it lacks, since it runs transactions one after another. */
export async function startDynamoDbProxy({
  endpoint,
  seed = 1,
  holdMs: [least, greatest] = [5, 50],
  onFault,
}: DynamoDbProxyOptions): Promise<DynamoDbProxy> {
  const { forward, close } = openForward(endpoint);
  const random = seededRandom(`conflicts ${seed}`);
  // A transaction is held twice, before and after it.
  const hold = () => pause((least + random() * (greatest - least)) / 2);
  const listener = await listen(0, createConflicts({ forward, random, hold }), onFault);
  return {
    endpoint: listener.url,
    async stop() {
      await listener.close();
      close();
    },
  };
}
