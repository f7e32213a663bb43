import { createHash } from "node:crypto";
import * as v from "valibot";
import { account } from "../account.ts";
import type { Clock } from "../clock.ts";
import {
  notDeployable,
  notEmulated,
  type Resource,
  readProperties,
  resolved,
} from "../cloudformation/resource.ts";
import type { Denial } from "../iam/callers.ts";
import type { Invoke } from "../lambda/invoke.ts";
import { nameIn } from "../lambda/lambda.ts";
import { firstFailure } from "./process-batch.ts";
import type { Queues, ReadMessage } from "./queues.ts";

/** An event source mapping from a queue to a function. */
export type QueueMapping = {
  functionName: string;
  queue: string;
  batchSize: number;
  /** Number of batches that are handled at a time. */
  concurrency: number;
  reportsItemFailures: boolean;
};

const between = (least: number, most: number) =>
  v.pipe(v.number(), v.integer(), v.minValue(least), v.maxValue(most));

const Mapping = v.strictObject({
  EventSourceArn: v.string(),
  FunctionName: v.string(),
  BatchSize: v.optional(between(1, 10), 10),
  FunctionResponseTypes: v.optional(v.array(v.literal("ReportBatchItemFailures")), []),
  ScalingConfig: v.optional(v.strictObject({ MaximumConcurrency: between(2, 1000) })),
  Tags: v.optional(v.unknown()),
});

/** Rights to read a queue. Lambda refuses a mapping without them. */
const reading = ["sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes"];

/**
 * Reads a mapping of a queue, which Lambda reads with the rights of the function.
 * @throws {StartupError} if a property is not emulated or refers to something missing; the message names the mapping
 */
export function readQueueMapping(
  resource: Resource,
  hasFunction: (nameOrArn: string) => boolean,
  denial: Denial,
): QueueMapping {
  const { EventSourceArn, FunctionName, BatchSize, FunctionResponseTypes, ScalingConfig } = readProperties(
    Mapping,
    resolved(resource),
  );
  if (!hasFunction(FunctionName))
    throw notEmulated(resource, `FunctionName: there is no function ${FunctionName}`);
  const functionName = nameIn(FunctionName);
  for (const action of reading) {
    const denied = denial(functionName, { action, resource: EventSourceArn, values: {} });
    if (denied !== undefined) throw notDeployable(resource, denied);
  }
  return {
    functionName,
    queue: EventSourceArn,
    batchSize: BatchSize,
    concurrency: ScalingConfig?.MaximumConcurrency ?? 5,
    reportsItemFailures: FunctionResponseTypes.length > 0,
  };
}

export type QueueMappingDeps = {
  queues: Queues;
  invoke: Invoke;
  clock: Clock;
  signal: AbortSignal;
  onFault: (error: unknown) => void;
};

/** Hands the messages of a queue to a function until the signal is aborted. Messages that fail stay in the queue. */
export function followQueue(
  mapping: QueueMapping,
  { queues, invoke, clock, signal, onFault }: QueueMappingDeps,
): void {
  const { functionName, queue, batchSize, concurrency } = mapping;
  let running = 0;
  let timer = new AbortController();

  function work(): void {
    timer.abort();
    while (!signal.aborted && running < concurrency) {
      const messages = queues.read(queue, batchSize);
      if (messages.length === 0) break;
      running++;
      void handle(messages).finally(() => {
        running--;
        work();
      });
    }
    const ms = queues.nextMs(queue);
    if (ms === undefined || ms === 0 || signal.aborted) return;
    timer = new AbortController();
    const { signal: stopped } = timer;
    void clock.pause(ms, AbortSignal.any([signal, stopped])).then(() => stopped.aborted || work());
  }

  async function handle(messages: readonly ReadMessage[]): Promise<void> {
    try {
      const result = await invoke(functionName, { Records: messages.map((each) => recordOf(each, queue)) });
      if (signal.aborted) return;
      const ids = messages.map(({ messageId }) => messageId);
      const failed = failedIn(result, ids, mapping.reportsItemFailures);
      for (const { messageId, receipt } of messages)
        if (!failed.includes(messageId)) queues.remove(queue, receipt);
    } catch (error) {
      onFault(error);
    }
  }

  queues.onChange(queue, work);
  work();
}

const Answer = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({ batchItemFailures: v.array(v.object({ itemIdentifier: v.string() })) }),
);

/** Lists the messages that a function did not handle. Unlike a stream, a queue has no order. */
function failedIn(
  result: Awaited<ReturnType<Invoke>>,
  ids: readonly string[],
  reports: boolean,
): readonly string[] {
  if (firstFailure(result, ids, reports) === undefined) return [];
  const answer = v.safeParse(Answer, result.functionError === undefined ? result.payload : "");
  return answer.success ? answer.output.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier) : ids;
}

/** https://docs.aws.amazon.com/lambda/latest/dg/with-sqs.html */
function recordOf({ messageId, receipt, body, sentAt, firstReadAt, reads }: ReadMessage, arn: string) {
  const text = JSON.stringify(body);
  return {
    messageId,
    receiptHandle: receipt,
    body: text,
    attributes: {
      ApproximateReceiveCount: String(reads),
      SentTimestamp: String(sentAt),
      SenderId: account.id,
      ApproximateFirstReceiveTimestamp: String(firstReadAt),
    },
    messageAttributes: {},
    md5OfBody: createHash("md5").update(text).digest("hex"),
    eventSource: "aws:sqs",
    eventSourceARN: arn,
    awsRegion: account.region,
  };
}
