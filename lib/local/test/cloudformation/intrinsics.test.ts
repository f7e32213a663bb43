// biome-ignore-all lint/suspicious/noTemplateCurlyInString: that is how Fn::Sub is written
import { describe, expect, it } from "vitest";
import { resolve, resolveCondition, type Scope } from "../../src/cloudformation/intrinsics.ts";

const scope: Scope = {
  ref: (name) => ({ "AWS::Region": "us-east-1", Table: "T", Zones: ["a", "b"], Count: 3 })[name],
  attribute: (logicalId, name) => `${logicalId}/${name}`,
  imported: (name) => `imported ${name}`,
  output: (stack, name) => `${stack}'s ${name}`,
  condition: (name) => name === "Yes",
};

const at = (value: unknown) => resolve(value, scope, "Stack.Place");

describe("resolve", () => {
  it.each([
    ["plain values as they are", { a: [1, "x", true, null] }, { a: [1, "x", true, null] }],
    ["Ref", { Ref: "Table" }, "T"],
    ["Fn::GetAtt as a list", { "Fn::GetAtt": ["Key", "Arn"] }, "Key/Arn"],
    ["Fn::GetAtt as text", { "Fn::GetAtt": "Nested.Outputs.X" }, "Nested/Outputs.X"],
    ["Fn::Join", { "Fn::Join": [":", ["arn", { Ref: "AWS::Region" }, 7]] }, "arn:us-east-1:7"],
    ["Fn::Join of a referenced list", { "Fn::Join": ["", { Ref: "Zones" }] }, "ab"],
    ["Fn::Split", { "Fn::Split": ["/", { "Fn::GetAtt": ["Key", "Arn"] }] }, ["Key", "Arn"]],
    ["Fn::Select", { "Fn::Select": ["1", { "Fn::Split": ["/", "a/b/c"] }] }, "b"],
    ["Fn::Sub", { "Fn::Sub": "x-${AWS::Region}-${Key.Arn}-${!Literal}" }, "x-us-east-1-Key/Arn-${Literal}"],
    ["Fn::Sub with variables", { "Fn::Sub": ["${A}${Table}", { A: { Ref: "Count" } }] }, "3T"],
    ["Fn::ImportValue", { "Fn::ImportValue": { "Fn::Sub": "${Table}-Name" } }, "imported T-Name"],
    [
      "Fn::GetStackOutput",
      { "Fn::GetStackOutput": { StackName: "Data", OutputName: "O", Region: { Ref: "AWS::Region" } } },
      "Data's O",
    ],
    ["Fn::If with a true condition", { "Fn::If": ["Yes", { Ref: "Table" }, { "Fn::Unknown": 1 }] }, "T"],
    ["Fn::If with a false condition", { "Fn::If": ["No", 1, { a: { Ref: "Count" } }] }, { a: 3 }],
    ["a property called Ref among others", { Ref: "Table", Name: "n" }, { Ref: "Table", Name: "n" }],
  ])("resolves the intrinsic %s", (_, value, expected) => {
    expect(at(value)).toEqual(expected);
  });

  it("drops a property or element that is AWS::NoValue", () => {
    expect(at({ kept: 1, gone: { Ref: "AWS::NoValue" }, list: ["a", { Ref: "AWS::NoValue" }] })).toEqual({
      kept: 1,
      list: ["a"],
    });
  });
});

describe("resolve", () => {
  it.each([
    ["an unknown intrinsic", { a: [{ "Fn::Base64": "x" }] }, "Stack.Place.a.0: Fn::Base64 is not emulated"],
    ["an inherited name", { "Fn::toString": [] }, "Stack.Place: Fn::toString is not emulated"],
    [
      "an intrinsic among other keys",
      { "Fn::Join": ["", []], x: 1 },
      "Stack.Place: Fn::Join must stand alone",
    ],
    ["Fn::Join without its list", { "Fn::Join": [""] }, "Stack.Place.Fn::Join: expected 2 elements"],
    ["Fn::Join of an object", { "Fn::Join": ["", [{}]] }, "expected text, not {}"],
    ["Fn::Select beyond the end", { "Fn::Select": [5, ["a"]] }, "there is no element 5"],
    [
      "Fn::GetStackOutput from another Region",
      { "Fn::GetStackOutput": { StackName: "Data", OutputName: "O", Region: "eu-west-1" } },
      "other Regions are not emulated",
    ],
    [
      "Fn::GetStackOutput from another account",
      { "Fn::GetStackOutput": { StackName: "Data", OutputName: "O", RoleArn: "arn" } },
      "RoleArn is not emulated",
    ],
    ["Fn::Sub of a number", { "Fn::Sub": 5 }, "expected a list"],
  ])("rejects %s in a template", (_, value, message) => {
    expect(() => at(value)).toThrow(message);
  });
});

describe("resolveCondition", () => {
  const holds = (expression: unknown) => resolveCondition(expression, scope, "Stack.Conditions.C");
  const yes = { Condition: "Yes" };
  const no = { Condition: "No" };

  it.each([
    [yes, true],
    [no, false],
    [{ "Fn::Equals": [{ Ref: "AWS::Region" }, "us-east-1"] }, true],
    [{ "Fn::Equals": ["a", "b"] }, false],
    [{ "Fn::And": [yes, no] }, false],
    [{ "Fn::Or": [no, { "Fn::Not": [no] }] }, true],
  ])("resolves the condition %j to %s", (expression, expected) => {
    expect(holds(expression)).toBe(expected);
  });

  it.each([
    [{ "Fn::Contains": [[], "a"] }, "Fn::Contains is not emulated"],
    ["Yes", "expected a condition"],
  ])("rejects the condition %j", (expression, message) => {
    expect(() => holds(expression)).toThrow(message);
  });
});
