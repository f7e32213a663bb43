import { Duration, Validations } from "aws-cdk-lib";
import { Match, Rule } from "aws-cdk-lib/aws-events";
import { SqsQueue } from "aws-cdk-lib/aws-events-targets";
import type { IKey } from "aws-cdk-lib/aws-kms";
import { Queue, QueueEncryption } from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";

/** Calls after which a key can no longer be used. KMS waits at least seven days before it deletes one. */
const endings = ["DisableKey", "ScheduleKeyDeletion"];

/**
 * Puts a message into a queue when somebody disables a key or schedules its deletion. EventBridge gets these calls from
 * CloudTrail, so the account needs a trail. SQS drops the message after 14 days, which is its longest retention, while
 * KMS may wait up to 30 days: the alarm can end before the key is deleted.
 */
export class KeyNotices extends Construct {
  /** Gets CloudTrail's record of each such call, which names the key and the caller. */
  readonly queue: Queue;

  constructor(scope: Construct, id: string, keys: readonly IKey[]) {
    super(scope, id);
    this.queue = new Queue(this, "Queue", {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: Duration.days(14),
    });
    Validations.of(this.queue).acknowledge({
      id: "AwsSolutions-SQS3",
      reason: "Only operators read this queue, so no message can fail.",
    });
    new Rule(this, "Rule", {
      description: "Notice when a key is disabled or scheduled for deletion",
      eventPattern: {
        source: ["aws.kms"],
        detailType: ["AWS API Call via CloudTrail"],
        detail: {
          eventSource: ["kms.amazonaws.com"],
          eventName: endings,
          // Leaves out calls that KMS refused.
          errorCode: Match.doesNotExist(),
          resources: { ARN: keys.map(({ keyArn }) => keyArn) },
        },
      },
      targets: [new SqsQueue(this.queue)],
    });
  }
}
