import { Stack } from "aws-cdk-lib";
import type { Stage } from "aws-cdk-lib/aws-apigateway";
import type { WebSocketStage } from "aws-cdk-lib/aws-apigatewayv2";
import { MathExpression, Metric, Stats } from "aws-cdk-lib/aws-cloudwatch";
import type { Table } from "aws-cdk-lib/aws-dynamodb";
import { FilterPattern, type JsonPattern, type LogGroup, type MetricFilter } from "aws-cdk-lib/aws-logs";
import type { Operation, ScheduleRow } from "../../operation-types.ts";
import { operations } from "../../operations.ts";
import type { TableChanges } from "../data/table-changes.ts";
import type { OperationFunction, OperationFunctions } from "../functions/operation-functions.ts";
import type { Endpoint } from "../rest/methods.ts";

/** What the alarms and the dashboard watch. */
export type Watched = {
  endpoints: readonly Endpoint[];
  functions: OperationFunctions;
  stage: Stage;
  stream: WebSocketStage;
  /** Of both APIs. */
  accessLogs: readonly LogGroup[];
  changes: TableChanges;
  table: Table;
  isEnabled: (row: ScheduleRow) => boolean;
};

const { all, any, stringValue } = FilterPattern;

/** A line of logFault (lib/runtime/log.ts) in Lambda's JSON format. */
const loggedBy = (name: string) =>
  all(stringValue("$.level", "=", "ERROR"), stringValue("$.message.operation", "=", name));

/** Lambda's own line about a run that timed out, or whose process ended. */
const brokenOff = all(
  stringValue("$.type", "=", "platform.report"),
  any(stringValue("$.record.status", "=", "timeout"), stringValue("$.record.errorType", "=", "Runtime.*")),
);

/**
 * Failures of a function: the errors that Lambda counts, and the faults that the function logged and answered, which Lambda
 * does not know. A failure is often both, so this is the greater number and not the sum.
 */
export function failuresOf(operation: OperationFunction): MathExpression {
  return new MathExpression({
    label: operation.name,
    // Unlike `a + b`, this has a value when one of the metrics has no data, as the faults mostly do.
    expression: "MAX(METRICS())",
    usingMetrics: {
      errors: operation.lambda.metricErrors({ statistic: Stats.SUM }),
      faults: countedInLog(operation, loggedBy(operation.name)),
    },
  });
}

/**
 * Failures of a function that throws to refuse a caller, from its log alone. Lambda counts every refusal as an error, so
 * anybody could raise the alarm by connecting without a token.
 */
export function failuresBesideRefusals(operation: OperationFunction): Metric {
  return countedInLog(operation, any(loggedBy(operation.name), brokenOff));
}

/** How often API Gateway had no room for another key or plan. */
export function limitsReached(operation: OperationFunction): Metric {
  const metric = limitMetric(operation);
  operation.lambda.logGroup.addMetricFilter("Limits", {
    filterPattern: all(
      loggedBy(operation.name),
      any(
        stringValue("$.message.error", "=", "KeyLimitReached"),
        stringValue("$.message.error", "=", "PlanLimitReached"),
      ),
    ),
    metricNamespace: metric.namespace,
    metricName: metric.metricName,
  });
  return metric;
}

/** How often the authorizers could not fetch the issuer's keys, whether they had older ones to use or not. */
export function issuerOutages(authorizers: readonly OperationFunction[]): Metric {
  const [first] = authorizers as [OperationFunction];
  const metric = { metricNamespace: Stack.of(first.lambda).stackName, metricName: "IssuerOutages" };
  const filterPattern = stringValue("$.message.error", "=", "IssuerUnavailable");
  const [filter] = authorizers.map(({ lambda }) =>
    lambda.logGroup.addMetricFilter("IssuerOutages", { filterPattern, ...metric }),
  ) as [MetricFilter];
  return filter.metric({ statistic: Stats.SUM });
}

/** The metric of {@link limitsReached}. */
export const limitMetric = ({ lambda }: OperationFunction) =>
  new Metric({
    namespace: Stack.of(lambda).stackName,
    metricName: "KeyLimitReached",
    statistic: Stats.SUM,
  });

/** The requests and connections for whose API key API Gateway answered 403. */
export function refusedKeys(accessLogs: readonly LogGroup[]): Metric {
  const [metric] = accessLogs.map((log) => {
    const metricNamespace = Stack.of(log).stackName;
    const filterPattern = stringValue("$.errorType", "=", "INVALID_API_KEY");
    return log
      .addMetricFilter("RefusedKeys", { filterPattern, metricNamespace, metricName: "RefusedKeys" })
      .metric({ statistic: Stats.SUM });
  });
  if (metric === undefined) throw new Error("There is no access log");
  return metric;
}

function countedInLog({ name, lambda }: OperationFunction, filterPattern: JsonPattern): Metric {
  const filter = lambda.logGroup.addMetricFilter("Faults", {
    filterPattern,
    metricNamespace: Stack.of(lambda).stackName,
    metricName: `${name}Faults`,
  });
  return filter.metric({ statistic: Stats.SUM });
}

const tableActions = Object.values<Operation>(operations)
  .flatMap((row) => row.table)
  .filter((action) => action !== "dynamodb:ConditionCheckItem");

/** The calls that the functions make. Transactions need no action of that name, but are counted under it. */
const tableCalls = [
  ...new Set(tableActions.map((action) => action.slice("dynamodb:".length))),
  "TransactWriteItems",
];

/** The sum of a metric that DynamoDB keeps per table and call. */
export function sumOverCalls(table: Table, metricName: "ThrottledRequests" | "SystemErrors"): MathExpression {
  const metricOf = (call: string) =>
    table.metric(metricName, {
      statistic: Stats.SUM,
      dimensionsMap: { TableName: table.tableName, Operation: call },
    });
  return new MathExpression({
    label: metricName,
    // Most of the metrics have no data most of the time, and then `a + b` would have none either.
    expression: "SUM(METRICS())",
    usingMetrics: Object.fromEntries(tableCalls.map((call) => [call.toLowerCase(), metricOf(call)])),
  });
}
