import { describe, expect, it } from "vitest";
import type { Operation } from "../../lib/operation-types.ts";
import { operations, operationsOf } from "../../lib/operations.ts";
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
  filters.find(
    ({ LogGroupName, MetricTransformations: [metric] }) =>
      new RegExp(`^${name}Log[0-9A-F]{8}$`).test(LogGroupName.Ref) && metric?.MetricName === `${name}Faults`,
  );

const logged = (name: string) => `($.level = "ERROR") && ($.message.operation = "${name}")`;
const counting = (name: string) => [
  { MetricName: `${name}Faults`, MetricNamespace: "TerminalApi", MetricValue: "1" },
];

/** Three failures within five minutes; of what runs less often, three runs one after the other. */
const raisedBy = (row: Operation) =>
  row.kind === "schedule" && row.everyMinutes >= 5
    ? { Threshold: 1, EvaluationPeriods: 3, period: row.everyMinutes * 60 }
    : { Threshold: 3, EvaluationPeriods: 1, period: 300 };

const behindTheScenes = Object.entries<Operation>(operations).filter(
  ([, { kind }]) => kind !== "rest" && kind !== "authorizer",
);

describe("the alarms of real time", () => {
  it.each(behindTheScenes)("tell when %s fails, also where it answers for it", (name, row) => {
    const { period, ...raised } = raisedBy(row);
    expect(filterOf(name)).toMatchObject({
      FilterPattern: `{ ${logged(name)} }`,
      MetricTransformations: counting(name),
    });
    const [alarm, ...others] = alarms.filter(({ Metrics }) =>
      Metrics?.some(({ MetricStat }) => MetricStat?.Metric.MetricName === `${name}Faults`),
    );
    expect(others).toEqual([]);
    expect(alarm).toMatchObject({ ...raised, TreatMissingData: "notBreaching" });
    expect(alarm?.AlarmDescription).toContain(row.impact);
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
        Period: period,
        Stat: "Sum",
      },
      {
        Metric: { Namespace: "TerminalApi", MetricName: `${name}Faults` },
        Period: period,
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

  it.each(operationsOf("changes"))("tell when %s is late", (name, { impact }) => {
    const alarm = alarmOn(alarms, "IteratorAge", `"${name}Function`);
    expect(alarm).toMatchObject({
      ComparisonOperator: "GreaterThanThreshold",
      Period: 300,
      Statistic: "Maximum",
      Threshold: 60_000,
    });
    expect(alarm.AlarmDescription).toContain(impact);
  });

  it("tell when a change was given up", () => {
    const alarm = alarmOn(alarms, "ApproximateNumberOfMessagesVisible", '"ChangesFailed');
    expect(alarm).toMatchObject({
      ComparisonOperator: "GreaterThanOrEqualToThreshold",
      Statistic: "Maximum",
      Threshold: 1,
    });
  });

  it("tell when there is no room for another key or another plan, and what to do then", () => {
    const limits = filters.find(
      ({ MetricTransformations: [metric] }) => metric?.MetricName === "KeyLimitReached",
    );
    const reached = ["KeyLimitReached", "PlanLimitReached"].map((name) => `($.message.error = "${name}")`);
    expect(limits).toEqual({
      FilterPattern: `{ (${logged("mirrorPlans")}) && (${reached.join(" || ")}) }`,
      LogGroupName: { Ref: expect.stringMatching(/^mirrorPlansLog/) },
      MetricTransformations: [
        { MetricName: "KeyLimitReached", MetricNamespace: "TerminalApi", MetricValue: "1" },
      ],
    });
    const alarm = alarmOn(alarms, "KeyLimitReached");
    expect(alarm).toMatchObject({ Namespace: "TerminalApi", Statistic: "Sum", Threshold: 1 });
    expect(alarm.AlarmDescription).toMatch(/10,000.*Look first at.*freeIdleKeys.*deleteRetiredKeys/);
  });

  it.each(operationsOf("schedule"))("tell when %s is not run", (name, { everyMinutes, impact }) => {
    const alarm = alarmOn(alarms, "Invocations", `"${name}Function`);
    expect(alarm).toMatchObject({
      ComparisonOperator: "LessThanThreshold",
      EvaluationPeriods: everyMinutes < 5 ? 1 : 2,
      Period: Math.max(5, everyMinutes) * 60,
      Statistic: "Sum",
      Threshold: 1,
      TreatMissingData: "breaching",
    });
    expect(alarm.AlarmDescription).toContain(impact);
  });

  it("do not wait for prices where those are switched off", () => {
    const off = alarmsOf({ priceFeeds: [] });
    expect(() => alarmOn(off, "Invocations", '"feedPricesFunction')).toThrow("0 alarms");
    expect(off).toHaveLength(alarms.length - 1);
  });
});
