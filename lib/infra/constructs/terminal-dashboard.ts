import { Dashboard, GraphWidget, type IMetric, Stats } from "aws-cdk-lib/aws-cloudwatch";
import type { Construct } from "constructs";
import { sumOverCalls } from "./table-metrics.ts";
import type { Watched } from "./watched.ts";

/** One page from the callers down to the table: how much, how wrong, how slow. */
export class TerminalDashboard extends Dashboard {
  constructor(scope: Construct, id: string, { endpoints, authorizer, stage, table }: Watched) {
    const functions = [authorizer, ...endpoints.map(({ operation }) => operation)];
    super(scope, id, {
      widgets: [
        [
          graph(
            "Requests",
            endpoints.map(({ operation: { name }, method }) => method.metricCount(stage, { label: name })),
          ),
          graph(
            "Refused and failed requests",
            endpoints.flatMap(({ operation: { name }, method }) => [
              method.metricClientError(stage, { label: `${name} 4xx` }),
              method.metricServerError(stage, { label: `${name} 5xx` }),
            ]),
          ),
          graph(
            "Latency",
            endpoints.flatMap(({ operation: { name }, method }) =>
              percentiles.map((statistic) =>
                method.metricLatency(stage, { statistic, label: `${name} ${statistic}` }),
              ),
            ),
          ),
        ],
        [
          graph(
            "Function durations",
            functions.flatMap(({ name, lambda }) =>
              percentiles.map((statistic) =>
                lambda.metricDuration({ statistic, label: `${name} ${statistic}` }),
              ),
            ),
          ),
          graph(
            "Function errors",
            functions.map(({ name, lambda }) => lambda.metricErrors({ label: name })),
          ),
        ],
        [
          graph("Table: throttled requests", [sumOverCalls(table, "ThrottledRequests")]),
          graph("Table: consumed capacity", [
            table.metricConsumedReadCapacityUnits({ label: "read units" }),
            table.metricConsumedWriteCapacityUnits({ label: "write units" }),
          ]),
        ],
      ],
    });
  }
}

const percentiles = [Stats.p(50), Stats.p(99)];

const graph = (title: string, left: IMetric[]) => new GraphWidget({ title, left, width: 8 });
