import { MathExpression, Metric, type MetricOptions, Stats } from "aws-cdk-lib/aws-cloudwatch";
import type { Table } from "aws-cdk-lib/aws-dynamodb";
import { FilterPattern, type IFilterPattern, type LogGroup, MetricFilter } from "aws-cdk-lib/aws-logs";
import type { Construct } from "constructs";
import { operations, type RestOperationName, servedMethods } from "../../operations/operations.ts";
import type { Operation } from "../../operations/types.ts";
import { scopeMissing } from "../../runtime/authorizer.ts";
import { noticeLost } from "../../runtime/log.ts";
import { outsider } from "../../runtime/request-origin.ts";
import type { KeyNotices } from "../data/key-notices.ts";
import type { Notices } from "../data/notices.ts";
import type { TableChanges } from "../data/table-changes.ts";
import type { OperationFunction, OperationFunctions } from "../functions/operation-functions.ts";
import type { Endpoint } from "../rest/methods.ts";
import { restStageName, type TerminalRestApi } from "../rest/rest-api.ts";
import { guardNames } from "../throttles.ts";
import { type StreamApi, streamStageName } from "../websocket/stream-api.ts";
import { countedLines, logMetric } from "./log-metrics.ts";

/** Resources of other stacks that the alarms and the dashboard watch. */
export type Watched = {
  api: TerminalRestApi;
  endpoints: readonly Endpoint[];
  stream: StreamApi;
  functions: OperationFunctions;
  changes: TableChanges;
  keyNotices: KeyNotices;
  /** Undefined if devices are off. */
  notices: Notices | undefined;
  table: Table;
};

/** Makes a metric of the REST API's stage, identified by names that are known before the deployment. */
export const requestMetric = (api: TerminalRestApi, metricName: string, options: MetricOptions) =>
  new Metric({
    namespace: "AWS/ApiGateway",
    metricName,
    dimensionsMap: { ApiName: api.restApiName, Stage: restStageName },
    ...options,
  });

/** Metric of a method, fed by {@link countFailedRequests}. */
export const failedRequests = ({ method }: Endpoint, api: TerminalRestApi) =>
  logMetric(api.accessLog, failedRequestsName).with({
    dimensionsMap: { Method: method.httpMethod, Resource: method.resource.path },
  });

const failedRequestsName = "FailedRequests";

/**
 * Counts the requests that API Gateway answered with a 5xx, by method. A method has a metric, and costs, only while it
 * fails. CloudWatch allows no default value for a metric with dimensions, so there is no data while nothing fails.
 */
export function countFailedRequests(scope: Construct, { accessLog }: TerminalRestApi): void {
  const { namespace } = logMetric(accessLog, failedRequestsName);
  new MetricFilter(scope, failedRequestsName, {
    logGroup: accessLog,
    // The access log writes the status as text.
    filterPattern: FilterPattern.stringValue("$.status", "=", "5*"),
    metricNamespace: namespace,
    metricName: failedRequestsName,
    dimensions: { Method: "$.method", Resource: "$.resourcePath" },
  });
}

export const streamMetric = (stream: StreamApi, metricName: string, options: MetricOptions) =>
  stream.metric(metricName, {
    dimensionsMap: { ApiId: stream.apiId, Stage: streamStageName },
    ...options,
  });

/** Matches a line of logFault (lib/runtime/log.ts) in Lambda's JSON format. */
const loggedBy = (name: string) =>
  FilterPattern.all(
    FilterPattern.stringValue("$.level", "=", "ERROR"),
    FilterPattern.stringValue("$.message.operation", "=", name),
  );

/** Matches the line that Lambda itself logs about a run that timed out or whose process ended. */
const brokenOff = FilterPattern.all(
  FilterPattern.stringValue("$.type", "=", "platform.report"),
  FilterPattern.any(
    FilterPattern.stringValue("$.record.status", "=", "timeout"),
    FilterPattern.stringValue("$.record.errorType", "=", "Runtime.*"),
  ),
);

/**
 * Counts failures of a function: errors that Lambda counts, and faults that the function logged but answered. Takes the
 * maximum rather than the sum, because most failures are counted as both.
 */
export function failuresOf(scope: Construct, operation: OperationFunction): MathExpression {
  return new MathExpression({
    // Uses MAX, which has a value even if one metric has no data, as is usual for faults. `a + b` would have none.
    expression: "MAX(METRICS())",
    usingMetrics: {
      errors: operation.lambda.metricErrors({ statistic: Stats.SUM }),
      faults: faultsOf(scope, operation, loggedBy(operation.name)),
    },
  });
}

/**
 * Counts failures only from the log, for a function that throws to refuse a caller. Lambda counts every refusal as an
 * error, so anybody could raise the alarm by connecting without a token.
 */
export function failuresBesideRefusals(scope: Construct, operation: OperationFunction): Metric {
  return faultsOf(scope, operation, FilterPattern.any(loggedBy(operation.name), brokenOff));
}

