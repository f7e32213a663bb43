import { Stack } from "aws-cdk-lib";
import { MathExpression, Metric, Stats } from "aws-cdk-lib/aws-cloudwatch";
import { FilterPattern, type JsonPattern } from "aws-cdk-lib/aws-logs";
import type { OperationFunction } from "./operation-function.ts";

const { all, any, stringValue } = FilterPattern;

/** What logFault of lib/runtime/log.ts makes of a fault, in Lambda's JSON format. */
const loggedBy = (name: string) =>
  all(stringValue("$.level", "=", "ERROR"), stringValue("$.message.operation", "=", name));

/** What Lambda itself writes of a run that took too long, or ended with the function's process. */
const brokenOff = all(
  stringValue("$.type", "=", "platform.report"),
  any(stringValue("$.record.status", "=", "timeout"), stringValue("$.record.errorType", "=", "Runtime.*")),
);

/**
 * What went wrong in a function: errors of Lambda's count, and faults that it logged but answered for, which Lambda does
 * not know of. Often they are one and the same; so it is the greater number, not the sum.
 */
export function failuresOf(operation: OperationFunction): MathExpression {
  return new MathExpression({
    label: operation.name,
    // Of the faults there are no data most of the time.
    expression: "MAX(METRICS())",
    usingMetrics: {
      errors: operation.lambda.metricErrors({ statistic: Stats.SUM }),
      faults: counted(operation, loggedBy(operation.name)),
    },
  });
}

/**
 * What went wrong in a function that throws to refuse a caller, by its log alone: Lambda counts each refusal as an error
 * of the function, and anybody could raise its alarm by connecting without a token.
 */
export function failuresBesideRefusals(operation: OperationFunction): Metric {
  return counted(operation, any(loggedBy(operation.name), brokenOff));
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

/** The metric that this makes. */
export const limitMetric = ({ lambda }: OperationFunction) =>
  new Metric({
    namespace: Stack.of(lambda).stackName,
    metricName: "KeyLimitReached",
    statistic: Stats.SUM,
  });

function counted({ name, lambda }: OperationFunction, filterPattern: JsonPattern): Metric {
  const filter = lambda.logGroup.addMetricFilter("Faults", {
    filterPattern,
    metricNamespace: Stack.of(lambda).stackName,
    metricName: `${name}Faults`,
  });
  return filter.metric({ statistic: Stats.SUM });
}
