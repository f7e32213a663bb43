import { Duration, Validations } from "aws-cdk-lib";
import {
  EventSourceMapping,
  type EventSourceMappingOptions,
  FilterCriteria,
  FilterRule,
  type IFunction,
  StartingPosition,
} from "aws-cdk-lib/aws-lambda";
import { Queue, QueueEncryption } from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";
import type { OperationName } from "../../operations/operations.ts";
import type { ChangesRow } from "../../operations/types.ts";
import { sortKeysSentTo } from "../../table/keys.ts";

type Delivery = Pick<
  EventSourceMappingOptions,
  "batchSize" | "parallelizationFactor" | "retryAttempts" | "maxRecordAge"
>;

/**
 * Stream filter and delivery settings for each kind of change. Two functions can read the stream; a third would slow
 * the others down.
 */
const subscriptions: Record<ChangesRow["changes"], Delivery & { filter: object }> = {
  "published items": {
    // Leaves out deletions, because they are never published.
    filter: {
      eventName: FilterRule.or("INSERT", "MODIFY"),
      dynamodb: {
        Keys: {
          SK: {
            S: sortKeysSentTo("its user", "subscribers").flatMap((start) => FilterRule.beginsWith(start)),
          },
        },
      },
    },
    batchSize: 100,
    // Processes several batches of a shard at once. The changes of one item stay in order.
    parallelizationFactor: 10,
    // Gives up after an hour. A change that cannot be published must not delay others for the stream's 24 hours.
    retryAttempts: 5,
    maxRecordAge: Duration.hours(1),
  },
  profiles: {
    filter: {
      dynamodb: {
        Keys: { SK: { S: sortKeysSentTo("mirrorPlans").flatMap((key) => FilterRule.isEqual(key)) } },
      },
    },
    // Processes one batch at a time. API Gateway's control plane allows few calls a second, so parallel batches would
    // only wait.
    batchSize: 20,
    parallelizationFactor: 1,
    // Gives up on a change that cannot be mirrored, so that it does not delay others. The user's next visit tries
    // again.
    retryAttempts: 10,
    maxRecordAge: Duration.hours(6),
  },
};

/** The table's change stream, and a queue for batches that Lambda gave up. */
export class TableChanges extends Construct {
  readonly streamArn: string;
  /** Gets one message per failed batch, with the batch's position in the stream but without its contents. */
  readonly failed: Queue;

  constructor(scope: Construct, id: string, streamArn: string) {
    super(scope, id);
    this.streamArn = streamArn;
    this.failed = new Queue(this, "Failed", {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: Duration.days(14),
    });
    Validations.of(this.failed).acknowledge({
      id: "AwsSolutions-SQS3",
      reason: "This is the dead-letter queue. Only operators read it.",
    });
  }

  /** Invokes a row's function for the kind of changes that the row names. */
  sendTo(name: OperationName, lambda: IFunction, { changes }: ChangesRow): EventSourceMapping {
    const { filter, ...delivery } = subscriptions[changes];
    return new EventSourceMapping(this, `${name}Mapping`, {
      target: lambda,
      eventSourceArn: this.streamArn,
      filters: [FilterCriteria.filter(filter)],
      ...delivery,
      // Starts at the oldest change: a mapping takes minutes to start, and `LATEST` would silently skip changes made in
      // the meantime. Repeated changes are harmless, because clients drop them by their version, and publishChanges
      // puts no notice of an old one.
      startingPosition: StartingPosition.TRIM_HORIZON,
      reportBatchItemFailures: true,
      bisectBatchOnError: true,
      // Replaces CDK's own destination, which would also grant the right to read the queue's attributes.
      onFailure: { bind: () => ({ destination: this.failed.queueArn }) },
    });
  }
}
