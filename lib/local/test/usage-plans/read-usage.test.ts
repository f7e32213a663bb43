import { describe, expect, test } from "vitest";
import type { ResolvedResource } from "../../src/cloudformation/resource.ts";
import { readUsage } from "../../src/usage-plans/read-usage.ts";
import { secretOf } from "./fixture.ts";

function resource(
  type: string,
  logicalId: string,
  properties: Record<string, unknown> = {},
): ResolvedResource {
  return { logicalId, type: `AWS::ApiGateway${type}`, properties };
}

const stage = resource("::Stage", "Stage", { RestApiId: "Api", StageName: "live" });
const socketStage = resource("V2::Stage", "SocketStage", { ApiId: "Socket", StageName: "live" });
const key = (id: string, properties: Record<string, unknown> = {}) => resource("::ApiKey", id, properties);
const plan = (id: string, properties: Record<string, unknown> = {}) =>
  resource("::UsagePlan", id, properties);
const planKey = (KeyId: string, UsagePlanId: string, properties: Record<string, unknown> = {}) =>
  resource("::UsagePlanKey", `${KeyId}In${UsagePlanId}`, {
    KeyId,
    UsagePlanId,
    KeyType: "API_KEY",
    ...properties,
  });

const onStage = (...stages: object[]) => ({ ApiStages: stages });
const live = { ApiId: "Api", Stage: "live" };
const socket = { ApiId: "Socket", Stage: "live" };
const throttle = { RateLimit: 2.5, BurstLimit: 3 };

test("everything that a template may say", () => {
  const read = readUsage([
    stage,
    socketStage,
    resource("::Method", "Method", { anything: true }),
    key("Bare"),
    key("Full", {
      Name: "n",
      Description: "d",
      CustomerId: "c",
      Enabled: true,
      Value: secretOf("full"),
      GenerateDistinctId: true,
      StageKeys: [{ RestApiId: "Api", StageName: "live" }],
      Tags: [{ Key: "a", Value: "b" }],
    }),
    plan("Empty"),
    plan("Standard", {
      UsagePlanName: "Standard",
      Description: "d",
      ...onStage({ ...live, Throttle: { "/pets/{id}/GET": throttle } }, { ...socket, Throttle: {} }),
      Throttle: throttle,
      Quota: { Limit: 10, Period: "WEEK", Offset: 2 },
      Tags: [{ Key: "a", Value: "b" }],
    }),
    planKey("Full", "Standard"),
    planKey("Full", "Empty"),
  ]);
  const limit = { rateLimit: 2.5, burstLimit: 3 };
  expect({ ...read, stages: [...read.stages] }).toEqual({
    apiKeys: [
      { id: "Bare", from: "template", name: "Bare", enabled: false, stageKeys: [], tags: {} },
      {
        id: "Full",
        from: "template",
        name: "n",
        description: "d",
        customerId: "c",
        enabled: true,
        value: secretOf("full"),
        stageKeys: ["Api/live"],
        tags: { a: "b" },
      },
    ],
    usagePlans: [
      { id: "Empty", from: "template", name: "Empty", apiStages: [], tags: {} },
      {
        id: "Standard",
        from: "template",
        name: "Standard",
        description: "d",
        apiStages: [
          { apiId: "Api", stage: "live", throttle: { "/pets/{id}/GET": limit } },
          { apiId: "Socket", stage: "live" },
        ],
        throttle: limit,
        quota: { limit: 10, period: "WEEK", offset: 2 },
        tags: { a: "b" },
      },
    ],
    planKeys: [
      { from: "template", keyId: "Full", usagePlanId: "Standard" },
      { from: "template", keyId: "Full", usagePlanId: "Empty" },
    ],
    stages: ["Api:live", "Socket:live"],
  });
});

describe("what is not emulated is refused by name", () => {
  const standard = plan("Standard", onStage(live));
  const twice = secretOf("twice");

  test.each<[what: string, resources: ResolvedResource[], who: string, why: string]>([
    ["a key's other property", [key("K", { Secret: 1 })], "K", "Secret"],
    ["a short value", [key("K", { Value: "short" })], "K", "Value: API Key value should be at least 20"],
    ["an id that is the value", [key("K", { GenerateDistinctId: false })], "K", "GenerateDistinctId"],
    ["a value twice", [key("K", { Value: twice }), key("L", { Value: twice })], "L", "Value, which another"],
    ["an id twice", [key("K"), plan("K")], "K", "its logical id, which another"],
    ["a plan's other property", [plan("P", { ProductCode: "x" })], "P", "ProductCode"],
    ["a rate without a burst", [plan("P", { Throttle: { RateLimit: 1 } })], "P", "Throttle.BurstLimit"],
    ["a burst without a rate", [plan("P", { Throttle: { BurstLimit: 1 } })], "P", "Throttle.RateLimit"],
    ["half a burst", [plan("P", { Throttle: { ...throttle, BurstLimit: 0.5 } })], "P", "Throttle.BurstLimit"],
    ["a rate below 0", [plan("P", { Throttle: { ...throttle, RateLimit: -1 } })], "P", "Throttle.RateLimit"],
    ["a quota without a period", [plan("P", { Quota: { Limit: 1 } })], "P", "Quota.Period"],
    ["another period", [plan("P", { Quota: { Limit: 1, Period: "YEAR" } })], "P", "Quota.Period"],
    ["a stage that there is not", [plan("P", onStage(live))], "P", "ApiStages.0: Api:live"],
    [
      "a throttle of no method",
      [stage, plan("P", onStage({ ...live, Throttle: { "/pets": throttle } }))],
      "P",
      "ApiStages.0.Throttle",
    ],
    [
      "a route's throttle",
      [socketStage, plan("P", onStage({ ...socket, Throttle: { "/$connect/GET": throttle } }))],
      "P",
      "ApiStages.0.Throttle, as Socket:live is of a WebSocket API",
    ],
    ["a plan that there is not", [key("K"), planKey("K", "P")], "KInP", 'UsagePlanId "P"'],
    ["a key that there is not", [plan("P"), planKey("K", "P")], "KInP", 'KeyId "K"'],
    ["another type of key", [key("K"), plan("P"), planKey("K", "P", { KeyType: "JWT" })], "KInP", "KeyType"],
    [
      "a second plan of a stage",
      [stage, key("K"), standard, plan("P", onStage(live)), planKey("K", "Standard"), planKey("K", "P")],
      "KInP",
      "another plan of K on Api:live",
    ],
  ])("%s", (_, resources, who, why) => {
    const read = () => readUsage(resources);
    expect(read).toThrow(`${who} (AWS::ApiGateway::`);
    expect(read).toThrow(`has something that is not emulated: ${why}`);
  });

  test("without the value of a key", () => {
    const value = `${secretOf("secret")}!`;
    expect(() => readUsage([key("K", { Value: value })])).toThrow(
      "Value: API Key value should be alphanumeric",
    );
    expect(() => readUsage([key("K", { Value: value })])).not.toThrow(value);
  });
});
