import { Duration } from "aws-cdk-lib";
import {
  Alarm,
  type AlarmProps,
  ComparisonOperator,
  type MathExpression,
  type Metric,
  TreatMissingData,
} from "aws-cdk-lib/aws-cloudwatch";
import { SnsAction } from "aws-cdk-lib/aws-cloudwatch-actions";
import { Topic } from "aws-cdk-lib/aws-sns";
import { Construct } from "constructs";
import { addRealTimeAlarms } from "./real-time-alarms.ts";
import { addRequestAlarms } from "./request-alarms.ts";
import { sumOverCalls } from "./table-metrics.ts";
import type { Watched } from "./watched.ts";

export type AlarmsProps = Watched & { topicArn: string | undefined };

const fiveMinutes = Duration.minutes(5);

/** Tells what users suffer, and where to look first. Without a topic the alarms are there to be looked at. */
export class Alarms extends Construct {
  readonly #action: SnsAction | undefined;

  constructor(scope: Construct, id: string, { topicArn, ...watched }: AlarmsProps) {
    super(scope, id);
    this.#action =
      topicArn === undefined ? undefined : new SnsAction(Topic.fromTopicArn(this, "Topic", topicArn));

    addRequestAlarms(this, watched);
    addRealTimeAlarms(this, watched);
    for (const { name, row, lambda } of watched.functions.all())
      this.add(
        `${name}Throttles`,
        lambda.metricThrottles(),
        `${row.impact} Lambda turns calls of function ${name} away: look first at the account's concurrency, and at what uses it up.`,
      );
    this.add(
      "TableThrottles",
      sumOverCalls(watched.table, "ThrottledRequests"),
      "Any operation may be slow or fail. Look first at consumed capacity on the dashboard: one user's partition may be hot.",
    );
    this.add(
      "TableFailures",
      sumOverCalls(watched.table, "SystemErrors"),
      "Any operation may fail. Look first at the health of DynamoDB in this region.",
    );
  }

  /** An alarm on five minutes of a metric; raised by three of what it counts, unless told otherwise. */
  add(
    id: string,
    metric: Metric | MathExpression,
    alarmDescription: string,
    { period = fiveMinutes, ...raised }: Partial<AlarmProps> & { period?: Duration } = {},
  ) {
    const alarm = new Alarm(this, id, {
      metric: metric.with({ period }),
      alarmDescription,
      // A single failure may be a passing one; a third within the period is not.
      threshold: 3,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      evaluationPeriods: 1,
      treatMissingData: TreatMissingData.NOT_BREACHING,
      ...raised,
    });
    if (this.#action) alarm.addAlarmAction(this.#action);
  }
}
