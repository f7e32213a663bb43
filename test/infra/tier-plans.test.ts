import { describe, expect, it } from "vitest";
import {
  fallbackMethodThrottles,
  methodThrottlesOf,
  sharedMethodThrottles,
} from "../../lib/plans/method-throttles.ts";
import { requestsPerMinute, sharedThrottle, throttleOf } from "../../lib/plans/plan.ts";
import { customContext, functionsOf, only, propertiesOf, resourcesOf, synthesize } from "./synthesized.ts";

const templates = synthesize(customContext);
const { api } = templates;
const rest = only<{ ApiKeySourceType: string }>(api, "AWS::ApiGateway::RestApi");
const stream = only<{ ApiKeySelectionExpression: string }>(api, "AWS::ApiGatewayV2::Api");

type Limits = { RateLimit: number; BurstLimit: number };
type PlanProperties = {
  ApiStages: { ApiId: { Ref: string }; Stage: string; Throttle?: Record<string, Limits> }[];
  Throttle: Limits;
  UsagePlanName: string;
};
const plans = resourcesOf<PlanProperties>(api, "AWS::ApiGateway::UsagePlan");
const planNamed = (name: string) =>
  Object.keys(plans).find((id) => plans[id]?.Properties.UsagePlanName === `TerminalApi/${name}`) ?? "";

/** Replaces the 32 hexadecimal digits of the stack's id, because no template contains them. */
const stackId = { "Fn::Select": [2, { "Fn::Split": ["/", { Ref: "AWS::StackId" }] }] };
const sharedKeyValue = { "Fn::Join": ["", { "Fn::Split": ["-", stackId] }] };
const planStages = {
  "Fn::Join": [
    "",
    [
      '[{"apiId":"',
      { Ref: rest.id },
      '","stage":"live","methods":true},{"apiId":"',
      { Ref: stream.id },
      '","stage":"stream"}]',
    ],
  ],
};

describe("the usage plans of the template", () => {
  it("allows a minute's requests at once, and further requests at the plan's rate", () => {
    const throttles = Object.values(plans).map(({ Properties }) => [
      Properties.UsagePlanName,
      Properties.Throttle,
    ]);
    expect(Object.fromEntries(throttles)).toEqual({
      "TerminalApi/Standard": { RateLimit: 1000 / 60, BurstLimit: 1000 },
      "TerminalApi/Pro": { RateLimit: 5000 / 60, BurstLimit: 5000 },
      "TerminalApi/Fallback": { RateLimit: 1000 / 60, BurstLimit: 1000 },
      "TerminalApi/Shared": { RateLimit: 500, BurstLimit: 5000 },
    });
  });

  it("covers the stages of both APIs with each plan, and creates plans after them", () => {
    const stages = [
      only<{ StageName: string }>(api, "AWS::ApiGateway::Stage"),
      only<{ StageName: string }>(api, "AWS::ApiGatewayV2::Stage"),
    ];
    for (const { Properties, DependsOn } of Object.values(plans)) {
      expect(Properties.ApiStages).toEqual([
        {
          ApiId: { Ref: rest.id },
          Stage: stages[0]?.Properties.StageName,
          Throttle: expect.any(Object),
        },
        { ApiId: { Ref: stream.id }, Stage: stages[1]?.Properties.StageName },
      ]);
      expect(DependsOn).toEqual(expect.arrayContaining(stages.map(({ id }) => id)));
    }
  });

  it("throttles costly methods and guards for each key, in each plan", () => {
    const standard = throttleOf({ requestsPerMinute: requestsPerMinute.Standard });
    const wanted = {
      Standard: methodThrottlesOf({ requestsPerMinute: requestsPerMinute.Standard }),
      Pro: methodThrottlesOf({ requestsPerMinute: requestsPerMinute.Pro }),
      Fallback: fallbackMethodThrottles(standard),
      Shared: sharedMethodThrottles(sharedThrottle),
    };
    for (const [name, throttles] of Object.entries(wanted)) {
      const [{ Throttle = {} } = {}] = plans[planNamed(name)]?.Properties.ApiStages ?? [];
      const found = Object.entries(Throttle).map(([method, { RateLimit, BurstLimit }]) => [
        method,
        { rateLimit: RateLimit, burstLimit: BurstLimit },
      ]);
      expect(Object.fromEntries(found), name).toEqual(throttles);
    }
  });

  it("counts all requests and new connections, but no preflight", () => {
    type Method = { HttpMethod: string; ApiKeyRequired?: boolean };
    for (const { HttpMethod, ApiKeyRequired = false } of propertiesOf<Method>(api, "AWS::ApiGateway::Method"))
      expect(ApiKeyRequired, HttpMethod).toBe(HttpMethod !== "OPTIONS");
    type Route = { RouteKey: string; ApiKeyRequired?: boolean };
    for (const { RouteKey, ApiKeyRequired = false } of propertiesOf<Route>(api, "AWS::ApiGatewayV2::Route"))
      expect(ApiKeyRequired, RouteKey).toBe(RouteKey === "$connect");
  });

  it("takes API keys from the authorizers, not from clients", () => {
    expect(rest.Properties.ApiKeySourceType).toBe("AUTHORIZER");
    expect(stream.Properties.ApiKeySelectionExpression).toBe("$context.authorizer.usageIdentifierKey");
  });
});

