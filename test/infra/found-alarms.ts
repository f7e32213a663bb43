import type { AlarmProperties } from "./alarm-states.ts";
import { customContext, propertiesOf, synthesize, watchOf } from "./synthesized.ts";

export const alarmsOf = (context?: Record<string, unknown>): AlarmProperties[] =>
  propertiesOf<AlarmProperties>(watchOf(synthesize(context)), "AWS::CloudWatch::Alarm");

/** Finds the only alarm on a metric whose dimensions, as text, contain these parts. */
export function alarmOn(
  alarms: readonly AlarmProperties[],
  metricName: string,
  ...parts: string[]
): AlarmProperties {
  const [alarm, ...others] = alarms.filter(
    ({ MetricName, Dimensions }) =>
      MetricName === metricName && parts.every((part) => JSON.stringify(Dimensions ?? []).includes(part)),
  );
  if (alarm === undefined || others.length > 0)
    throw new Error(`${others.length + Number(alarm !== undefined)} alarms on ${metricName}`);
  return alarm;
}

type FilterProperties = {
  FilterPattern: string;
  LogGroupName: { Ref: string };
  MetricTransformations: { MetricName: string; MetricNamespace: string; MetricValue: string }[];
};

const filters = propertiesOf<FilterProperties>(watchOf(synthesize(customContext)), "AWS::Logs::MetricFilter");
/** Lists the filters that feed a metric. */
export const filtersFor = (metricName: string): FilterProperties[] =>
  filters.filter(({ MetricTransformations: [metric] }) => metric?.MetricName === metricName);
