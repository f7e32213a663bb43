import { describe, expect, it } from "vitest";
import { type Operation, operations, operationsOf } from "../../lib/operations.ts";
import { only, propertiesOf, synthesize } from "./synthesized.ts";

type AlarmProperties = {
  AlarmActions?: string[];
  AlarmDescription: string;
  Dimensions?: { Name: string; Value: unknown }[];
  MetricName?: string;
  Metrics?: { MetricStat?: { Metric: { MetricName: string } } }[];
};

const alarmsOf = (context?: Record<string, unknown>) =>
  propertiesOf<AlarmProperties>(synthesize(context).api, "AWS::CloudWatch::Alarm");
const alarms = alarmsOf();

describe("the alarms", () => {
  it.each(operationsOf("rest"))("tell what users suffer while %s fails", (_, { path, method, impact }) => {
    const dimensions = [
      { Name: "Method", Value: method },
      { Name: "Resource", Value: path },
      { Name: "ApiName", Value: "TerminalApi" },
    ];
    const [alarm] = alarms.filter(
      ({ MetricName, Dimensions }) =>
        MetricName === "5XXError" &&
        Dimensions?.some(({ Name, Value }) => Name === "Resource" && Value === path),
    );
    expect(alarm?.Dimensions).toEqual(expect.arrayContaining(dimensions));
    expect(alarm?.AlarmDescription).toContain(impact);
    expect(alarm?.AlarmDescription).toContain("Look first at");
  });

  it("tell when the authorizer fails, which throws for no token however bad", () => {
    const [alarm, ...others] = alarms.filter(({ MetricName }) => MetricName === "Errors");
    expect(others).toEqual([]);
    expect(alarm?.AlarmDescription).toContain(operations.authorize.impact);
  });

  it.each(Object.entries<Operation>(operations))(
    "tell when %s is turned away by Lambda",
    (name, { impact }) => {
      const [alarm, ...others] = alarms.filter(
        ({ MetricName, Dimensions }) =>
          MetricName === "Throttles" && JSON.stringify(Dimensions).includes(`"${name}Function`),
      );
      expect(others).toEqual([]);
      expect(alarm?.AlarmDescription).toContain(impact);
    },
  );

  it("watch the table, and are no more than these", () => {
    const ofTable = alarms
      .flatMap(({ Metrics }) => Metrics ?? [])
      .flatMap(({ MetricStat }) => MetricStat ?? []);
    const names = new Set(ofTable.map(({ Metric }) => Metric.MetricName));
    expect([...names]).toEqual(["ThrottledRequests", "SystemErrors"]);
    const rows = Object.keys(operations).length;
    expect(alarms).toHaveLength(operationsOf("rest").length + 1 + rows + 2);
  });

  it("tell the topic that is configured, and nobody else", () => {
    const alarmTopicArn = "arn:aws:sns:eu-west-1:111111111111:alarms";
    expect(alarms.flatMap(({ AlarmActions }) => AlarmActions ?? [])).toEqual([]);
    for (const { AlarmActions } of alarmsOf({ alarmTopicArn })) expect(AlarmActions).toEqual([alarmTopicArn]);
  });
});

describe("the dashboard", () => {
  it("shows every operation", () => {
    const body = JSON.stringify(only(synthesize().api, "AWS::CloudWatch::Dashboard").Properties);
    for (const name of Object.keys(operations)) expect(body).toContain(`${name} p99`);
  });
});
