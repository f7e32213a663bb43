import { describe, expect, it } from "vitest";
import { operations, operationsOf } from "../../lib/operations/operations.ts";
import type { Operation } from "../../lib/operations/types.ts";
import { type AlarmProperties, metricsOf, periodOf } from "./alarm-states.ts";
import { alarmOn, alarmsOf, filtersFor } from "./found-alarms.ts";
import { customContext, propertiesOf, synthesize } from "./synthesized.ts";

const filterOf = (name: string) =>
  filtersFor(`${name}Faults`).find(({ LogGroupName }) =>
    new RegExp(`^${name}Log[0-9A-F]{8}$`).test(LogGroupName.Ref),
  );

const logged = (name: string) => `($.level = "ERROR") && ($.message.operation = "${name}")`;
const counting = (name: string) => [
  { MetricName: `${name}Faults`, MetricNamespace: "TerminalApi", MetricValue: "1" },
];

/** Requires three failures within five minutes or, for rarer functions, three failed runs in a row. */
const raisedBy = (row: Operation) =>
  row.kind === "schedule" && row.everyMinutes >= 5
    ? { Threshold: 1, EvaluationPeriods: 3, period: row.everyMinutes * 60 }
    : { Threshold: 3, EvaluationPeriods: 1, period: 300 };

const background = Object.entries<Operation>(operations).filter(
  ([, { kind }]) => kind !== "rest" && kind !== "authorizer",
);

const tradingTroubles = ["OrderWithoutProgress", "LaneHeldTooLong", "ReaderMissing", "ChainUnavailable"];

const alarms = alarmsOf(customContext);

