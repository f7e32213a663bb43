import { describe, expect, it } from "vitest";
import { type Operation, operations } from "../../lib/operations.ts";
import { alarmOn, alarmsOf } from "./alarm-properties.ts";
import { propertiesOf, synthesize } from "./synthesized.ts";

type FilterProperties = {
  FilterPattern: string;
  LogGroupName: { Ref: string };
  MetricTransformations: { MetricName: string; MetricNamespace: string; MetricValue: string }[];
};

const alarms = alarmsOf();
const filters = propertiesOf<FilterProperties>(synthesize().api, "AWS::Logs::MetricFilter");
const filterOf = (name: string) =>
  filters.find(({ LogGroupName }) => new RegExp(`^${name}Log[0-9A-F]{8}$`).test(LogGroupName.Ref));

const logged = (name: string) => `($.level = "ERROR") && ($.message.operation = "${name}")`;
const counting = (name: string) => [
  { MetricName: `${name}Faults`, MetricNamespace: "TerminalApi", MetricValue: "1" },
];

const behindTheScenes = Object.entries<Operation>(operations).filter(
  ([, { kind }]) => kind !== "rest" && kind !== "authorizer",
);

describe("the alarms of real time", () => {
  it.each(behindTheScenes)("tell when %s fails, also where it answers for it", (name, { impact }) => {
    expect(filterOf(name)).toMatchObject({
      FilterPattern: `{ ${logged(name)} }`,
      MetricTransformations: counting(name),
    });
    const [alarm, ...others] = alarms.filter(({ Metrics }) =>
      Metrics?.some(({ MetricStat }) => MetricStat?.Metric.MetricName === `${name}Faults`),
    );
    expect(others).toEqual([]);
    expect(alarm).toMatchObject({ Threshold: 3, TreatMissingData: "notBreaching" });
    expect(alarm?.AlarmDescription).toContain(impact);
    expect(alarm?.AlarmDescription).toContain("Look first at");
    const [{ Expression } = {}, ...metrics] = alarm?.Metrics ?? [];
    expect(Expression).toBe("MAX(METRICS())");
    expect(metrics.map(({ MetricStat }) => MetricStat)).toEqual([
      {
        Metric: {
          Namespace: "AWS/Lambda",
          MetricName: "Errors",
          Dimensions: [{ Name: "FunctionName", Value: { Ref: expect.stringMatching(`^${name}Function`) } }],
        },
        Period: 300,
        Stat: "Sum",
      },
      {
        Metric: { Namespace: "TerminalApi", MetricName: `${name}Faults` },
        Period: 300,
        Stat: "Sum",
      },
    ]);
  });

  it("tell when connections cannot be authorized, and not when they are refused", () => {
    const brokenOff =
      '($.type = "platform.report") && (($.record.status = "timeout") || ($.record.errorType = "Runtime.*"))';
    expect(filterOf("authorizeConnection")).toMatchObject({
      FilterPattern: `{ (${logged("authorizeConnection")}) || (${brokenOff}) }`,
      MetricTransformations: counting("authorizeConnection"),
    });
    const alarm = alarmOn(alarms, "authorizeConnectionFaults");
    expect(alarm).toMatchObject({ Namespace: "TerminalApi", Statistic: "Sum", Period: 300, Threshold: 3 });
    expect(alarm.AlarmDescription).toContain(operations.authorizeConnection.impact);
    const errors = alarms.filter((each) => /"Errors"/.test(JSON.stringify(each)));
    expect(JSON.stringify(errors)).not.toContain("authorizeConnection");
  });

  it("tell when changes are published late", () => {
    const alarm = alarmOn(alarms, "IteratorAge", '"publishChangesFunction');
    expect(alarm).toMatchObject({
      ComparisonOperator: "GreaterThanThreshold",
      Period: 300,
      Statistic: "Maximum",
      Threshold: 60_000,
    });
    expect(alarm.AlarmDescription).toContain(operations.publishChanges.impact);
  });

  it("tell when a change was given up", () => {
    const alarm = alarmOn(alarms, "ApproximateNumberOfMessagesVisible", '"ChangesFailed');
    expect(alarm).toMatchObject({
      ComparisonOperator: "GreaterThanOrEqualToThreshold",
      Statistic: "Maximum",
      Threshold: 1,
    });
  });

  it("tell when prices are not fetched, unless that is switched off", () => {
    const alarm = alarmOn(alarms, "Invocations", '"feedPricesFunction');
    expect(alarm).toMatchObject({
      ComparisonOperator: "LessThanThreshold",
      Period: 300,
      Statistic: "Sum",
      Threshold: 1,
      TreatMissingData: "breaching",
    });
    expect(alarm.AlarmDescription).toContain(operations.feedPrices.impact);
    const off = alarmsOf({ priceFeeds: [] });
    expect(off.filter(({ MetricName }) => MetricName === "Invocations")).toEqual([]);
    expect(off).toHaveLength(alarms.length - 1);
  });
});
