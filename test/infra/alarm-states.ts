import { evaluate, type Series } from "./metric-math.ts";

export type Metric = {
  MetricName: string;
  Namespace: string;
  Dimensions?: { Name: string; Value: unknown }[];
};

export type AlarmProperties = {
  AlarmActions?: string[];
  AlarmDescription: string;
  ComparisonOperator: string;
  DatapointsToAlarm?: number;
  Dimensions?: { Name: string; Value: unknown }[];
  EvaluationPeriods: number;
  MetricName?: string;
  Metrics?: {
    Id: string;
    Expression?: string;
    MetricStat?: { Metric: Metric; Period: number; Stat: string };
  }[];
  Namespace?: string;
  Period?: number;
  Statistic?: string;
  Threshold: number;
  TreatMissingData: string;
};

export type State = "INSUFFICIENT_DATA" | "OK" | "ALARM";

/** What is reported of a metric in each minute, or undefined for no data. */
export type Feed = (metric: Metric) => (minute: number) => number | undefined;

type Input = { id: string; metric: Metric; minutes: number; statistic: string };

/** The metrics of an alarm. */
export function metricsOf(alarm: AlarmProperties): Input[] {
  const { MetricName, Namespace, Dimensions = [], Period, Statistic } = alarm;
  if (MetricName !== undefined && Namespace !== undefined && Period !== undefined && Statistic !== undefined)
    return [
      { id: "m", metric: { MetricName, Namespace, Dimensions }, minutes: Period / 60, statistic: Statistic },
    ];
  return (alarm.Metrics ?? []).flatMap(({ Id: id, MetricStat }) =>
    MetricStat === undefined
      ? []
      : [{ id, metric: MetricStat.Metric, minutes: MetricStat.Period / 60, statistic: MetricStat.Stat }],
  );
}

const expressionOf = ({ Metrics = [] }: AlarmProperties) =>
  Metrics.find(({ Expression }) => Expression !== undefined)?.Expression ?? "m";

/** The length of an alarm's periods in minutes. */
export function periodOf(alarm: AlarmProperties): number {
  const [first, ...others] = metricsOf(alarm);
  if (first === undefined || others.some(({ minutes }) => minutes !== first.minutes))
    throw new Error("An alarm has one period");
  return first.minutes;
}

/** CloudWatch looks at more periods than it evaluates. How many is not documented; its examples have two. */
const more = 2;

/** Metrics arrive late. */
const delayMinutes = 2;

/**
 * The states that an alarm takes one after the other, from its creation in minute 0 on. The rules are those of AWS's page about
 * missing data.
 */
export function statesOf(alarm: AlarmProperties, feed: Feed, minutes: number): State[] {
  const inputs = metricsOf(alarm).map((input) => ({ ...input, reported: feed(input.metric) }));
  const expression = expressionOf(alarm);
  const period = periodOf(alarm);
  const states: State[] = ["INSUFFICIENT_DATA"];
  for (let now = 0; now <= minutes; now += Math.ceil(period / 2)) {
    const start = now - (alarm.EvaluationPeriods + more) * period;
    const seriesOf = ({ reported, statistic }: (typeof inputs)[number]): Series =>
      Array.from({ length: alarm.EvaluationPeriods + more }, (_, index) => {
        const from = start + index * period;
        const data: number[] = [];
        for (let minute = from; minute < Math.min(from + period, now - delayMinutes); minute++) {
          const value = reported(minute);
          if (value !== undefined) data.push(value);
        }
        return aggregate(data, statistic);
      });
    const points = evaluate(expression, Object.fromEntries(inputs.map((each) => [each.id, seriesOf(each)])));
    const state = nextState(alarm, points, states.at(-1) ?? "INSUFFICIENT_DATA");
    if (state !== states.at(-1)) states.push(state);
  }
  return states;
}

function aggregate(values: number[], statistic: string): number | undefined {
  if (values.length === 0) return undefined;
  if (statistic === "Sum") return values.reduce((total, each) => total + each);
  if (statistic === "Maximum") return Math.max(...values);
  throw new Error(`The statistic ${statistic} is not emulated`);
}

/** The state that follows from all points that CloudWatch looks at. */
export function nextState(alarm: AlarmProperties, points: Series, current: State): State {
  const { EvaluationPeriods, DatapointsToAlarm = EvaluationPeriods } = alarm;
  const present = points.filter((point) => point !== undefined).slice(-EvaluationPeriods);
  const breaching = present.filter((point) => isBreaching(alarm, point)).length;
  if (breaching >= DatapointsToAlarm) return "ALARM";
  if (present.length === EvaluationPeriods) return "OK";
  switch (treatmentOf(alarm)) {
    case "notBreaching":
      return "OK";
    case "breaching":
      return breaching + EvaluationPeriods - present.length >= DatapointsToAlarm ? "ALARM" : "OK";
    case "ignore":
      return present.length > breaching ? "OK" : current;
    default:
      throw new Error(`${alarm.TreatMissingData} is not emulated`);
  }
}

/** Whatever an alarm says, it ignores what is missing of DynamoDB. */
const treatmentOf = (alarm: AlarmProperties) =>
  metricsOf(alarm).some(({ metric }) => metric.Namespace === "AWS/DynamoDB")
    ? "ignore"
    : alarm.TreatMissingData;

function isBreaching({ ComparisonOperator, Threshold }: AlarmProperties, value: number): boolean {
  switch (ComparisonOperator) {
    case "GreaterThanOrEqualToThreshold":
      return value >= Threshold;
    case "GreaterThanThreshold":
      return value > Threshold;
    case "LessThanThreshold":
      return value < Threshold;
    default:
      throw new Error(`${ComparisonOperator} is not emulated`);
  }
}
