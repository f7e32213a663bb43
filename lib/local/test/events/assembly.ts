import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { App, CfnOutput, Duration, Stack } from "aws-cdk-lib";
import { AttributeType, StreamViewType, Table } from "aws-cdk-lib/aws-dynamodb";
import { CfnRule, Rule, Schedule } from "aws-cdk-lib/aws-events";
import { LambdaFunction } from "aws-cdk-lib/aws-events-targets";
import * as lambda from "aws-cdk-lib/aws-lambda";
import { SqsDlq } from "aws-cdk-lib/aws-lambda-event-sources";
import { FilterPattern, LogGroup, MetricFilter } from "aws-cdk-lib/aws-logs";
import { Queue } from "aws-cdk-lib/aws-sqs";
import { temporaryFolder } from "../fixtures/folder.ts";

/** Logs the ids it receives. Throws at the item `poison`, and never finishes with the item `endless`. */
const listener = `export const handler = async ({ Records }) => {
  const ids = Records.map(({ dynamodb }) => dynamodb.Keys.PK.S);
  console.log({ received: ids });
  if (ids.includes("poison")) throw new Error("cannot");
  if (ids.includes("endless")) await new Promise(() => {});
}`;

const feed = `export const handler = async (event) => console.log({ run: event })`;

const failing = `export const handler = async () => { throw new Error("never"); }`;

/** A function for each kind of event source, and a queue for failures. */
export function synthesizeEventSources(): string {
  const outdir = temporaryFolder();
  const app = new App({ outdir, analyticsReporting: false });
  const stack = new Stack(app, "Sources");
  const table = new Table(stack, "Table", {
    partitionKey: { name: "PK", type: AttributeType.STRING },
    stream: StreamViewType.NEW_AND_OLD_IMAGES,
  });
  new CfnOutput(stack, "TableName", { value: table.tableName });
  const failed = new Queue(stack, "Failed", { queueName: "failed", enforceSSL: true });

  const define = (functionName: string, code: string) => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "index.mjs"), code);
    return new lambda.Function(stack, functionName, {
      functionName,
      runtime: lambda.Runtime.NODEJS_24_X,
      handler: "index.handler",
      code: lambda.Code.fromAsset(folder),
      timeout: Duration.minutes(5),
      loggingFormat: lambda.LoggingFormat.JSON,
      logGroup: new LogGroup(stack, `${functionName}Log`),
    });
  };

  const listening = define("listener", listener);
  new lambda.EventSourceMapping(stack, "Mapping", {
    target: listening,
    ...(table.tableStreamArn !== undefined && { eventSourceArn: table.tableStreamArn }),
    startingPosition: lambda.StartingPosition.TRIM_HORIZON,
    filters: [lambda.FilterCriteria.filter({ eventName: lambda.FilterRule.or("INSERT", "MODIFY") })],
    bisectBatchOnError: true,
    reportBatchItemFailures: true,
    retryAttempts: 1,
    maxRecordAge: Duration.hours(1),
    parallelizationFactor: 10,
    onFailure: new SqsDlq(failed),
  });
  new MetricFilter(stack, "Faults", {
    logGroup: listening.logGroup,
    filterPattern: FilterPattern.exists("$.level"),
    metricNamespace: "Sources",
    metricName: "Faults",
  });

  define("failing", failing).configureAsyncInvoke({ retryAttempts: 0 });

  const feeding = define("feed", feed);
  new Rule(stack, "Rule", {
    ruleName: "each-hour",
    schedule: Schedule.rate(Duration.hours(1)),
    targets: [new LambdaFunction(feeding, { retryAttempts: 0, maxEventAge: Duration.minutes(1) })],
  });
  new CfnRule(stack, "Forbidden", {
    name: "forbidden",
    scheduleExpression: "rate(1 hour)",
    targets: [{ id: "Target0", arn: feeding.functionArn }],
  });
  app.synth();
  return outdir;
}
