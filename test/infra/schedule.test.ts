import { describe, expect, it } from "vitest";
import { logicalIdOf, only, synthesize } from "./synthesized.ts";

const ruleOf = (context?: Record<string, unknown>) => {
  const { api } = synthesize(context);
  return { api, ...only<object>(api, "AWS::Events::Rule").Properties };
};

describe("the schedule", () => {
  it("runs feedPrices each minute, and lets a run that is late be", () => {
    const { api, ...rule } = ruleOf();
    expect(rule).toEqual({
      Description: expect.any(String),
      ScheduleExpression: "rate(1 minute)",
      State: "ENABLED",
      Targets: [
        {
          Arn: { "Fn::GetAtt": [logicalIdOf(api, "feedPrices"), "Arn"] },
          Id: "Target0",
          RetryPolicy: { MaximumEventAgeInSeconds: 60, MaximumRetryAttempts: 0 },
        },
      ],
    });
  });

  it("is switched off when there are no feeds", () => {
    expect(ruleOf({ priceFeeds: [] })).toMatchObject({ State: "DISABLED" });
  });
});
