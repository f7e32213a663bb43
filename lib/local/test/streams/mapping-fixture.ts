import { systemClock } from "../../src/clock.ts";
import type { InvokeResult } from "../../src/lambda/invoke.ts";
import { memoryStore, type Store } from "../../src/storage/store.ts";
import { openCheckpoints } from "../../src/streams/checkpoints.ts";
import { openMapping } from "../../src/streams/event-source-mapping.ts";
import type { MappingDefinition } from "../../src/streams/mapping-definition.ts";
import { atEnd } from "../support/clean-up.ts";
import type { Engine } from "./engine.ts";

/** A record that a function received. */
export type ReceivedRecord = {
  awsRegion: string;
  eventName: string;
  eventSourceARN: string;
  dynamodb: { Keys: { PK: { S: string } }; NewImage: Record<string, unknown>; SequenceNumber: string };
};

/** Creates a store in memory. */
export function keepingStore(): Store {
  const kept = new Map<string, string>();
  return {
    load: (name) => JSON.parse(kept.get(name) ?? "null") ?? undefined,
    save: (name, content) => void kept.set(name, JSON.stringify(content)),
  };
}

const ok: InvokeResult = { payload: "null" };

/** Opens a mapping on a table until the end of the test file, and collects the records that reach the function. */
export async function openFor(
  engine: Engine,
  table: string,
  {
    store = memoryStore,
    handle = async () => ok,
    ...stated
  }: Partial<MappingDefinition> & {
    store?: Store;
    handle?: (ids: string[]) => Promise<InvokeResult>;
  } = {},
) {
  const ending = new AbortController();
  const faults: unknown[] = [];
  const records: ReceivedRecord[] = [];
  const failures: { queue: string; message: unknown }[] = [];
  let killed = false;
  const storeUntilKilled: Store = {
    load: store.load,
    save: (name, content) => killed || store.save(name, content),
  };
  const checkpoints = openCheckpoints(storeUntilKilled, systemClock, (error) => faults.push(error));
  const client = engine.streams();
  const mapping = await openMapping(
    {
      id: "S-Mapping",
      functionName: "listener",
      table,
      source: { streamArn: "arn:stream", partitionKey: "PK" },
      lanes: 1,
      batchSize: 100,
      batch: { reportsItemFailures: true, bisects: false, maximumRetries: 2, maximumAgeMs: 3600_000 },
      matches: () => true,
      onFailure: undefined,
      ...stated,
    },
    {
      dynamodb: engine.client(),
      client,
      checkpoints,
      clock: systemClock,
      signal: ending.signal,
      queues: { send: (queue, _failing, message) => failures.push({ queue, message }) },
      report: () => {},
      onFault: (error) => faults.push(error),
      invoke: async (_functionName, event) => {
        const batch = (event as { Records: ReceivedRecord[] }).Records;
        records.push(...batch);
        return handle(batch.map(idOf));
      },
    },
  );
  mapping.begin();

  /** Stops like a runner that saves its checkpoints. */
  const stop = () => {
    ending.abort();
    checkpoints.close();
    client.destroy();
  };
  /** Stops like a killed runner. */
  const kill = () => {
    killed = true;
    ending.abort();
  };
  atEnd(stop);
  return { ids: () => records.map(idOf), records, failures, faults, stop, kill };
}

function idOf({ dynamodb }: ReceivedRecord): string {
  return dynamodb.Keys.PK.S;
}
