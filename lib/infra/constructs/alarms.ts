import { Duration } from "aws-cdk-lib";
import { Alarm, ComparisonOperator, type IMetric, TreatMissingData } from "aws-cdk-lib/aws-cloudwatch";
import { SnsAction } from "aws-cdk-lib/aws-cloudwatch-actions";
import { Topic } from "aws-cdk-lib/aws-sns";
import { Construct } from "constructs";
import { sumOverCalls } from "./table-metrics.ts";
import type { Watched } from "./watched.ts";

export type AlarmsProps = Watched & { topicArn: string | undefined };

const period = Duration.minutes(5);

/** Tells what users suffer, and where to look first. Without a topic the alarms are there to be looked at. */
export class Alarms extends Construct {
  readonly #action: SnsAction | undefined;

  constructor(scope: Construct, id: string, { endpoints, authorizer, stage, table, topicArn }: AlarmsProps) {
    super(scope, id);
    this.#action =
      topicArn === undefined ? undefined : new SnsAction(Topic.fromTopicArn(this, "Topic", topicArn));

    for (const { operation, method } of endpoints)
      this.#add(
        `${operation.name}Failures`,
        method.metricServerError(stage, { period }),
        `${operation.row.impact} Look first at the alarm of the authorizer, then at the log of function ${operation.name}.`,
      );
    this.#add(
      `${authorizer.name}Failures`,
      authorizer.lambda.metricErrors({ period }),
      `${authorizer.row.impact} Look first at whether the issuer's keys can be fetched, then at the log of function ${authorizer.name}.`,
    );
    for (const { name, row, lambda } of [authorizer, ...endpoints.map(({ operation }) => operation)])
      this.#add(
        `${name}Throttles`,
        lambda.metricThrottles({ period }),
        `${row.impact} Lambda turns calls of function ${name} away: look first at the account's concurrency, and at what uses it up.`,
      );
    this.#add(
      "TableThrottles",
      sumOverCalls(table, "ThrottledRequests").with({ period }),
      "Any operation may be slow or fail. Look first at consumed capacity on the dashboard: one user's partition may be hot.",
    );
    this.#add(
      "TableFailures",
      sumOverCalls(table, "SystemErrors").with({ period }),
      "Any operation may fail. Look first at the health of DynamoDB in this region.",
    );
  }

  #add(id: string, metric: IMetric, alarmDescription: string): void {
    const alarm = new Alarm(this, id, {
      metric,
      alarmDescription,
      // A single failure may be a passing one; a third within the period is not.
      threshold: 3,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      evaluationPeriods: 1,
      treatMissingData: TreatMissingData.NOT_BREACHING,
    });
    if (this.#action) alarm.addAlarmAction(this.#action);
  }
}
