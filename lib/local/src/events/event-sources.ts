import { DynamoDBStreamsClient } from "@aws-sdk/client-dynamodb-streams";
import { account } from "../account.ts";
import { readPermissions } from "../cloudformation/permissions.ts";
import type { Resources } from "../cloudformation/resources.ts";
import type { DynamoDb } from "../dynamodb/dynamodb.ts";
import type { Credentials } from "../endpoints.ts";
import { gatewayLog } from "../gateway-log.ts";
import { createAsyncInvocations, type InvokeLater } from "../lambda/async-invocations.ts";
import { readInvokeConfigs } from "../lambda/invoke-config.ts";
import type { Lambda, LogEntry } from "../lambda/lambda.ts";
import type { Store } from "../storage/store.ts";
import { openCheckpoints } from "../streams/checkpoints.ts";
import { openMapping } from "../streams/event-source-mapping.ts";
import { readMappings } from "../streams/mapping-definition.ts";
import { type Clock, systemClock } from "./clock.ts";
import { createQueues, type Queues } from "./queues.ts";
import { readRules } from "./rule-definition.ts";
import { followRule } from "./schedule.ts";

export type EventSourcesOptions = {
  resources: Resources;
  lambda: Pick<Lambda, "has" | "invoke">;
  dynamodb: Pick<DynamoDb, "client" | "endpoint">;
  credentials: Credentials;
  /** Where it is kept how far the streams have been read. */
  store: Store;
  log: (entry: LogEntry) => void;
  clock?: Clock;
};

/** What invokes functions without anybody waiting for an answer. */
export type EventSources = {
  invokeLater: InvokeLater;
  messages: Queues["messages"];
  /**
   * Finds where to read the streams from: all that is written to the tables from now on will be handed over.
   */
  prepare(): Promise<void>;
  /** Starts to hand over changes, and the schedules. */
  begin(): void;
  /**
   * Ends everything at once, and waits for no function: what was not handled to its end comes again in the
   * next run.
   */
  stop(): void;
};

/** @throws StartupError when there is something about them in the stacks that is not emulated */
export function createEventSources(options: EventSourcesOptions): EventSources {
  const { resources, lambda, dynamodb, credentials, store, log, clock = systemClock } = options;
  const { report } = gatewayLog(log, "lambda");
  const onFault = (error: unknown) =>
    report(error instanceof Error ? `${error.name}: ${error.message}` : `${error}`);
  const ending = new AbortController();
  const { signal } = ending;

  const queues = createQueues(resources, gatewayLog(log, "sqs").report);
  const configOf = readInvokeConfigs(resources, lambda.has, queues);
  const rules = readRules(resources, lambda.has, queues);
  const mappings = readMappings(resources, lambda.has, queues);

  const { invoke } = lambda;
  const invokeLater = createAsyncInvocations({ invoke, configOf, queues, clock, signal, report });
  const checkpoints = openCheckpoints(store, clock, onFault);
  const client = new DynamoDBStreamsClient({
    endpoint: dynamodb.endpoint,
    region: account.region,
    credentials,
    maxAttempts: 1,
  });
  const streams = {
    client,
    dynamodb: dynamodb.client,
    invoke,
    queues,
    checkpoints,
    clock,
    signal,
    report,
    onFault,
  };
  let opened: { begin(): void }[] = [];

  return {
    invokeLater,
    messages: queues.messages,
    async prepare() {
      opened = await Promise.all(mappings.map((definition) => openMapping(definition, streams)));
    },
    begin() {
      for (const mapping of opened) mapping.begin();
      const mayInvoke = readPermissions(resources, "events.amazonaws.com");
      const surroundings = {
        invokeLater,
        mayInvoke,
        queues,
        clock,
        signal,
        report: gatewayLog(log, "events").report,
      };
      for (const rule of rules) void followRule(rule, surroundings);
    },
    stop() {
      ending.abort();
      checkpoints.close();
      client.destroy();
    },
  };
}
