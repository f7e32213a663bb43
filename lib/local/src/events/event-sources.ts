import { DynamoDBStreamsClient } from "@aws-sdk/client-dynamodb-streams";
import type { Credentials } from "../account.ts";
import { account } from "../account.ts";
import { type Clock, systemClock } from "../clock.ts";
import { readPermissions } from "../cloudformation/permissions.ts";
import type { Resources } from "../cloudformation/resources.ts";
import type { DynamoDb } from "../dynamodb/dynamodb.ts";
import { gatewayLog } from "../gateway-log.ts";
import type { Denial } from "../iam/callers.ts";
import { createAsyncInvocations, type InvokeLater } from "../lambda/async-invocations.ts";
import { readInvokeConfigs } from "../lambda/invoke-config.ts";
import type { Lambda, LogEntry } from "../lambda/lambda.ts";
import type { ServiceRoute } from "../services.ts";
import type { Store } from "../storage/store.ts";
import { openCheckpoints } from "../streams/checkpoints.ts";
import { openMapping } from "../streams/event-source-mapping.ts";
import { readMappings } from "../streams/mapping-definition.ts";
import { followQueue, readQueueMapping } from "../streams/queue-mapping.ts";
import { queueService } from "../streams/queue-service.ts";
import { createQueues, type Queues } from "../streams/queues.ts";
import type { Writes } from "../streams/shards.ts";
import { busService } from "./buses.ts";
import { followRule, readRules } from "./rules.ts";

export type EventSourcesOptions = {
  resources: Resources;
  lambda: Pick<Lambda, "has" | "invoke">;
  denial: Denial;
  dynamodb: Pick<DynamoDb, "client" | "endpoint">;
  writes: Writes;
  credentials: Credentials;
  /** Store for positions in streams. */
  store: Store;
  log: (entry: LogEntry) => void;
  clock?: Clock;
  /** Milliseconds that asynchronous events wait in a queue. */
  queueMs?: number | undefined;
};

/** Everything that invokes functions asynchronously: callers, table streams, queues and schedules. */
export type EventSources = {
  invokeLater: InvokeLater;
  /** Answers calls of EventBridge and SQS. */
  services: readonly ServiceRoute[];
  messages: Queues["messages"];
  /** Finds the streams of the tables, without reading them yet. */
  prepare(): Promise<void>;
  /** Starts reading the streams and following the schedules. */
  begin(): void;
  /** Stops at once, without waiting for functions. The next run repeats unfinished changes. */
  stop(): void;
};

/** @throws {StartupError} if the stacks use something that is not emulated */
export function createEventSources(options: EventSourcesOptions): EventSources {
  const { resources, lambda, denial, dynamodb, writes, credentials, store, log, queueMs } = options;
  const { clock = systemClock } = options;
  const { report } = gatewayLog(log, "lambda");
  const onFault = (error: unknown) =>
    report(error instanceof Error ? `${error.name}: ${error.message}` : `${error}`);
  const stopping = new AbortController();
  const { signal } = stopping;

  const queues = createQueues(resources, gatewayLog(log, "sqs").report, { clock });
  const configOf = readInvokeConfigs(resources, lambda.has);
  const rules = readRules(resources, lambda.has);
  const [ofQueues = [], ofTables = []] = [true, false].map((isOfQueue) =>
    resources
      .ofType("AWS::Lambda::EventSourceMapping")
      .filter(({ property }) => queues.has(String(property("EventSourceArn"))) === isOfQueue),
  );
  const mappings = readMappings(resources, ofTables, lambda.has, queues, denial);
  const queueMappings = ofQueues.map((resource) => readQueueMapping(resource, lambda.has, denial));

  const { invoke } = lambda;
  const invokeLater = createAsyncInvocations({ invoke, configOf, clock, signal, report, queueMs });
  const checkpoints = openCheckpoints(store, clock, onFault);
  const client = new DynamoDBStreamsClient({
    endpoint: dynamodb.endpoint,
    region: account.region,
    credentials,
    maxAttempts: 1,
  });
  const mappingDeps = {
    client,
    dynamodb: dynamodb.client,
    invoke,
    queues,
    checkpoints,
    clock,
    writes,
    signal,
    report,
    onFault,
  };
  let opened: { begin(): void }[] = [];

  return {
    invokeLater,
    services: [busService(resources, queues, clock), queueService(queues)],
    messages: queues.messages,
    async prepare() {
      opened = await Promise.all(mappings.map((definition) => openMapping(definition, mappingDeps)));
    },
    begin() {
      for (const mapping of opened) mapping.begin();
      for (const mapping of queueMappings) followQueue(mapping, { queues, invoke, clock, signal, onFault });
      const mayInvoke = readPermissions(resources, "events.amazonaws.com");
      const ruleDeps = { invokeLater, mayInvoke, clock, signal, report: gatewayLog(log, "events").report };
      for (const rule of rules) void followRule(rule, ruleDeps);
    },
    stop() {
      stopping.abort();
      checkpoints.close();
      client.destroy();
    },
  };
}
