import * as v from "valibot";
import { readProperties, resolved } from "../cloudformation/resource.ts";
import { queueArn, queueName } from "../cloudformation/resource-types.ts";
import type { Resources } from "../cloudformation/resources.ts";

/** What AWS puts into queues about events that no function has handled. Nothing ever takes a message out. */
export type Queues = {
  has(arn: string): boolean;
  /** @param failing name of the function whose event it is about */
  send(arn: string, failing: string, message: unknown): void;
  /**
   * The bodies of the messages in the queue of that name, the oldest first. None when there is no such queue.
   */
  messages(name: string): readonly unknown[];
};

/** Messages that a queue keeps: the oldest go first. */
const KEPT = 1000;

const unread = v.optional(v.unknown());

/** What may be said of a queue: nothing that who sends to it would notice. */
const Queue = v.strictObject({
  QueueName: v.optional(v.string()),
  DelaySeconds: unread,
  KmsDataKeyReusePeriodSeconds: unread,
  KmsMasterKeyId: unread,
  MessageRetentionPeriod: unread,
  ReceiveMessageWaitTimeSeconds: unread,
  SqsManagedSseEnabled: unread,
  Tags: unread,
  VisibilityTimeout: unread,
});

/**
 * The queues of the stacks, in memory.
 *
 * @param report hears of each message: where it went and whose it is, and nothing of what it says
 * @throws StartupError for a queue that is not emulated
 */
export function createQueues(
  resources: Resources,
  report: (line: string) => void,
  kept: number = KEPT,
): Queues {
  const queues = new Map<string, { name: string; messages: unknown[] }>();
  for (const resource of resources.ofType("AWS::SQS::Queue")) {
    readProperties(Queue, resolved(resource));
    queues.set(queueArn(resource), { name: queueName(resource), messages: [] });
  }

  return {
    has: (arn) => queues.has(arn),
    send(arn, failing, message) {
      const queue = queues.get(arn);
      if (queue === undefined) throw new Error(`There is no queue ${arn}`);
      queue.messages.push(message);
      if (queue.messages.length > kept) queue.messages.shift();
      report(`A message about ${failing} went to the queue ${queue.name}`);
    },
    messages: (name) => [...queues.values()].find((queue) => queue.name === name)?.messages.slice() ?? [],
  };
}
