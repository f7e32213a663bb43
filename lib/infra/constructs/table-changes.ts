import { Duration, Validations } from "aws-cdk-lib";
import type { Table } from "aws-cdk-lib/aws-dynamodb";
import {
  EventSourceMapping,
  FilterCriteria,
  FilterRule,
  type IFunction,
  StartingPosition,
} from "aws-cdk-lib/aws-lambda";
import { Queue, QueueEncryption } from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";
import { publishedSortKeys } from "../../aws/table-keys.ts";

/** The changes of the table that are published: items of the sort keys in lib/aws/table-keys.ts, when they are written. */
const published = FilterCriteria.filter({
  eventName: FilterRule.or("INSERT", "MODIFY"),
  dynamodb: { Keys: { SK: { S: publishedSortKeys.flatMap((prefix) => FilterRule.beginsWith(prefix)) } } },
});

/** The table's stream of changes, and where those are noted that could not be published. */
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

  /** Has a function hear of the changes. Its row is of the kind `stream`, from which its role follows. */
  sendTo(lambda: IFunction): EventSourceMapping {
    return new EventSourceMapping(this, "Mapping", {
      target: lambda,
      eventSourceArn: this.streamArn,
      filters: [published],
      // From the oldest change there is: `LATEST` leaves out what happens in the minutes that a mapping takes to start,
      // which nobody would notice, while clients drop what they have already by its version.
      startingPosition: StartingPosition.TRIM_HORIZON,
      batchSize: 100,
      // Several batches of a shard at once, still in order for each item.
      parallelizationFactor: 10,
      // What cannot be published does not hold up the rest for the day that the stream would keep it.
      reportBatchItemFailures: true,
      bisectBatchOnError: true,
      retryAttempts: 5,
      maxRecordAge: Duration.hours(1),
      // CDK's own destination would let the function read the queue's attributes besides.
      onFailure: { bind: () => ({ destination: this.failed.queueArn }) },
    });
  }
}
