import { describe, expect, test } from "vitest";
import { readRate } from "../../src/events/rate.ts";
import { readRules } from "../../src/events/rule-definition.ts";
import { attribute, functionArn, queueArn, resourcesOf } from "../cloudformation/stack.ts";

const target = { Arn: attribute("Function", "Arn"), Id: "Target0" };
const rule = { ScheduleExpression: "rate(1 minute)", State: "ENABLED", Targets: [target] };

function read(properties: object) {
  const resources = resourcesOf({
    Function: { Type: "AWS::Lambda::Function", Properties: { FunctionName: "feed" } },
    Failed: { Type: "AWS::SQS::Queue" },
    Rule: { Type: "AWS::Events::Rule", Properties: { ...properties } },
  });
  return readRules(resources, (name) => name === functionArn("feed"), {
    has: (arn) => arn === queueArn("S-Failed"),
  });
}

test("a rule is read with all that it says", () => {
  const whole = {
    ...rule,
    Name: "each-minute",
    Description: "Feeds",
    Targets: [
      {
        ...target,
        Input: '{"a":1}',
        RetryPolicy: { MaximumEventAgeInSeconds: 60, MaximumRetryAttempts: 0 },
        DeadLetterConfig: { Arn: attribute("Failed", "Arn") },
      },
    ],
  };
  expect(read(whole)).toEqual([
    {
      arn: "arn:aws:events:us-east-1:000000000000:rule/each-minute",
      rate: 60_000,
      targets: [
        { functionArn: functionArn("feed"), input: { value: { a: 1 } }, deadLetters: queueArn("S-Failed") },
      ],
    },
  ]);
});

test("a rule is on, unless it says otherwise", () => {
  const { State: _, ...silent } = rule;
  expect(read(silent)).toMatchObject([
    { targets: [{ functionArn: functionArn("feed"), input: undefined, deadLetters: undefined }] },
  ]);
  expect(read({ ...rule, State: "DISABLED" })).toEqual([]);
});

test("null is an input like any other", () => {
  expect(read({ ...rule, Targets: [{ ...target, Input: "null" }] })[0]?.targets[0]?.input).toEqual({
    value: null,
  });
});

describe("rates", () => {
  test.each([
    ["rate(1 minute)", 60_000],
    ["rate(5 minutes)", 300_000],
    ["rate(1 hour)", 3_600_000],
    ["rate(12 hours)", 43_200_000],
    ["rate(1 day)", 86_400_000],
    ["rate(30 days)", 2_592_000_000],
  ])("%s", (expression, milliseconds) => {
    expect(readRate(expression)).toBe(milliseconds);
  });

  test.each([
    "rate(1 minutes)",
    "rate(5 minute)",
    "rate(0 minutes)",
    "rate(5 seconds)",
    "rate(1.5 hours)",
    "5 minutes",
  ])("%s is none", (expression) => {
    expect(() => readRate(expression)).toThrow(expression);
  });
});

describe("what is not emulated stops the runner, and is named with its resource", () => {
  test.each<[string, object]>([
    [
      "ScheduleExpression: cron(0 12 * * ? *), which is not a rate(...)",
      { ScheduleExpression: "cron(0 12 * * ? *)" },
    ],
    ["EventPattern", { EventPattern: { source: ["x"] } }],
    ["EventBusName", { EventBusName: "other" }],
    ["State", { State: "ENABLED_WITH_ALL_CLOUDTRAIL_MANAGEMENT_EVENTS" }],
    ["Targets.0.InputTransformer", { Targets: [{ ...target, InputTransformer: { InputTemplate: "{}" } }] }],
    ["Targets.0.Input", { Targets: [{ ...target, Input: "{" }] }],
    ["Targets.0.Arn", { Targets: [{ ...target, Arn: queueArn("S-Failed") }] }],
    [
      "Targets.0.DeadLetterConfig",
      { Targets: [{ ...target, DeadLetterConfig: { Arn: queueArn("other") } }] },
    ],
  ])("%s", (property, change) => {
    expect(() => read({ ...rule, ...change })).toThrow(
      `Rule (AWS::Events::Rule) has something that is not emulated: ${property}`,
    );
  });

  test("a rule without a schedule", () => {
    expect(() => read({ Targets: [target] })).toThrow("not emulated: ScheduleExpression");
  });
});