/** Counts keys or plans that these functions could not create because the account's limit was reached. */
export function limitsReached(scope: Construct, creators: readonly OperationFunction[]): Metric {
  const reached = ["KeyLimitReached", "PlanLimitReached"].map((error) =>
    FilterPattern.stringValue("$.message.error", "=", error),
  );
  const logs = creators.map(({ lambda }) => lambda.logGroup);
  return countedLines(scope, limitMetricName, logs, FilterPattern.any(...reached));
}

/** Counts notices that a device did not get within a day. */
export const lostNotices = (scope: Construct, { lambda }: OperationFunction): Metric =>
  countedLines(
    scope,
    "NoticesLost",
    [lambda.logGroup],
    FilterPattern.stringValue("$.message.event", "=", noticeLost),
  );

/** Metric fed by {@link limitsReached}. */
export const limitMetric = ({ lambda }: OperationFunction) => logMetric(lambda.logGroup, limitMetricName);

const limitMetricName = "KeyLimitReached";

/** Counts how often the authorizers failed to fetch the issuer's keys, whether or not they could use a cached copy. */
export function issuerOutages(scope: Construct, authorizers: readonly OperationFunction[]): Metric {
  const logs = authorizers.map(({ lambda }) => lambda.logGroup);
  return countedLines(
    scope,
    "IssuerOutages",
    logs,
    FilterPattern.stringValue("$.message.error", "=", "IssuerUnavailable"),
  );
}

/**
 * Counts requests and connections that API Gateway answered 403 because of their API key. Requests that bypass the edge
 * and those of programs without a scope have no key and do not count.
 */
export const refusedKeys = (scope: Construct, accessLogs: readonly LogGroup[]): Metric =>
  countedLines(
    scope,
    "RefusedKeys",
    accessLogs,
    FilterPattern.all(
      FilterPattern.stringValue("$.errorType", "=", "INVALID_API_KEY"),
      FilterPattern.stringValue("$.principalId", "!=", outsider),
      FilterPattern.stringValue("$.principalId", "!=", `${scopeMissing}*`),
    ),
  );

/** Methods whose throttled requests are counted together. */
const throttledGroups = {
  Charts: new Set<RestOperationName>(["getMarket", "listCandles"]),
  Orders: new Set<RestOperationName>(["quoteOrder", "placeOrder"]),
  Guards: guardNames,
} as const;

export type ThrottledGroup = keyof typeof throttledGroups;

/** Counts the 429s with which API Gateway answered requests for methods of a group, without those of functions. */
export function throttledRequests(scope: Construct, { accessLog }: TerminalRestApi, group: ThrottledGroup) {
  const names: ReadonlySet<string> = throttledGroups[group];
  const methods = servedMethods
    .filter(({ name }) => names.has(name))
    .map(({ method, path }) =>
      FilterPattern.all(
        FilterPattern.stringValue("$.method", "=", method),
        FilterPattern.stringValue("$.resourcePath", "=", path),
      ),
    );
  const pattern = FilterPattern.all(
    FilterPattern.stringValue("$.errorType", "=", "THROTTLED"),
    FilterPattern.any(...methods),
  );
  return countedLines(scope, `Throttled${group}`, [accessLog], pattern);
}

const faultsOf = (scope: Construct, { name, lambda }: OperationFunction, pattern: IFilterPattern): Metric =>
  countedLines(scope, `${name}Faults`, [lambda.logGroup], pattern);

const tableActions = Object.values<Operation>(operations)
  .flatMap((row) => row.table)
  .filter((action) => action !== "dynamodb:ConditionCheckItem");

/**
 * Calls that the functions make, by the names under which DynamoDB counts them. No permission is named
 * TransactWriteItems.
 */
const tableCalls = [
  ...new Set(tableActions.map((action) => action.slice("dynamodb:".length))),
  "TransactWriteItems",
];

/**
 * Counts runs of a function. The count is 0 for a period without a run. Before the first run in the displayed time,
 * there is no data at all.
 */
export const runsOf = ({ lambda }: OperationFunction): MathExpression =>
  new MathExpression({
    label: "runs",
    expression: "IF(FILL(runs, REPEAT), FILL(runs, 0))",
    usingMetrics: { runs: lambda.metricInvocations() },
  });

/** Sums a metric that DynamoDB keeps per table and call. The sum is 0 where DynamoDB has no data. */
export function sumOverCalls(table: Table, metricName: "ThrottledRequests" | "SystemErrors"): MathExpression {
  const metricOf = (call: string) =>
    table.metric(metricName, {
      statistic: Stats.SUM,
      dimensionsMap: { TableName: table.tableName, Operation: call },
    });
  return new MathExpression({
    label: metricName,
    // Fills in zeros: DynamoDB has data only when something goes wrong, and an alarm without data would stay in ALARM.
    // TIME_SERIES always adds data, because it is not documented whether FILL works on a metric without any data.
    expression: "SUM(FILL(METRICS(), 0)) + TIME_SERIES(0)",
    usingMetrics: Object.fromEntries(tableCalls.map((call) => [call.toLowerCase(), metricOf(call)])),
  });
}
