import { only, propertiesOf, synthesize, type Template } from "./synthesized.ts";

type Metric = { MetricName: string; Namespace?: string; Dimensions?: { Name: string; Value: unknown }[] };

export type AlarmProperties = {
  AlarmActions?: string[];
  AlarmDescription: string;
  ComparisonOperator: string;
  Dimensions?: { Name: string; Value: unknown }[];
  EvaluationPeriods: number;
  MetricName?: string;
  Metrics?: { Expression?: string; MetricStat?: { Metric: Metric; Period: number; Stat: string } }[];
  Namespace?: string;
  Period?: number;
  Statistic?: string;
  Threshold: number;
  TreatMissingData: string;
};

export const alarmsOf = (context?: Record<string, unknown>) =>
  propertiesOf<AlarmProperties>(synthesize(context).api, "AWS::CloudWatch::Alarm");

/** The one alarm on a metric of which the text of the dimensions has a part. */
export function alarmOn(alarms: readonly AlarmProperties[], metricName: string, dimension = "") {
  const [alarm, ...others] = alarms.filter(
    ({ MetricName, Dimensions }) =>
      MetricName === metricName && JSON.stringify(Dimensions ?? []).includes(dimension),
  );
  if (alarm === undefined || others.length > 0)
    throw new Error(`${others.length + Number(alarm !== undefined)} alarms on ${metricName}`);
  return alarm;
}

/** The titles and labels of the dashboard, as text. */
export const dashboardOf = (api: Template) =>
  JSON.stringify(only(api, "AWS::CloudWatch::Dashboard").Properties);
