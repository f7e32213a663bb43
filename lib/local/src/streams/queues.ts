import { randomUUID } from "node:crypto";
import * as v from "valibot";
import { type Clock, systemClock } from "../clock.ts";
import { readProperties, resolved } from "../cloudformation/resource.ts";
import { queueArn, queueName } from "../cloudformation/resource-types.ts";
import type { Resources } from "../cloudformation/resources.ts";

/** A message that was read and is hidden from other readers for a while. */
export type ReadMessage = {
  messageId: string;
  /** Names this reading of the message. */
  receipt: string;
  body: unknown;
  sentAt: number;
  firstReadAt: number;
  /** Number of times that the message was read. */
  reads: number;
};

/** Queues for changes that no function could handle, and queues that functions read. */
export type Queues = {
  has(arn: string): boolean;
  /**
   * Adds a message about changes.
   * @param failing name of the function that could not handle the changes
   */
  send(arn: string, failing: string, message: unknown): void;
  /** Adds a message that readers get after a delay. */
  add(arn: string, message: unknown, delayMs?: number): string;
  /** Reads messages, at most this many. Those that were read too often go to the dead-letter queue instead. */
  read(arn: string, count: number): ReadMessage[];
  remove(arn: string, receipt: string): void;
  /** Hides a message for this time from now on. Returns false if it is not being read. */
  hide(arn: string, receipt: string, ms: number): boolean;
  /** Milliseconds until a message can be read, 0 if there is one now. Undefined if the queue is empty. */
  nextMs(arn: string): number | undefined;
  /** Calls the listener when a message was added or hidden. */
  onChange(arn: string, listener: () => void): void;
  /** Lists the messages in a queue, oldest first. Empty if there is no such queue. */
  messages: (name: string) => readonly unknown[];
};

/** Number of messages that a queue holds. Beyond it, the oldest are dropped. */
const CAPACITY = 1000;

const unread = v.optional(v.unknown());

/** Properties of a queue. All except the name, the timeout and the dead-letter queue have no effect on one machine. */
const Queue = v.strictObject({
  QueueName: v.optional(v.string()),
  MessageRetentionPeriod: unread,
  SqsManagedSseEnabled: unread,
  VisibilityTimeout: v.optional(v.number(), 30),
  RedrivePolicy: v.optional(v.strictObject({ deadLetterTargetArn: v.string(), maxReceiveCount: v.number() })),
  Tags: unread,
});

type Waiting = ReadMessage & { visibleAt: number };

type Kept = Pick<v.InferOutput<typeof Queue>, "RedrivePolicy"> & {
  name: string;
  hiddenMs: number;
  messages: Waiting[];
  listeners: (() => void)[];
};

/**
 * Creates the queues of the stacks, in memory.
 *
 * @param report receives a line for each message about changes; it names queue and function, but no content
 * @throws {StartupError} if a queue is not emulated
 */
export function createQueues(
  resources: Resources,
  report: (line: string) => void,
  { capacity = CAPACITY, clock = systemClock }: { capacity?: number; clock?: Clock } = {},
): Queues {
  const queues = new Map<string, Kept>();
  for (const resource of resources.ofType("AWS::SQS::Queue")) {
    const { VisibilityTimeout, RedrivePolicy } = readProperties(Queue, resolved(resource));
    const kept = { name: queueName(resource), hiddenMs: VisibilityTimeout * 1000, RedrivePolicy };
    queues.set(queueArn(resource), { ...kept, messages: [], listeners: [] });
  }

  function queueAt(arn: string): Kept {
    const queue = queues.get(arn);
    if (queue === undefined) throw new Error(`There is no queue ${arn}`);
    return queue;
  }

  function change({ listeners }: Kept): void {
    for (const listener of listeners) listener();
  }

  function add(arn: string, body: unknown, delayMs = 0): string {
    const queue = queueAt(arn);
    const messageId = randomUUID();
    const sentAt = clock.now();
    const unread = { receipt: "", firstReadAt: 0, reads: 0, visibleAt: sentAt + delayMs };
    queue.messages.push({ messageId, body, sentAt, ...unread });
    if (queue.messages.length > capacity) queue.messages.shift();
    change(queue);
    return messageId;
  }

  function drop(queue: Kept, gone: Waiting): void {
    queue.messages = queue.messages.filter((each) => each !== gone);
  }

  return {
    has: (arn) => queues.has(arn),
    send(arn, failing, message) {
      add(arn, message);
      report(`A message about ${failing} went to the queue ${queueAt(arn).name}`);
    },
    add,
    read(arn, count) {
      const queue = queueAt(arn);
      const now = clock.now();
      const found: ReadMessage[] = [];
      for (const message of queue.messages.filter(({ visibleAt }) => visibleAt <= now)) {
        if (found.length === count) break;
        const { deadLetterTargetArn, maxReceiveCount = Infinity } = queue.RedrivePolicy ?? {};
        if (deadLetterTargetArn !== undefined && message.reads >= maxReceiveCount) {
          drop(queue, message);
          add(deadLetterTargetArn, message.body);
          continue;
        }
        message.reads++;
        message.receipt = randomUUID();
        message.firstReadAt ||= now;
        message.visibleAt = now + queue.hiddenMs;
        found.push({ ...message });
      }
      return found;
    },
    remove(arn, receipt) {
      const queue = queueAt(arn);
      queue.messages = queue.messages.filter((each) => each.receipt !== receipt);
    },
    hide(arn, receipt, ms) {
      const queue = queueAt(arn);
      const message = queue.messages.find((each) => each.receipt === receipt);
      if (message === undefined) return false;
      message.visibleAt = clock.now() + ms;
      change(queue);
      return true;
    },
    nextMs(arn) {
      const times = queueAt(arn).messages.map(({ visibleAt }) => visibleAt);
      return times.length === 0 ? undefined : Math.max(0, Math.min(...times) - clock.now());
    },
    onChange: (arn, listener) => void queueAt(arn).listeners.push(listener),
    messages: (name) =>
      [...queues.values()].find((queue) => queue.name === name)?.messages.map(({ body }) => body) ?? [],
  };
}
