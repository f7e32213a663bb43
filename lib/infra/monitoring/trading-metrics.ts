import { MathExpression, type Metric, Stats } from "aws-cdk-lib/aws-cloudwatch";
import { FilterPattern, MetricFilter } from "aws-cdk-lib/aws-logs";
import type { Construct } from "constructs";
import { type LandingPath, landingPaths } from "../../chains/sol/rules/landings.ts";
import type { TradingChain } from "../../core/chain-facts.ts";
import { errorName } from "../../core/service-error.ts";
import type { OperationName } from "../../operations/operations.ts";
import type { LaneTrouble } from "../../orders/lane-trouble.ts";
import {
  hostsAsked,
  jupiterAnswered,
  orderSettled,
  signatureMade,
  signaturePostponed,
  signatureRefused,
} from "../../runtime/log.ts";
import type { OperationFunction } from "../functions/operation-functions.ts";
import { countedLines, logMetric } from "./log-metrics.ts";

/** Matches a line of logWarning. */
const warnedBy = (name: OperationName) =>
  FilterPattern.all(
    FilterPattern.stringValue("$.level", "=", "WARN"),
    FilterPattern.stringValue("$.message.operation", "=", name),
  );

/** Warnings of sweepLanes, which it logs every minute as long as their cause lasts. */
export type TradingTrouble = "CHAIN_UNAVAILABLE" | "READER_MISSING" | LaneTrouble;

/** Counts how often a warning was logged, as one number for all chains. */
export const troublesSeen = (
  scope: Construct,
  { lambda }: OperationFunction,
  trouble: TradingTrouble,
): Metric =>
  countedLines(
    scope,
    errorName(trouble),
    [lambda.logGroup],
    FilterPattern.all(
      warnedBy("sweepLanes"),
      FilterPattern.stringValue("$.message.error", "=", errorName(trouble)),
    ),
  );

/** Adds up the units of hosts that these functions have spent. There is a metric, and a cost, only while hosts are asked. */
export const hostUnits = (scope: Construct, functions: readonly OperationFunction[]): Metric =>
  countedLines(
    scope,
    hostUnitsName,
    functions.map(({ lambda }) => lambda.logGroup),
    FilterPattern.stringValue("$.message.event", "=", hostsAsked),
    "$.message.units",
  );

/** Metric fed by {@link hostUnits}. */
export const hostUnitsMetric = ({ lambda }: OperationFunction) => logMetric(lambda.logGroup, hostUnitsName);

const hostUnitsName = "HostUnits";

/**
 * Counts requests that Jupiter refused, if it refused all of them with a 400, and otherwise those that it answered with
 * a 429. The metrics have data, and cost, only while Jupiter is asked.
 */
export function jupiterRefusals(scope: Construct, functions: readonly OperationFunction[]): MathExpression {
  const logs = functions.map(({ lambda }) => lambda.logGroup);
  const pattern = FilterPattern.stringValue("$.message.event", "=", jupiterAnswered);
  const summed = (name: string, field: string) =>
    countedLines(scope, name, logs, pattern, `$.message.${field}`);
  return new MathExpression({
    label: "JupiterRefusing",
    expression: "IF(FILL(refused, 0) >= FILL(asked, 0), FILL(refused, 0), FILL(limited, 0))",
    usingMetrics: {
      asked: summed("JupiterAsked", "asked"),
      refused: summed("JupiterRefused", "refused"),
      limited: summed("JupiterLimited", "limited"),
    },
  });
}

/** Counts minutes in which followers of tokens got no new prices, from warnings of readMarkets and sweepLanes. */
export const staleMarketsSeen = (scope: Construct, functions: readonly OperationFunction[]): Metric =>
  countedLines(
    scope,
    "MarketsStale",
    functions.map(({ lambda }) => lambda.logGroup),
    FilterPattern.stringValue("$.message.error", "=", "MarketsStale"),
  );

/** Counts requests that the signer refused, from the lines of logRefusal (lib/runtime/log.ts). */
export const refusedSignatures = (scope: Construct, { lambda }: OperationFunction): Metric =>
  countedLines(
    scope,
    "SignatureRefused",
    [lambda.logGroup],
    FilterPattern.stringValue("$.message.event", "=", signatureRefused),
  );

