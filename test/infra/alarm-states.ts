export type Metric = {
  MetricName: string;
  Namespace: string;
  Dimensions?: { Name: string; Value: unknown }[];
};

export type AlarmProperties = Partial<Metric> & {
  AlarmActions?: string[];
  AlarmDescription: string;
  ComparisonOperator: string;
  DatapointsToAlarm?: number;
  EvaluationPeriods: number;
  Metrics?: {
    Id: string;
    Expression?: string;
    MetricStat?: { Metric: Metric; Period: number; Stat: string };
  }[];
  Period?: number;
  Statistic?: string;
  Threshold: number;
  TreatMissingData: string;
};

export type State = "INSUFFICIENT_DATA" | "OK" | "ALARM";

/** Returns the value of a metric in each minute, or undefined for no data. */
export type Feed = (metric: Metric) => (minute: number) => number | undefined;

/** One value for each period, or undefined for no data. */
type Series = readonly (number | undefined)[];

export function metricsOf(alarm: AlarmProperties): { metric: Metric; minutes: number; statistic: string }[] {
  const { MetricName, Namespace, Dimensions = [], Period, Statistic = "" } = alarm;
  if (MetricName !== undefined && Namespace !== undefined && Period !== undefined)
    return [{ metric: { MetricName, Namespace, Dimensions }, minutes: Period / 60, statistic: Statistic }];
  return (alarm.Metrics ?? [])
    .flatMap(({ MetricStat }) => MetricStat ?? [])
    .map(({ Metric, Period, Stat }) => ({ metric: Metric, minutes: Period / 60, statistic: Stat }));
}

/** Length of an alarm's periods, in minutes. */
export function periodOf(alarm: AlarmProperties): number {
  const [first, ...others] = metricsOf(alarm);
  if (first === undefined || others.some(({ minutes }) => minutes !== first.minutes))
    throw new Error("An alarm has one period");
  return first.minutes;
}

const aggregates: Record<string, (values: number[]) => number> = {
  Sum: (values) => values.reduce((total, each) => total + each),
  Maximum: (values) => Math.max(...values),
};

/** Combines the values of several series in each period. */
const combine = (all: readonly Series[], statistic: string, none?: number): Series =>
  (all[0] ?? []).map((_, index) => {
    const present = all.map((each) => each[index]).filter((each) => each !== undefined);
    return present.length === 0 ? none : aggregates[statistic]?.(present);
  });

/** Implements the metric math of alarms, with FILL and missing data as AWS documents them. */
const expressions: Record<string, (all: readonly Series[]) => Series> = {
  "MAX(METRICS())": (all) => combine(all, "Maximum"),
  "SUM(FILL(METRICS(), 0)) + TIME_SERIES(0)": (all) => combine(all, "Sum", 0),
  "IF(FILL(postponed, 0) > FILL(signed, 0), FILL(postponed, 0), 0)": ([postponed = [], signed = []]) =>
    postponed.map((each = 0, index) => (each > (signed[index] ?? 0) ? each : 0)),
  "IF(FILL(refused, 0) >= FILL(asked, 0), FILL(refused, 0), FILL(limited, 0))": ([
    asked = [],
    refused = [],
    limited = [],
  ]) =>
    asked.map((all = 0, index) =>
      (refused[index] ?? 0) >= all ? (refused[index] ?? 0) : (limited[index] ?? 0),
    ),
  "IF(FILL(late, 0) * 19 > FILL(prompt, 0), FILL(late, 0), 0)": ([late = [], prompt = []]) =>
    late.map((each = 0, index) => (each * 19 > (prompt[index] ?? 0) ? each : 0)),
  "IF(FILL(runs, REPEAT), FILL(runs, 0))"([runs = []]) {
    const first = runs.findIndex((each) => each !== undefined);
    return runs.map((each, index) => (first === -1 || index < first ? undefined : (each ?? 0)));
  },
};

/** Number of periods that CloudWatch looks at beyond those it evaluates. Undocumented; AWS's examples have two. */
const usuallyMore = 2;

/** Time until a metric's data arrives, in minutes. */
const delayMinutes = 2;

/** Lists the states of an alarm in order, starting with its creation in minute 0. */
export function statesOf(alarm: AlarmProperties, feed: Feed, minutes: number, more = usuallyMore): State[] {
  const inputs = metricsOf(alarm).map(({ metric, statistic }) => ({ statistic, reported: feed(metric) }));
  const { Expression } = alarm.Metrics?.find((each) => each.Expression !== undefined) ?? {};
  const evaluate = Expression === undefined ? ([only = []]: Series[]) => only : expressions[Expression];
  if (evaluate === undefined) throw new Error(`${Expression} is not emulated`);
  const period = periodOf(alarm);
  const states: State[] = ["INSUFFICIENT_DATA"];
  for (let now = 0; now <= minutes; now += Math.ceil(period / 2)) {
    const start = now - (alarm.EvaluationPeriods + more) * period;
    const seriesOf = ({ reported, statistic }: (typeof inputs)[number]): Series =>
      Array.from({ length: alarm.EvaluationPeriods + more }, (_, index) => {
        const from = start + index * period;
        const count = Math.max(0, Math.min(period, now - delayMinutes - from));
        const data = Array.from({ length: count }, (_, minute) => reported(from + minute));
        const present = data.filter((value) => value !== undefined);
        return present.length === 0 ? undefined : aggregates[statistic]?.(present);
      });
    const state = nextState(alarm, evaluate(inputs.map(seriesOf)), states.at(-1) ?? "INSUFFICIENT_DATA");
    if (state !== states.at(-1)) states.push(state);
  }
  return states;
}

const breaches: Record<string, (value: number, threshold: number) => boolean> = {
  GreaterThanOrEqualToThreshold: (value, threshold) => value >= threshold,
  GreaterThanThreshold: (value, threshold) => value > threshold,
  LessThanThreshold: (value, threshold) => value < threshold,
};

/**
 * Derives the state from all points that CloudWatch looks at, by the rules of AWS's page about missing data.
 */
export function nextState(alarm: AlarmProperties, points: Series, current: State): State {
  const { EvaluationPeriods, DatapointsToAlarm = EvaluationPeriods, ComparisonOperator, Threshold } = alarm;
  const present = points.filter((point) => point !== undefined).slice(-EvaluationPeriods);
  const breaching = present.filter((point) => breaches[ComparisonOperator]?.(point, Threshold)).length;
  if (breaching >= DatapointsToAlarm) return "ALARM";
  if (present.length === EvaluationPeriods) return "OK";
  // CloudWatch ignores missing data in DynamoDB's metrics, whatever the alarm's setting.
  const ignores =
    alarm.TreatMissingData === "ignore" ||
    metricsOf(alarm).some(({ metric }) => metric.Namespace === "AWS/DynamoDB");
  return ignores && present.length === breaching ? current : "OK";
}
