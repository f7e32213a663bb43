import { Metric, Stats } from "aws-cdk-lib/aws-cloudwatch";
import { type IFilterPattern, type ILogGroup, MetricFilter } from "aws-cdk-lib/aws-logs";
import type { Construct } from "constructs";
import { deployedStackName } from "../functions/function-stack.ts";

/** Counts the log lines that match a pattern, or adds up one of their fields. */
export function countedLines(
  scope: Construct,
  metricName: string,
  logs: readonly ILogGroup[],
  filterPattern: IFilterPattern,
  metricValue = "1",
): Metric {
  const [first] = logs as [ILogGroup];
  const metric = logMetric(first, metricName);
  for (const logGroup of logs)
    new MetricFilter(scope, `${metricName}In${logGroup.node.scope?.node.id}${logGroup.node.id}`, {
      logGroup,
      filterPattern,
      metricNamespace: metric.namespace,
      metricName,
      metricValue,
    });
  return metric;
}

/** A metric that log filters feed. Its namespace is the stack of the APIs. */
export const logMetric = (log: ILogGroup, metricName: string) =>
  new Metric({ namespace: deployedStackName(log), metricName, statistic: Stats.SUM });
