import { describe, expect, test } from "vitest";
import { readPermissions } from "../../src/cloudformation/resources/permissions.ts";
import { attribute, functionArn, resourcesOf } from "./resources.ts";

const permission = (Principal: string, rest: object = {}) => ({
  Type: "AWS::Lambda::Permission",
  Properties: { Action: "lambda:InvokeFunction", FunctionName: functionArn("feed"), Principal, ...rest },
});

/** Whether the permission lets either service invoke the function on behalf of that source. */
function allows(stated: ReturnType<typeof permission>, name = "feed", source = "arn:source") {
  const resources = resourcesOf({ Permission: stated });
  return {
    apigateway: readPermissions(resources)(functionArn(name), source),
    events: readPermissions(resources, "events.amazonaws.com")(functionArn(name), source),
  };
}

test("a permission is for one service", () => {
  expect(allows(permission("events.amazonaws.com"))).toEqual({ apigateway: false, events: true });
  expect(allows(permission("apigateway.amazonaws.com"))).toEqual({ apigateway: true, events: false });
  expect(allows(permission("lambda.amazonaws.com"))).toEqual({ apigateway: false, events: false });
});

describe("and only", () => {
  const events = "events.amazonaws.com";
  test.each([
    ["for its source", permission(events, { SourceArn: "arn:other" }), "feed", false],
    ["for its source, which may be a pattern", permission(events, { SourceArn: "arn:so*" }), "feed", true],
    ["for its function", permission(events), "other", false],
    ["to invoke", permission(events, { Action: "lambda:GetFunction" }), "feed", false],
  ])("%s", (_, stated, name, expected) => {
    expect(allows(stated, name).events).toBe(expected);
  });
});

test("the ARN and the name of a rule are what intrinsics give for it", () => {
  const resources = resourcesOf({
    Named: { Type: "AWS::Events::Rule", Properties: { Name: "each-minute" } },
    Rule: { Type: "AWS::Events::Rule" },
    Permission: permission("events.amazonaws.com", {
      SourceArn: attribute("Named", "Arn"),
      Other: { Ref: "Rule" },
    }),
  });
  expect(resources.ofType("AWS::Lambda::Permission")[0]?.properties()).toMatchObject({
    SourceArn: "arn:aws:events:us-east-1:000000000000:rule/each-minute",
    Other: "S-Rule",
  });
});