/**
 * Counts postponed requests if the signer postponed more than it signed. A refusal reports only a streak of postponed
 * requests in one instance, but this also notices requests spread over many instances.
 */
export function postponedSignatures(scope: Construct, { lambda }: OperationFunction): MathExpression {
  const counting = (name: string, event: string) =>
    countedLines(scope, name, [lambda.logGroup], FilterPattern.stringValue("$.message.event", "=", event));
  return new MathExpression({
    label: "SignaturesPostponed",
    expression: "IF(FILL(postponed, 0) > FILL(signed, 0), FILL(postponed, 0), 0)",
    usingMetrics: {
      postponed: counting("SignaturePostponed", signaturePostponed),
      signed: counting("SignatureMade", signatureMade),
    },
  });
}

/**
 * Computes, for each path, the percentage of signed messages of settled Solana orders that are in a block, from the
 * lines of logLandings (lib/runtime/log.ts). A path has metrics, and costs, only while it is used.
 */
export function landingRates(scope: Construct, { lambda: { logGroup } }: OperationFunction) {
  const summed = (metricName: string, field: string) => {
    const metric = logMetric(logGroup, metricName);
    new MetricFilter(scope, metricName, {
      logGroup,
      filterPattern: FilterPattern.stringValue("$.message.event", "=", orderSettled),
      metricNamespace: metric.namespace,
      metricName,
      metricValue: `$.message.${field}`,
      dimensions: { Path: "$.message.path" },
    });
    return (Path: LandingPath) => metric.with({ dimensionsMap: { Path } });
  };
  const [signed, landed] = [summed("SolSigned", "signed"), summed("SolLanded", "landed")];
  return landingPaths.map(
    (path) =>
      new MathExpression({
        label: path,
        expression: `100 * ${path}Landed / ${path}Signed`,
        usingMetrics: { [`${path}Landed`]: landed(path), [`${path}Signed`]: signed(path) },
      }),
  );
}

/** Matches log lines of logHostUnits (lib/runtime/log.ts) with the time of an order's first broadcast. */
const broadcastIn = (comparison: ">" | "<=" | ">=", ms: number) =>
  FilterPattern.all(
    FilterPattern.stringValue("$.message.event", "=", hostsAsked),
    FilterPattern.numberValue("$.message.broadcastMs", comparison, ms),
  );

/** Time after which a broadcast is late. A cold start of all functions and slow hosts together take less. */
const lateMs = 5000;

/**
 * Computes, for each chain, the median and the 95th percentile of the time from a request to its order's broadcast. A
 * chain has a metric, and costs, only while it is used.
 */
export function broadcastTimes(
  scope: Construct,
  { lambda: { logGroup } }: OperationFunction,
  chains: readonly TradingChain[],
): Metric[] {
  const metric = logMetric(logGroup, "TimeToBroadcast");
  new MetricFilter(scope, "TimeToBroadcast", {
    logGroup,
    filterPattern: broadcastIn(">=", 0),
    metricNamespace: metric.namespace,
    metricName: metric.metricName,
    metricValue: "$.message.broadcastMs",
    dimensions: { Chain: "$.message.chain" },
  });
  return chains.flatMap((Chain) =>
    [Stats.p(50), Stats.p(95)].map((statistic) =>
      metric.with({ dimensionsMap: { Chain }, statistic, label: `${Chain} ${statistic}` }),
    ),
  );
}

/** Counts late broadcasts on all chains, where they are more than one in twenty. */
export function lateBroadcasts(scope: Construct, { lambda }: OperationFunction): MathExpression {
  const counting = (name: string, comparison: ">" | "<=") =>
    countedLines(scope, name, [lambda.logGroup], broadcastIn(comparison, lateMs));
  return new MathExpression({
    label: "BroadcastsLate",
    expression: "IF(FILL(late, 0) * 19 > FILL(prompt, 0), FILL(late, 0), 0)",
    usingMetrics: {
      late: counting("LateBroadcasts", ">"),
      prompt: counting("PromptBroadcasts", "<="),
    },
  });
}
