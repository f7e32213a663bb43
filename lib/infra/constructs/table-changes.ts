import { Duration, Validations } from "aws-cdk-lib";
import type { Table } from "aws-cdk-lib/aws-dynamodb";
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
import { profileSortKey, publishedSortKeys } from "../../aws/table-keys.ts";
import type { ChangesOperationName } from "../../operations.ts";

type Subscription = Pick<
  EventSourceMappingOptions,
  "filters" | "batchSize" | "parallelizationFactor" | "retryAttempts" | "maxRecordAge"
>;

/**
 * Which changes each row hears of, and how they come to it. Two is what a shard of the stream has room for: a third reader
 * would slow the others down.
 */
const subscriptions: Record<ChangesOperationName, Subscription> = {
  publishChanges: {
    // Items of these sort keys, when they are written.
    filters: [
      FilterCriteria.filter({
        eventName: FilterRule.or("INSERT", "MODIFY"),
        dynamodb: {
          Keys: { SK: { S: publishedSortKeys.flatMap((prefix) => FilterRule.beginsWith(prefix)) } },
        },
      }),
    ],
    batchSize: 100,
    // Several batches of a shard at once, still in order for each item.
    parallelizationFactor: 10,
    // What cannot be published does not hold up the rest for the day that the stream would keep it.
    retryAttempts: 5,
    maxRecordAge: Duration.hours(1),
  },
  mirrorPlans: {
    // Profiles, when they are written and when they are deleted.
    filters: [
      FilterCriteria.filter({ dynamodb: { Keys: { SK: { S: FilterRule.isEqual(profileSortKey) } } } }),
    ],
    // The control plane takes few calls a second: more at once would only wait for one another.
    batchSize: 20,
    parallelizationFactor: 1,
    // As often as it takes, for six hours. Meanwhile the user's requests count on the shared key.
    maxRecordAge: Duration.hours(6),
  },
};

/** The table's stream of changes, and where those are noted that were given up. */
export class TableChanges extends Construct {
  readonly streamArn: string;
  /** Holds for each batch that was given up where it stands in the stream, and none of its contents. */
  readonly failed: Queue;

  constructor(scope: Construct, id: string, { tableStreamArn }: Table) {
    super(scope, id);
    if (tableStreamArn === undefined) throw new Error("The table has no stream");
    this.streamArn = tableStreamArn;
    this.failed = new Queue(this, "Failed", {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: Duration.days(14),
    });
    Validations.of(this.failed).acknowledge({
      id: "AwsSolutions-SQS3",
      reason: "It is itself where failures go, and nothing reads it but people.",
    });
  }

  /** Has the function of a row hear of its changes. */
  sendTo(name: ChangesOperationName, lambda: IFunction): EventSourceMapping {
    return new EventSourceMapping(this, `${name}Mapping`, {
      target: lambda,
      eventSourceArn: this.streamArn,
      ...subscriptions[name],
      // From the oldest change there is: `LATEST` leaves out what happens in the minutes that a mapping takes to start,
      // which nobody would notice, while clients drop what they have already by its version.
      startingPosition: StartingPosition.TRIM_HORIZON,
      reportBatchItemFailures: true,
      bisectBatchOnError: true,
      // CDK's own destination would let the function read the queue's attributes besides.
      onFailure: { bind: () => ({ destination: this.failed.queueArn }) },
    });
  }
}
