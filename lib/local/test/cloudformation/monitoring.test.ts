import { describe, expect, it } from "vitest";
import { checkMonitoring } from "../../src/cloudformation/monitoring.ts";
import { resourcesOf } from "./stack.ts";

const check = (Type: string, Properties: Record<string, unknown>) =>
  checkMonitoring(resourcesOf({ It: { Type, Properties } }));

const alarm = (changes: Record<string, unknown>) => check("AWS::CloudWatch::Alarm", changes);
const filter = (FilterPattern: string, transformation = {}) =>
  check("AWS::Logs::MetricFilter", {
    FilterPattern,
    MetricTransformations: [{ MetricNamespace: "Terminal", MetricName: "Failed", ...transformation }],
  });

const metric = (Id: string) => ({ Id, MetricStat: {}, ReturnData: false });
const computed = (Expression: string, ...others: object[]) => ({
  Metrics: [{ Id: "sum", Expression }, ...others],
});
const topicIn = (region: string) => `arn:aws:sns:${region}:000000000000:alarms`;
const refusal = (type: string, reason: string) => `AWS would refuse It (AWS::${type}): ${reason}`;

describe("the check of alarms", () => {
  it("accepts an alarm that computes a metric from others and acts in its own Region", () => {
    alarm(computed('IF(FILL(m1, 0) > 1, m2, FILL(METRICS("m"), REPEAT))', metric("m1"), metric("m2")));
    alarm({ MetricName: "Errors", AlarmActions: [topicIn("us-east-1")] });
  });

  it.each([
    ["an expression with an unknown id", computed("m1 + m3", metric("m1")), "Metrics: an expression is"],
    [
      "an expression without a closing bracket",
      computed("MAX((m1)", metric("m1")),
      "Metrics: an expression is",
    ],
    [
      "an expression with brackets in reverse",
      computed("MAX)m1(", metric("m1")),
      "Metrics: an expression is",
    ],
    ["a search", computed("SUM(SEARCH('x', 'Sum'))"), "Metrics: an expression is"],
    [
      "an id with a capital",
      { Metrics: [{ Id: "Sum" }] },
      "Metrics.0.Id: an id must begin with a small letter",
    ],
    ["two metrics that return data", computed("m1", { Id: "m1" }), "Metrics: exactly one metric"],
    [
      "eleven metrics",
      computed("1", ..."abcdefghij".split("").map(metric)),
      "Metrics: an alarm has at most 10",
    ],
    [
      "a topic elsewhere",
      { AlarmActions: [topicIn("eu-west-1")] },
      "AlarmActions.0: an action must be in us-east-1",
    ],
  ])("rejects an alarm with %s", (_, properties, reason) => {
    expect(() => alarm(properties)).toThrow(refusal("CloudWatch::Alarm", reason));
  });
});

describe("the check of metric filters", () => {
  it.each([
    '{ $.status = "5*" }',
    '{ ($.level = "ERROR") && (($.message != %a b%) || ($.a["b"][0].c NOT EXISTS)) }',
    "{ $.count >= 1.5 && $.user IS NULL }",
    "[ip, user, status = 5*]",
    "ERROR -timeout",
    "",
  ])("accepts a metric filter with the pattern %s", (pattern) => filter(pattern));

  it.each([
    '{ $.status = "5* }',
    "{ $.a = 1 & $.b = 2 }",
    "{ ($.a = 1 }",
    "{ status = 1 }",
    "{ }",
    "{ $.a = 1",
  ])("rejects a metric filter with the pattern %s", (pattern) => {
    expect(() => filter(pattern)).toThrow(
      refusal("Logs::MetricFilter", "FilterPattern: the pattern is malformed"),
    );
  });

  it.each([
    [
      "a default value and dimensions",
      { DefaultValue: 0, Dimensions: [{}] },
      /: a metric with dimensions has no/,
    ],
    ["four dimensions", { Dimensions: [{}, {}, {}, {}] }, /\.Dimensions: at most 3 dimensions$/],
    [
      "a namespace of AWS",
      { MetricNamespace: "AWS/Lambda" },
      /\.MetricNamespace: the namespace is not allowed$/,
    ],
  ])("rejects a metric filter with %s", (_, transformation, reason) => {
    expect(() => filter("", transformation)).toThrow(reason);
  });
});
