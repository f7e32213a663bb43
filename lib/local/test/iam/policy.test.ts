import { describe, expect, it } from "vitest";
import { type PolicyRequest, readPolicy } from "../../src/iam/policy.ts";
import { allow, type Condition, policy } from "../support/policies.ts";

/** Evaluates a document for each action, without values for conditions. */
const verdicts = (document: unknown, actions: string[], request: Partial<PolicyRequest> = {}) => {
  const read = readPolicy(document);
  return actions.map((action) => read({ action, values: {}, ...request }));
};

/** Evaluates whether a statement with this condition allows a request with these values. */
const holds = (condition: Condition, values: Record<string, string[]>) =>
  verdicts(policy(allow("kms:Decrypt", condition)), ["kms:Decrypt"], { values })[0] === "Allow";

describe("readPolicy", () => {
  it("allows only the actions of a statement, including patterns", () => {
    const document = policy(allow(["kms:Describe*", "kms:decrypt"]));
    expect(verdicts(document, ["kms:DescribeKey", "kms:Decrypt", "kms:Encrypt"])).toEqual([
      "Allow",
      "Allow",
      undefined,
    ]);
  });

  it("lets a denial override other statements", () => {
    const document = policy(allow("kms:*"), { ...allow("kms:Decrypt"), Effect: "Deny" });
    expect(verdicts(document, ["kms:Decrypt", "kms:Encrypt"])).toEqual(["Deny", "Allow"]);
  });

  it("reads a single statement that is not in a list", () => {
    expect(verdicts({ Statement: allow("kms:Decrypt") }, ["kms:Decrypt"])).toEqual(["Allow"]);
  });

  it("skips statements for services", () => {
    const document = policy(allow("kms:*", {}, { Service: "logs.amazonaws.com" }));
    expect(verdicts(document, ["kms:Decrypt"])).toEqual([undefined]);
  });

  it("applies a statement to its resources", () => {
    const table = "arn:aws:dynamodb:us-east-1:000000000000:table/t";
    const document = policy({ ...allow("dynamodb:Query"), Resource: [`${table}/index/*`, `${table}2`] });
    const of = (resource: string) => verdicts(document, ["dynamodb:Query"], { resource })[0];
    expect([`${table}/index/i`, `${table}2`, table].map(of)).toEqual(["Allow", "Allow", undefined]);
  });

  it("applies a statement to its principals", () => {
    const role = "arn:aws:iam::000000000000:role/signer";
    const document = policy(allow("kms:Sign", {}, { AWS: [role] }), allow("kms:Verify", {}, "*"));
    const of = (name: string) => verdicts(document, ["kms:Sign", "kms:Verify"], { principals: [name] });
    expect(of(role)).toEqual(["Allow", "Allow"]);
    expect(of(`${role}2`)).toEqual([undefined, "Allow"]);
  });

  it("skips only statements that concern other services", () => {
    const foreign = { ...allow("s3:*"), Condition: { DateLessThan: { k: "2030" } } };
    const options = { services: ["kms", "dynamodb"] };
    expect(() => readPolicy(policy(foreign), options)).not.toThrow();
    for (const Action of ["*", "k*:Decrypt", "DynamoDB:GetItem"])
      expect(() => readPolicy(policy({ ...foreign, Action }), options)).toThrow("DateLessThan");
    const rest = { Effect: "Allow", NotAction: "s3:*", Resource: "*" };
    expect(() => readPolicy(policy(rest), options)).toThrow();
  });

  it.each<[string, Condition, Record<string, string[]>, boolean]>([
    ["equal text", { StringEquals: { k: ["a", "b"] } }, { k: ["b"] }, true],
    ["other text", { StringEquals: { k: "a" } }, { k: ["A"] }, false],
    ["an absent key", { StringEquals: { k: "a" } }, {}, false],
    ["a pattern", { StringLike: { k: "a*" } }, { k: ["abc"] }, true],
    [
      "an asterisk in StringEquals, which is not a pattern",
      { StringEquals: { k: "a*" } },
      { k: ["abc"] },
      false,
    ],
    ["a boolean", { Bool: { k: "true" } }, { k: ["true"] }, true],
    ["only some for ForAllValues", { "ForAllValues:StringEquals": { k: ["a"] } }, { k: ["a", "b"] }, false],
    ["a part for ForAllValues", { "ForAllValues:StringEquals": { k: ["a", "b"] } }, { k: ["a"] }, true],
    ["an absent key for ForAllValues", { "ForAllValues:StringEquals": { k: ["a"] } }, {}, true],
    ["one of many for ForAnyValue", { "ForAnyValue:StringEquals": { k: ["a"] } }, { k: ["a", "b"] }, true],
    ["an absent key for ForAnyValue", { "ForAnyValue:StringEquals": { k: ["a"] } }, {}, false],
    ["other text in a negation", { StringNotEquals: { k: ["a", "b"] } }, { k: ["c"] }, true],
    ["equal text in a negation", { StringNotLike: { k: "a*" } }, { k: ["ab"] }, false],
    ["an absent key in a negation", { StringNotEquals: { k: "a" } }, {}, true],
    ["one of many in a negation", { "ForAnyValue:StringNotLike": { k: "a*" } }, { k: ["a", "b"] }, true],
    ["all of many in a negation", { "ForAllValues:StringNotLike": { k: "a*" } }, { k: ["a", "b"] }, false],
    ["an ARN", { ArnEquals: { k: "arn:aws:iam::1:role/a*" } }, { k: ["arn:aws:iam::1:role/ab:c"] }, true],
    [
      "an asterisk within a part of an ARN",
      { ArnLike: { k: "arn:*:role" } },
      { k: ["arn:aws:iam:role"] },
      false,
    ],
    ["a present key that must be present", { Null: { k: "false" } }, { k: ["a"] }, true],
    ["an absent key that must be present", { Null: { k: "false" } }, {}, false],
    ["an absent key that must be absent", { Null: { k: "true" } }, {}, true],
    [
      "two conditions of which one fails",
      { Bool: { a: "true" }, Null: { k: "false" } },
      { a: ["true"] },
      false,
    ],
  ])("decides like IAM about %s", (_, condition, values, expected) => {
    expect(holds(condition, values)).toBe(expected);
  });

  it("refuses operators that it does not emulate", () => {
    expect(() => readPolicy(policy(allow("kms:*", { DateLessThan: { k: "2030" } })))).toThrow("DateLessThan");
    expect(() => readPolicy(policy(allow("kms:*", { BoolNotEquals: { k: "true" } })))).toThrow(
      "BoolNotEquals",
    );
  });

  it("reads a special character in braces literally", () => {
    const star = "tags/" + "$" + "{*}";
    expect(holds({ StringLike: { k: star } }, { k: ["tags/*"] })).toBe(true);
    expect(holds({ StringLike: { k: star } }, { k: ["tags/x"] })).toBe(false);
  });

  it("refuses policy variables and unknown condition keys", () => {
    const variable = allow("kms:*", { StringEquals: { k: "$" + "{aws:username}" } });
    expect(() => readPolicy(policy(variable))).toThrow("the policy variable in $");
    const unknown = allow("kms:*", { StringEquals: { "kms:CallerAccount": "1" } });
    expect(() => readPolicy(policy(unknown), { isKnown: (key) => key === "k" })).toThrow(
      "the condition key kms:CallerAccount",
    );
  });
});
