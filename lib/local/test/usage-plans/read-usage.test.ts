import { describe, expect, it } from "vitest";
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

describe("readUsage", () => {
  it("reads everything that a template may contain", () => {
    const read = readUsage([
      stage,
      socketStage,
      resource("::Method", "Method", { anything: true }),
      key("Bare"),
      key("Full", { Name: "n", Description: "d", Enabled: true, Value: secretOf("full") }),
      plan("Empty"),
      plan("Standard", {
        UsagePlanName: "Standard",
        Description: "d",
        ...onStage({ ...live, Throttle: { "/pets/{id}/GET": throttle } }, socket),
        Throttle: throttle,
      }),
      planKey("Full", "Standard"),
      planKey("Full", "Empty"),
    ]);
    expect({ ...read, stages: [...read.stages] }).toEqual({
      apiKeys: [
        { id: "Bare", from: "template", name: "Bare", enabled: false },
        {
          id: "Full",
          from: "template",
          name: "n",
          description: "d",
          enabled: true,
          value: secretOf("full"),
        },
      ],
      usagePlans: [
        { id: "Empty", from: "template", name: "Empty", apiStages: [] },
        {
          id: "Standard",
          from: "template",
          name: "Standard",
          description: "d",
          apiStages: [
            {
              apiId: "Api",
              stage: "live",
              throttle: { "/pets/{id}/GET": { rateLimit: 2.5, burstLimit: 3 } },
            },
            { apiId: "Socket", stage: "live" },
          ],
          throttle: { rateLimit: 2.5, burstLimit: 3 },
        },
      ],
      planKeys: [
        { from: "template", keyId: "Full", usagePlanId: "Standard" },
        { from: "template", keyId: "Full", usagePlanId: "Empty" },
      ],
      stages: ["Api:live", "Socket:live"],
    });
  });

  const standard = plan("Standard", onStage(live));
  const twice = secretOf("twice");

  it.each<[problem: string, resources: ResolvedResource[], logicalId: string, reason: string]>([
    ["an unknown property of a key", [key("K", { Secret: 1 })], "K", "Secret"],
    ["a key's tags", [key("K", { Tags: [] })], "K", "Tags"],
    ["a key's customer", [key("K", { CustomerId: "c" })], "K", "CustomerId"],
    ["a short value", [key("K", { Value: "short" })], "K", "Value: API Key value should be at least 20"],
    ["a value twice", [key("K", { Value: twice }), key("L", { Value: twice })], "L", "a Value that another"],
    ["an id twice", [key("K"), plan("K")], "K", "a logical id that another"],
    ["an unknown property of a plan", [plan("P", { ProductCode: "x" })], "P", "ProductCode"],
    ["a plan's tags", [plan("P", { Tags: [] })], "P", "Tags"],
    ["a quota", [plan("P", { Quota: { Limit: 1, Period: "DAY" } })], "P", "Quota"],
    ["a rate without a burst", [plan("P", { Throttle: { RateLimit: 1 } })], "P", "Throttle.BurstLimit"],
    ["a burst without a rate", [plan("P", { Throttle: { BurstLimit: 1 } })], "P", "Throttle.RateLimit"],
    ["half a burst", [plan("P", { Throttle: { ...throttle, BurstLimit: 0.5 } })], "P", "Throttle.BurstLimit"],
    ["a negative rate", [plan("P", { Throttle: { ...throttle, RateLimit: -1 } })], "P", "Throttle.RateLimit"],
    ["an unknown stage", [plan("P", onStage(live))], "P", "ApiStages.0: Api:live"],
    [
      "half a throttle of a method",
      [stage, plan("P", onStage({ ...live, Throttle: { "/pets/GET": { RateLimit: 1 } } }))],
      "P",
      "ApiStages.0.Throttle./pets/GET.BurstLimit",
    ],
    [
      "a throttle of a method without its path",
      [stage, plan("P", onStage({ ...live, Throttle: { GET: throttle } }))],
      "P",
      "ApiStages.0.Throttle.GET: A throttled method should be a path and a method",
    ],
    ["an unknown plan", [key("K"), planKey("K", "P")], "KInP", 'UsagePlanId "P"'],
    ["an unknown key", [plan("P"), planKey("K", "P")], "KInP", 'KeyId "K"'],
    ["another type of key", [key("K"), plan("P"), planKey("K", "P", { KeyType: "JWT" })], "KInP", "KeyType"],
    [
      "a second plan of a key on one stage",
      [stage, key("K"), standard, plan("P", onStage(live)), planKey("K", "Standard"), planKey("K", "P")],
      "KInP",
      "another plan of K on Api:live",
    ],
  ])("refuses %s and names the resource", (_, resources, logicalId, reason) => {
    const read = () => readUsage(resources);
    expect(read).toThrow(`${logicalId} (AWS::ApiGateway::`);
    expect(read).toThrow(`has something that is not emulated: ${reason}`);
  });

  it("never repeats a key's value", () => {
    const value = `${secretOf("secret")}!`;
    expect(() => readUsage([key("K", { Value: value })])).toThrow(
      "Value: API Key value should be alphanumeric",
    );
    expect(() => readUsage([key("K", { Value: value })])).not.toThrow(value);
  });
});
