import * as v from "valibot";
import { readProperties, resolved } from "../cloudformation/resource.ts";
import { queueArn, queueName } from "../cloudformation/resource-types.ts";
import type { Resources } from "../cloudformation/resources.ts";

/** Queues for changes that no function could handle. Messages are never removed by readers. */
export type Queues = {
  has(arn: string): boolean;
  /**
   * Adds a message.
   * @param failing name of the function that could not handle the changes
   */
  send(arn: string, failing: string, message: unknown): void;
  /** Reads the messages in a queue, oldest first. Empty if there is no such queue. */
  messages: (name: string) => readonly unknown[];
};

/** Number of messages that a queue holds. Beyond it, the oldest are dropped. */
const CAPACITY = 1000;

const unread = v.optional(v.unknown());

/** Properties of a queue. All except the name have no effect on one machine. */
const Queue = v.strictObject({
  QueueName: v.optional(v.string()),
  MessageRetentionPeriod: unread,
  SqsManagedSseEnabled: unread,
  Tags: unread,
});

/**
 * Creates the queues of the stacks, in memory.
 *
 * @param report receives a line for each message; it names queue and function, but no content
 * @throws {StartupError} if a queue is not emulated
 */
export function createQueues(
  resources: Resources,
  report: (line: string) => void,
  capacity: number = CAPACITY,
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
      if (queue.messages.length > capacity) queue.messages.shift();
      report(`A message about ${failing} went to the queue ${queue.name}`);
    },
    messages: (name) => [...queues.values()].find((queue) => queue.name === name)?.messages.slice() ?? [],
  };
}
