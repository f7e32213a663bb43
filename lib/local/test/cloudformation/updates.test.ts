import { describe, expect, it } from "vitest";
import { resourceTypes } from "../../src/cloudformation/resource-types.ts";
import { resolveStacks } from "../../src/cloudformation/resources.ts";
import { checkUpdates } from "../../src/cloudformation/updates.ts";
import { keepingStore } from "../streams/mapping-fixture.ts";

const types = resourceTypes(() => ({ keyId: "key", arn: "arn" }));

function stack(name: string, Resources: Record<string, { Type: string; Properties?: object }>, Outputs = {}) {
  return { name, template: { Parameters: {}, Conditions: {}, Resources, Outputs } as never };
}

const data = (tableName: string, ...secrets: string[]) =>
  stack(
    "Data",
    {
      Table: { Type: "AWS::DynamoDB::Table", Properties: { TableName: tableName } },
      ...Object.fromEntries(secrets.map((name) => [name, { Type: "AWS::SecretsManager::Secret" }])),
    },
    {
      Table: { Value: { Ref: "Table" }, Export: { Name: "Data:Table" } },
      ...Object.fromEntries(secrets.map((name) => [name, { Value: { Ref: name } }])),
    },
  );
const reader = stack("Reader", {
  Alarm: { Type: "AWS::CloudWatch::Alarm", Properties: { Of: { "Fn::ImportValue": "Data:Table" } } },
});
const edge = (secret: string) => {
  const arn = { "Fn::GetStackOutput": { StackName: "Data", OutputName: secret } };
  const Key = { "Fn::Join": ["", ["{{resolve:secretsmanager:", arn, ":SecretString:::}}"]] };
  return stack("Edge", { It: { Type: "AWS::CloudFront::Distribution", Properties: { Origins: [{ Key }] } } });
};

/** Starts with each of these sets of stacks in turn, always on the same data. */
const deploy = (...versions: ReturnType<typeof stack>[][]) => {
  const store = keepingStore();
  for (const stacks of versions) checkUpdates(resolveStacks(stacks, types), store);
};

describe("checkUpdates", () => {
  it("refuses to replace or remove an export that another stack imported, even if it no longer does", () => {
    deploy([data("a"), reader], [data("a"), reader]);
    const refusal = "AWS would refuse this update: Reader still uses the export Data:Table";
    expect(() => deploy([data("a"), reader], [data("b"), reader])).toThrow(refusal);
    const none = stack("Data", {});
    expect(() => deploy([data("a"), reader], [none, stack("Reader", {})])).toThrow(refusal);
    deploy([data("a"), reader], [data("a"), stack("Reader", {})], [none, stack("Reader", {})]);
  });

  it("refuses to remove a secret together with another stack's reference to it", () => {
    expect(() => deploy([data("a", "One"), edge("One")], [data("a", "Two"), edge("Two")])).toThrow(
      "Edge still uses the secret arn:aws:secretsmanager:us-east-1:000000000000:secret:Data-One-local1",
    );
    deploy(
      [data("a", "One"), edge("One")],
      [data("a", "One", "Two"), edge("Two")],
      [data("a", "Two"), edge("Two")],
    );
  });

  it("ignores a stack that no longer exists", () => {
    deploy([data("a"), reader], [data("b")]);
  });
});
