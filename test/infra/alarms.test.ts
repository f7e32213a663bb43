import { describe, expect, it } from "vitest";
import type { Operation } from "../../lib/operation-types.ts";
import { operations, operationsOf } from "../../lib/operations.ts";
import { alarmOn, alarmsOf, dashboardOf } from "./alarm-properties.ts";
import { synthesize } from "./synthesized.ts";

const alarms = alarmsOf();
const kinds = (...kinds: Operation["kind"][]) =>
  Object.values<Operation>(operations).filter(({ kind }) => kinds.includes(kind)).length;

describe("the alarms", () => {
  it.each(operationsOf("rest"))("tell what users suffer while %s fails", (_, { path, method, impact }) => {
    const dimensions = [
      { Name: "Method", Value: method },
      { Name: "Resource", Value: path },
      { Name: "ApiName", Value: "TerminalApi" },
    ];
    const alarm = alarmOn(alarms, "5XXError", JSON.stringify(path));
    expect(alarm.Dimensions).toEqual(expect.arrayContaining(dimensions));
    expect(alarm.AlarmDescription).toContain(impact);
    expect(alarm.AlarmDescription).toContain("Look first at");
    expect(alarm).toMatchObject({ Threshold: 3, Period: 300, EvaluationPeriods: 1, Statistic: "Sum" });
  });

  it("tell when the authorizer of requests fails, which throws for no token however bad", () => {
    const alarm = alarmOn(alarms, "Errors");
    expect(JSON.stringify(alarm.Dimensions)).toContain('"authorizeFunction');
    expect(alarm.AlarmDescription).toContain(operations.authorize.impact);
  });

  it.each(Object.entries<Operation>(operations))(
    "tell when %s is turned away by Lambda",
    (name, { impact }) => {
      const alarm = alarmOn(alarms, "Throttles", `"${name}Function`);
      expect(alarm.AlarmDescription).toContain(impact);
    },
  );

  it("watch the table, and are no more than these", () => {
    const ofTable = alarms
      .flatMap(({ Metrics }) => Metrics ?? [])
      .flatMap(({ MetricStat }) => MetricStat ?? [])
      .filter(({ Metric }) => Metric.Namespace === "AWS/DynamoDB");
    const names = new Set(ofTable.map(({ Metric }) => Metric.MetricName));
    expect([...names]).toEqual(["ThrottledRequests", "SystemErrors"]);
    const ofRows = Object.keys(operations).length + kinds("rest", "authorizer");
    const ofRealTime = kinds("websocket", "internal") + 2 * kinds("changes") + 2 * kinds("schedule");
    const others = ["TableThrottles", "TableFailures", "ChangesGaveUp", "KeyLimitReached"];
    expect(alarms).toHaveLength(ofRows + ofRealTime + others.length);
  });

  it("tell the topic that is configured, and nobody else", () => {
    const alarmTopicArn = "arn:aws:sns:eu-west-1:111111111111:alarms";
    expect(alarms.flatMap(({ AlarmActions }) => AlarmActions ?? [])).toEqual([]);
    for (const { AlarmActions } of alarmsOf({ alarmTopicArn })) expect(AlarmActions).toEqual([alarmTopicArn]);
  });
});

describe("the dashboard", () => {
  it("shows every operation, and what flows between them", () => {
    const dashboard = dashboardOf(synthesize().api);
    for (const name of Object.keys(operations)) expect(dashboard).toContain(`${name} p99`);
    for (const metric of ["ConnectCount", "MessageCount", "IntegrationError", "ClientError", "IteratorAge"])
      expect(dashboard).toContain(metric);
    expect(dashboard).toContain("ApproximateNumberOfMessagesVisible");
  });
});
