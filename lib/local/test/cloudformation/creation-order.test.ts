import { describe, expect, it } from "vitest";
import { checkCreationOrder } from "../../src/cloudformation/creation-order.ts";
import { resourceTypes } from "../../src/cloudformation/resource-types.ts";
import { resolveStacks } from "../../src/cloudformation/resources.ts";
import { StartupError } from "../../src/startup-error.ts";

const types = resourceTypes(() => ({ keyId: "key", arn: "arn" }));
const rest = (type: string, Properties: object, DependsOn?: string | string[]) => ({
  Type: `AWS::ApiGateway::${type}`,
  Properties: { RestApiId: "Api", ...Properties },
  DependsOn,
});
const stream = (type: string, Properties: object, DependsOn?: string[]) => ({
  Type: `AWS::ApiGatewayV2::${type}`,
  Properties: { ApiId: "Stream", ...Properties },
  DependsOn,
});
const AccessLogSetting = { DestinationArn: "arn" };

/** Parts of two APIs in an order that API Gateway accepts. */
const ordered = {
  Account: { Type: "AWS::ApiGateway::Account" },
  Method: rest("Method", {}),
  Deployment: rest("Deployment", {}, ["Method"]),
  Stage: rest(
    "Stage",
    { StageName: "live", DeploymentId: { Ref: "Deployment" }, AccessLogSetting },
    "Account",
  ),
  Route: stream("Route", { RouteKey: "$connect" }),
  Socket: stream("Stage", { StageName: "live", RouteSettings: { $connect: {} } }, ["Route"]),
  Plan: {
    Type: "AWS::ApiGateway::UsagePlan",
    Properties: {
      ApiStages: [
        { ApiId: "Stream", Stage: "live" },
        { ApiId: "Api", Stage: { Ref: "Stage" } },
      ],
    },
    DependsOn: ["Socket"],
  },
};

const check = (changes: object) => {
  const Resources = { ...ordered, ...changes };
  const template = { Parameters: {}, Conditions: {}, Outputs: {}, Resources };
  checkCreationOrder(resolveStacks([{ name: "S", template }], types));
};

const without = (name: keyof typeof ordered) => ({ [name]: { ...ordered[name], DependsOn: undefined } });

describe("checkCreationOrder", () => {
  it("accepts parts that depend on each other by DependsOn, by reference or through others", () => {
    check({});
    check({
      Plan: { ...ordered.Plan, DependsOn: "Between" },
      Between: rest("Deployment", {}, ["Socket", "Method"]),
    });
    const named = { "Fn::Join": ["", [{ "Fn::Sub": "$" + "{Route.RouteId}" }]] };
    check({ Socket: stream("Stage", { StageName: "live", RouteSettings: { $connect: named } }) });
  });

  it.each([
    ["a stage with an access log is made before the account's role", "Stage", "Account"],
    ["a deployment is made before a method", "Deployment", "Method"],
    ["a stage is made before a route whose settings it has", "Socket", "Route"],
    ["a plan is made before a stage that it names", "Plan", "Socket"],
  ] as const)("rejects an order of creation in which %s", (_, then, first) => {
    expect(() => check(without(then))).toThrow(StartupError);
    expect(() => check(without(then))).toThrow(
      new RegExp(`^AWS would refuse ${then} .*: it needs DependsOn ${first} .*, which must exist before it$`),
    );
  });

  it("ignores a stage without logs, a route without settings and a plan of other stages", () => {
    check({ Stage: rest("Stage", { StageName: "live", MethodSettings: [{ LoggingLevel: "OFF" }] }) });
    check({ Other: stream("Route", { RouteKey: "other" }) });
    const logging = rest("Stage", { StageName: "live", MethodSettings: [{ LoggingLevel: "ERROR" }] });
    expect(() => check({ Stage: logging })).toThrow("it needs DependsOn Account");
  });
});
