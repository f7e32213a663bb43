import { Duration, Validations } from "aws-cdk-lib";
import { EventBus, Rule } from "aws-cdk-lib/aws-events";
import { SqsQueue } from "aws-cdk-lib/aws-events-targets";
import { EventSourceMapping, type IFunction } from "aws-cdk-lib/aws-lambda";
import { Queue, QueueEncryption } from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";
import { noticeSource } from "../../aws/notice-bus.ts";

/** Longer than a day, after which notifyOwner gives up a device. */
const retentionPeriod = Duration.days(2);

/** Six times the function's own limit, as AWS advises: no message is read twice while a run still works on it. */
const visibilityTimeout = Duration.minutes(3);

/**
 * Number of messages that a run reads together, and maximum number of runs for each queue. Devices that answer slowly
 * then take only a small part of the account's runs.
 */
const batchSize = 10;
const maxConcurrency = 10;

/**
 * Carries notices from the bus to notifyOwner, in a queue of all notices and one of those that a device did not get at
 * once. The queues are separate, because SQS hands out nothing of a queue while too many of its messages wait for
 * another try.
 */
export class Notices extends Construct {
  readonly busArn: string;
  readonly retries: Queue;
  /** Gets messages that made notifyOwner fail again and again. */
  readonly failed: Queue;
  readonly #queues: readonly Queue[];

  constructor(scope: Construct, id: string, { busArn }: { busArn: string | undefined }) {
    super(scope, id);
    const eventBus =
      busArn === undefined
        ? new EventBus(this, "Bus", { description: "Notices for users' devices and for operators" })
        : EventBus.fromEventBusArn(this, "Bus", busArn);
    this.busArn = eventBus.eventBusArn;
    this.failed = this.#queue("Failed", { retentionPeriod: Duration.days(14) });
    Validations.of(this.failed).acknowledge({
      id: "AwsSolutions-SQS3",
      reason: "This is the dead-letter queue. Only operators read it.",
    });
    const read = { retentionPeriod, visibilityTimeout };
    // A retry is read for each attempt, so only the end of its retention bounds it.
    const arrived = this.#queue("Arrived", {
      ...read,
      deadLetterQueue: { queue: this.failed, maxReceiveCount: 20 },
    });
    this.retries = this.#queue("Retries", {
      ...read,
      deadLetterQueue: { queue: this.failed, maxReceiveCount: 1000 },
    });
    this.#queues = [arrived, this.retries];
    new Rule(this, "Rule", {
      description: "Hand all notices to notifyOwner",
      eventBus,
      eventPattern: { source: [noticeSource] },
      targets: [new SqsQueue(arrived)],
    });
  }

  get queueArns(): string[] {
    return this.#queues.map(({ queueArn }) => queueArn);
  }

  sendTo(lambda: IFunction): void {
    for (const queue of this.#queues)
      new EventSourceMapping(this, `${queue.node.id}Mapping`, {
        target: lambda,
        eventSourceArn: queue.queueArn,
        batchSize,
        maxConcurrency,
        reportBatchItemFailures: true,
      });
  }

  #queue(id: string, props: ConstructorParameters<typeof Queue>[2]): Queue {
    return new Queue(this, id, { encryption: QueueEncryption.SQS_MANAGED, enforceSSL: true, ...props });
  }
}
