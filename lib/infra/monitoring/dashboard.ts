import { Duration } from "aws-cdk-lib";
import { Dashboard, GraphWidget, type IMetric, type IWidget, Stats } from "aws-cdk-lib/aws-cloudwatch";
import type { Construct } from "constructs";
import type { TradingChain } from "../../core/chain-facts.ts";
import type { OperationFunction } from "../functions/operation-functions.ts";
import {
  failedRequests,
  limitMetric,
  requestMetric,
  streamMetric,
  sumOverCalls,
  type Watched,
} from "./metrics.ts";
import { broadcastTimes, hostUnitsMetric, landingRates } from "./trading-metrics.ts";

/** A dashboard of traffic, errors and latency, from the callers down to the table. */
export class TerminalDashboard extends Dashboard {
  constructor(scope: Construct, id: string, watched: Watched, chains: readonly TradingChain[]) {
    const all = watched.functions.all();
    const ofRequests = all.filter(
      ({ name, row }) => row.kind === "rest" || row.kind === "refusal" || name === "authorize",
    );
    const ofPlans = all.filter(({ row }) => row.plans.length > 0);
    const ofRealTime = all.filter((each) => !ofRequests.includes(each) && !ofPlans.includes(each));
    super(scope, id, {
      widgets: [
        requests(watched),
        functions("Requests", ofRequests),
        connections(watched),
        changes(watched),
        functions("Real time", ofRealTime),
        [...functions("Plans", ofPlans), plans(watched)],
        table(watched),
        chains.length > 0 ? trading(scope, watched, chains) : [],
      ],
    });
  }
}

function requests({ api, endpoints }: Watched): IWidget[] {
  const of = (metricName: string, statistic: string, label: string) =>
    requestMetric(api, metricName, { statistic, label });
  return [
    graph("Requests: all, refused and failed", [
      of("Count", Stats.SAMPLE_COUNT, "all"),
      of("4XXError", Stats.SUM, "4xx"),
      of("5XXError", Stats.SUM, "5xx"),
    ]),
    graph(
      "Failed requests",
      endpoints.map((endpoint) => failedRequests(endpoint, api).with({ label: endpoint.operation.name })),
    ),
    graph(
      "Latency",
      percentiles.map((statistic) => of("Latency", statistic, statistic)),
    ),
  ];
}

function functions(title: string, operations: readonly OperationFunction[]): IWidget[] {
  return [
    graph(`${title}: function durations`, operations.flatMap(durations)),
    graph(
      `${title}: function errors`,
      operations.map(({ name, lambda }) => lambda.metricErrors({ label: name })),
    ),
    graph(
      `${title}: rejected calls`,
      operations.map(({ name, lambda }) => lambda.metricThrottles({ label: name })),
    ),
  ];
}

function connections({ stream }: Watched): IWidget[] {
  const sumOf = (metricName: string) =>
    streamMetric(stream, metricName, { statistic: Stats.SUM, label: metricName });
  return [
    graph("Connections opened", [sumOf("ConnectCount")]),
    graph("Messages, in and out", [sumOf("MessageCount")]),
    graph("Refused and failed messages", ["ClientError", "IntegrationError", "ExecutionError"].map(sumOf)),
  ];
}

function changes({ functions, changes }: Watched): IWidget[] {
  const { lambda } = functions.get("publishChanges");
  return [
    graph("Age of changes when published", [
      lambda.metric("IteratorAge", { statistic: Stats.MAXIMUM, label: "milliseconds" }),
    ]),
    graph("Deliveries of prices", [
      functions.get("deliver").lambda.metricInvocations({ label: "invocations, one per shard" }),
    ]),
    graph("Changes given up", [
      changes.failed.metricApproximateNumberOfMessagesVisible({ statistic: Stats.MAXIMUM, label: "batches" }),
    ]),
  ];
}

function plans({ functions }: Watched): IWidget {
  const mirror = functions.get("mirrorPlans");
  return graph("Profile changes waiting for their plan", [
    mirror.lambda.metric("IteratorAge", { statistic: Stats.MAXIMUM, label: "milliseconds" }),
    limitMetric(mirror).with({ label: "no room for a key" }),
  ]);
}

function table({ table }: Watched): IWidget[] {
  return [
    graph("Table: throttled requests", [sumOverCalls(table, "ThrottledRequests")]),
    graph("Table: consumed capacity", [
      table.metricConsumedReadCapacityUnits({ label: "read units" }),
      table.metricConsumedWriteCapacityUnits({ label: "write units" }),
    ]),
  ];
}

function trading(scope: Construct, watched: Watched, chains: readonly TradingChain[]): IWidget[] {
  const { functions } = watched;
  return [
    graph(
      "Orders: milliseconds from the request to the first broadcast",
      broadcastTimes(scope, functions.get("executeOrders"), chains),
    ),
    graph("Hosts: units", [hostUnitsMetric(functions.get("sweepLanes")).with({ label: "units" })]),
    ...(chains.includes("sol") ? [landings(scope, watched)] : []),
  ];
}

/** Shows the messages that got into a block over a long period, because a shorter period would have very few orders. */
const landings = (scope: Construct, { functions }: Watched): IWidget =>
  graph(
    "Solana: messages in a block, in percent of those signed",
    landingRates(scope, functions.get("executeOrders")).map((rate) =>
      rate.with({ period: Duration.hours(1) }),
    ),
  );

const percentiles = [Stats.p(50), Stats.p(99)];

const durations = ({ name, lambda }: OperationFunction) =>
  percentiles.map((statistic) => lambda.metricDuration({ statistic, label: `${name} ${statistic}` }));

const graph = (title: string, left: IMetric[]) => new GraphWidget({ title, left, width: 8 });
