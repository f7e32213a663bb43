import { describe, expect, it } from "vitest";
import { resourceTypes } from "../../src/cloudformation/resource-types.ts";
import { resolveStacks } from "../../src/cloudformation/resources.ts";
import { StartupError } from "../../src/startup-error.ts";
import { memoryStore } from "../../src/storage/store.ts";
import { openUsage } from "../../src/usage-plans/usage.ts";
import { secretOf } from "./fixture.ts";

const types = resourceTypes(({ logicalId }) => ({ keyId: logicalId, arn: logicalId }));

const Resources = {
  Api: { Type: "AWS::ApiGateway::RestApi" },
  Stage: { Type: "AWS::ApiGateway::Stage", Properties: { RestApiId: { Ref: "Api" }, StageName: "live" } },
  Socket: { Type: "AWS::ApiGatewayV2::Api" },
  SocketStage: {
    Type: "AWS::ApiGatewayV2::Stage",
    Properties: { ApiId: { Ref: "Socket" }, StageName: "live" },
  },
  Plan: {
    Type: "AWS::ApiGateway::UsagePlan",
    Properties: {
      ApiStages: [
        { ApiId: { Ref: "Api" }, Stage: { Ref: "Stage" } },
        { ApiId: { Ref: "Socket" }, Stage: "live" },
      ],
    },
  },
  Key: { Type: "AWS::ApiGateway::ApiKey", Properties: { Enabled: true, Value: secretOf("key") } },
  Member: {
    Type: "AWS::ApiGateway::UsagePlanKey",
    Properties: {
      KeyId: { "Fn::GetAtt": ["Key", "APIKeyId"] },
      KeyType: "API_KEY",
      UsagePlanId: { "Fn::GetAtt": ["Plan", "Id"] },
    },
  },
};

function resolve(resources: Record<string, { Type: string; Properties?: Record<string, unknown> }>) {
  const Outputs = {
    Plan: { Value: { Ref: "Plan" } },
    Key: { Value: { Ref: "Key" } },
    Member: { Value: { Ref: "Member" } },
    MemberId: { Value: { "Fn::GetAtt": ["Member", "Id"] } },
  };
  const template = { Resources: resources, Outputs, Parameters: {}, Conditions: {} };
  return resolveStacks([{ name: "S", template }], types);
}

const options = { store: memoryStore, report: () => {} };

describe("openUsage", () => {
  it("uses logical ids for keys and plans that refer to each other", () => {
    const resources = resolve(Resources);
    expect(resources.outputs()).toEqual({ Plan: "Plan", Key: "Key", Member: "Key", MemberId: "Key" });
    const { plans } = openUsage(resources, options);
    expect(plans.identify(secretOf("key"))).toBe("Key");
    for (const apiId of ["Api", "Socket"]) {
      const request = { apiId, stage: "live", apiKey: { value: secretOf("key") } };
      expect(plans.admit(request)).toEqual({ admitted: true });
    }
  });

  it("refuses a property that is not emulated, naming it and its resource", () => {
    const Plan = { ...Resources.Plan, Properties: { ApiStages: [], Throttle: { RateLimit: 1 } } };
    const open = () => openUsage(resolve({ ...Resources, Plan }), options);
    expect(open).toThrow(StartupError);
    expect(open).toThrow(
      /^Plan \(AWS::ApiGateway::UsagePlan\) has something that is not emulated: Throttle\.BurstLimit/,
    );
  });
});
