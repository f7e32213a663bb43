import { describe, expect, it } from "vitest";
import { logicalIdOf, propertiesOf, synthesize } from "./synthesized.ts";

type RuleProperties = { State: string; Targets: { Arn: { "Fn::GetAtt": [string, "Arn"] } }[] };

function scheduleOf(name: string, context?: Record<string, unknown>) {
  const { api } = synthesize(context);
  const id = logicalIdOf(api, name);
  const rules = propertiesOf<RuleProperties>(api, "AWS::Events::Rule");
  return { id, rule: rules.find(({ Targets: [target] }) => target?.Arn["Fn::GetAtt"][0] === id) };
}

describe("the schedule", () => {
  it.each([
    ["feedPrices", "rate(1 minute)"],
    ["deleteRetiredKeys", "rate(5 minutes)"],
    ["freeIdleKeys", "rate(1 day)"],
  ])("runs %s at a %s, and lets a run that is late be", (name, ScheduleExpression) => {
    const { id, rule } = scheduleOf(name);
    expect(rule).toEqual({
      Description: expect.any(String),
      ScheduleExpression,
      State: "ENABLED",
      Targets: [
        {
          Arn: { "Fn::GetAtt": [id, "Arn"] },
          Id: "Target0",
          RetryPolicy: { MaximumEventAgeInSeconds: 60, MaximumRetryAttempts: 0 },
        },
      ],
    });
  });

  it.each([
    ["feedPrices", "DISABLED"],
    ["deleteRetiredKeys", "ENABLED"],
    ["freeIdleKeys", "ENABLED"],
  ])("has %s %s when there are no feeds", (name, State) => {
    expect(scheduleOf(name, { priceFeeds: [] }).rule).toMatchObject({ State });
  });
});