describe("the alarms on background work", () => {
  it.each(background)("counts failures of %s, including those that it answers", (name, row) => {
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

  it("counts failures of authorizeConnection, but not the connections that it refuses", () => {
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

  it.each(operationsOf("changes"))("raises an alarm when %s is late", (name, { impact }) => {
    const alarm = alarmOn(alarms, "IteratorAge", `"${name}Function`);
    expect(alarm).toMatchObject({
      ComparisonOperator: "GreaterThanThreshold",
      Period: 300,
      Statistic: "Maximum",
      Threshold: 60_000,
    });
    expect(alarm.AlarmDescription).toContain(impact);
  });

  it("raises an alarm if Lambda gives up on changes", () => {
    const alarm = alarmOn(alarms, "ApproximateNumberOfMessagesVisible", '"ChangesFailed');
    expect(alarm).toMatchObject({
      ComparisonOperator: "GreaterThanOrEqualToThreshold",
      Statistic: "Maximum",
      Threshold: 1,
    });
  });

  it("raises an alarm when a key is disabled or will be deleted, and names the call", () => {
    expect(alarmOn(alarms, "ApproximateNumberOfMessagesVisible", '"KeyNoticesQueue')).toMatchObject({
      ComparisonOperator: "GreaterThanOrEqualToThreshold",
      Statistic: "Maximum",
      Threshold: 1,
    });
    const { api } = synthesize(customContext);
    const patterns = propertiesOf<{ EventPattern?: { detail?: { resources: { ARN: unknown[] } } } }>(
      api,
      "AWS::Events::Rule",
    ).flatMap(({ EventPattern }) => (EventPattern?.detail === undefined ? [] : EventPattern));
    // Counts the keys of wallets, imports, orders and children.
    expect(patterns.map(({ detail }) => detail?.resources.ARN.length)).toEqual([4]);
    expect(patterns).toMatchObject([
      { source: ["aws.kms"], detail: { eventName: ["DisableKey", "ScheduleKeyDeletion"] } },
    ]);
  });

  it("raises an alarm when the issuer's keys cannot be fetched, before users notice", () => {
    const outages = filtersFor("IssuerOutages");
    expect(outages).toEqual(
      ["authorize", "authorizeConnection"].map((name) => ({
        FilterPattern: '{ $.message.error = "IssuerUnavailable" }',
        LogGroupName: { Ref: expect.stringMatching(new RegExp(`^${name}Log`)) },
        MetricTransformations: [
          { MetricName: "IssuerOutages", MetricNamespace: "TerminalApi", MetricValue: "1" },
        ],
      })),
    );
    const alarm = alarmOn(alarms, "IssuerOutages");
    expect(alarm).toMatchObject({ Namespace: "TerminalApi", Statistic: "Sum", Threshold: 3, Period: 300 });
    expect(alarm.AlarmDescription).toMatch(/six hours.*Look first at the issuer's JWKS/);
  });

  it("raises an alarm when no further key or plan fits, and describes the remedy", () => {
    const limits = filtersFor("KeyLimitReached");
    const creators = ["mirrorPlans", "makeFallbackKeys"];
    const reached = ["KeyLimitReached", "PlanLimitReached"].map((name) => `($.message.error = "${name}")`);
    expect(limits).toEqual(
      creators.map((name) => ({
        FilterPattern: `{ ${reached.join(" || ")} }`,
        LogGroupName: { Ref: expect.stringContaining(`${name}Log`) },
        MetricTransformations: [
          { MetricName: "KeyLimitReached", MetricNamespace: "TerminalApi", MetricValue: "1" },
        ],
      })),
    );
    const alarm = alarmOn(alarms, "KeyLimitReached");
    expect(alarm).toMatchObject({ Namespace: "TerminalApi", Statistic: "Sum", Threshold: 1 });
    expect(alarm.AlarmDescription).toMatch(
      /begin to share.*10,000.*Look first at.*freeIdleKeys.*deleteRetiredKeys/,
    );
  });

  it.each(tradingTroubles)("raises an alarm for %s only where trading is on", (trouble) => {
    const [filter] = filtersFor(trouble);
    const warned = '($.level = "WARN") && ($.message.operation = "sweepLanes")';
    expect(filter).toEqual({
      FilterPattern: `{ (${warned}) && ($.message.error = "${trouble}") }`,
      LogGroupName: { Ref: expect.stringMatching(/^sweepLanesLog/) },
      MetricTransformations: [{ MetricName: trouble, MetricNamespace: "TerminalApi", MetricValue: "1" }],
    });
    const alarm = alarmOn(alarms, trouble);
    expect(alarm).toMatchObject({ Namespace: "TerminalApi", Statistic: "Sum", Threshold: 1 });
    expect(alarm.AlarmDescription).toMatch(/Look first at the warnings in the log of function sweepLanes/);
    expect(() => alarmOn(alarmsOf(), trouble)).toThrow("0 alarms");
  });

  it("raises an alarm for each refusal of the signer, only where trading is on", () => {
    const [filter] = filtersFor("SignatureRefused");
    expect(filter).toMatchObject({
      FilterPattern: '{ $.message.event = "signTransaction refused" }',
      LogGroupName: { Ref: expect.stringMatching(/^signTransactionLog/) },
    });
    const alarm = alarmOn(alarms, "SignatureRefused");
    expect(alarm).toMatchObject({ Namespace: "TerminalApi", Statistic: "Sum", Threshold: 1 });
    expect(alarm.AlarmDescription).toMatch(/Stop trading.*Look first at the line in the log of/);
    expect(() => alarmOn(alarmsOf(), "SignatureRefused")).toThrow("0 alarms");
  });

  it("raises an alarm if the signer postpones more requests than it signs", () => {
    const [alarm] = alarms.filter((each) =>
      metricsOf(each).some(({ metric }) => metric.MetricName === "SignaturePostponed"),
    );
    expect(alarm).toMatchObject({ Threshold: 20, TreatMissingData: "notBreaching" });
    expect(alarm?.Metrics).toContainEqual(
      expect.objectContaining({
        Expression: "IF(FILL(postponed, 0) > FILL(signed, 0), FILL(postponed, 0), 0)",
      }),
    );
  });

  const missing = (alarms: readonly AlarmProperties[], name: string) =>
    alarms.filter((alarm) =>
      metricsOf(alarm).some(
        ({ metric }) =>
          metric.MetricName === "Invocations" && JSON.stringify(metric).includes(`"${name}Function`),
      ),
    );

  it.each(operationsOf("schedule"))(
    "raises an alarm when %s has not run",
    (name, { everyMinutes, impact }) => {
      const [alarm, ...others] = missing(alarms, name) as [AlarmProperties];
      expect(others).toEqual([]);
      // Each period contains at least one scheduled run.
      expect(periodOf(alarm)).toBe({ 1: 5, 5: 10 }[everyMinutes] ?? everyMinutes);
      expect(alarm.AlarmDescription).toContain(impact);
    },
  );
});
