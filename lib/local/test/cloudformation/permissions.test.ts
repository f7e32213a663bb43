import { describe, expect, it } from "vitest";
import { readPermissions } from "../../src/cloudformation/permissions.ts";
import { functionArn, resourcesOf } from "./stack.ts";

const events = "events.amazonaws.com";

const permission = (Principal: string, rest: object = {}) => ({
  Type: "AWS::Lambda::Permission",
  Properties: { Action: "lambda:InvokeFunction", FunctionName: functionArn("feed"), Principal, ...rest },
});

/** Reports for each service whether the permission lets it invoke the function for `arn:source`. */
function allows(properties: ReturnType<typeof permission>, name = "feed") {
  const resources = resourcesOf({ Permission: properties });
  return {
    apigateway: readPermissions(resources)(functionArn(name), "arn:source"),
    events: readPermissions(resources, events)(functionArn(name), "arn:source"),
  };
}

describe("readPermissions", () => {
  it.each([
    ["events.amazonaws.com", { apigateway: false, events: true }],
    ["apigateway.amazonaws.com", { apigateway: true, events: false }],
    ["lambda.amazonaws.com", { apigateway: false, events: false }],
  ])("lets only the service %s invoke the function", (service, expected) => {
    expect(allows(permission(service))).toEqual(expected);
  });

  it("accepts a source that matches the pattern", () => {
    expect(allows(permission(events, { SourceArn: "arn:so*" })).events).toBe(true);
  });

  it.each([
    ["source", permission(events, { SourceArn: "arn:other" }), "feed"],
    ["function", permission(events), "other"],
    ["action", permission(events, { Action: "lambda:GetFunction" }), "feed"],
  ])("ignores a permission for another %s", (_, properties, name) => {
    expect(allows(properties, name).events).toBe(false);
  });
});