describe("the shared key", () => {
  it("creates only the shared key, on its own plan, with the stack's id as its value", () => {
    const key = only(api, "AWS::ApiGateway::ApiKey");
    expect(key.Properties).toEqual({
      Description: expect.any(String),
      Enabled: true,
      Name: "TerminalApi/shared",
      Value: sharedKeyValue,
    });
    expect(only(api, "AWS::ApiGateway::UsagePlanKey").Properties).toEqual({
      KeyId: { Ref: key.id },
      KeyType: "API_KEY",
      UsagePlanId: { Ref: planNamed("Shared") },
    });
  });

  it("passes the shared key to the authorizers and makeFallbackKeys only, and outputs it nowhere", () => {
    const knowing = Object.entries(functionsOf(templates))
      .filter(([, { Environment }]) => JSON.stringify(Environment ?? {}).includes("AWS::StackId"))
      .map(([name, { Environment }]) => [name, Environment?.Variables.SHARED_KEY]);
    expect(knowing).toEqual([
      ["authorize", sharedKeyValue],
      ["authorizeConnection", sharedKeyValue],
      ["makeFallbackKeys", sharedKeyValue],
    ]);
    expect(JSON.stringify(api.Outputs)).not.toContain("StackId");
    expect(JSON.stringify(api).match(/AWS::StackId/g)).toHaveLength(1 + knowing.length);
  });
});

describe("the functions that manage keys", () => {
  it("passes the plans, their stages and the grace period of new keys", () => {
    const { mirrorPlans, deleteRetiredKeys, freeIdleKeys, makeFallbackKeys } = functionsOf(templates);
    const names = { PLAN_PREFIX: "TerminalApi/user/", PLAN_STAGES: planStages };
    for (const creator of [mirrorPlans, deleteRetiredKeys])
      expect(creator?.Environment?.Variables).toMatchObject({
        ...names,
        STANDARD_PLAN_ID: { Ref: planNamed("Standard") },
        PRO_PLAN_ID: { Ref: planNamed("Pro") },
        KEY_GRACE_SECONDS: "7",
      });
    expect(freeIdleKeys?.Environment?.Variables).toMatchObject(names);
    expect(makeFallbackKeys?.Environment?.Variables).toMatchObject({
      FALLBACK_PREFIX: "TerminalApi/fallback/",
      FALLBACK_KEYS: "6",
      PLAN_STAGES: planStages,
      FALLBACK_PLAN_ID: { Ref: planNamed("Fallback") },
      STANDARD_PLAN_ID: { Ref: planNamed("Standard") },
      KEY_GRACE_SECONDS: "7",
    });
  });

  it("outputs the same values for the admin program", () => {
    expect(api.Outputs).toMatchObject({
      StandardPlanId: { Value: { Ref: planNamed("Standard") } },
      ProPlanId: { Value: { Ref: planNamed("Pro") } },
      PlanPrefix: { Value: "TerminalApi/user/" },
      PlanStages: { Value: planStages },
      KeyGraceSeconds: { Value: "7" },
      TableName: { Value: { "Fn::ImportValue": expect.stringContaining("Table") } },
    });
  });
});
