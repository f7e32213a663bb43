// biome-ignore-all lint/suspicious/noTemplateCurlyInString: that is how Fn::Sub is written
import { describe, expect, it } from "vitest";
import { resourceTypes } from "../../src/cloudformation/resource-types.ts";
import { resolveStacks } from "../../src/cloudformation/resources.ts";
import { StartupError } from "../../src/startup-error.ts";

const types = resourceTypes(({ logicalId }) => ({ keyId: `id of ${logicalId}`, arn: `arn of ${logicalId}` }));

type Sections = {
  Resources?: Record<string, { Type: string; Properties?: Record<string, unknown>; Condition?: string }>;
  Outputs?: Record<string, { Value: unknown; Export?: { Name: unknown }; Condition?: string }>;
  Parameters?: Record<string, { Default?: unknown }>;
  Conditions?: Record<string, unknown>;
};

function stack(name: string, { Resources = {}, Outputs = {}, Parameters = {}, Conditions = {} }: Sections) {
  return { name, template: { Resources, Outputs, Parameters, Conditions } };
}

const resolve = (...stacks: ReturnType<typeof stack>[]) => resolveStacks(stacks, types);

const value = (Value: unknown, more: Sections = {}) =>
  resolve(stack("S", { ...more, Outputs: { V: { Value } } })).outputs().V;

describe("references between resources", () => {
  const Resources = {
    Table: { Type: "AWS::DynamoDB::Table" },
    Key: { Type: "AWS::KMS::Key" },
    Fn: { Type: "AWS::Lambda::Function" },
    Named: {
      Type: "AWS::Lambda::Function",
      Properties: { FunctionName: { "Fn::Sub": "${AWS::StackName}-x" } },
    },
    Role: { Type: "AWS::IAM::Role" },
    Log: { Type: "AWS::Logs::LogGroup" },
    Api: { Type: "AWS::ApiGateway::RestApi" },
    Part: { Type: "AWS::ApiGateway::Resource" },
    Stage: { Type: "AWS::ApiGateway::Stage", Properties: { StageName: "live" } },
    Alias: { Type: "AWS::KMS::Alias", Properties: { AliasName: "alias/x" } },
    Rule: { Type: "AWS::Events::Rule", Properties: { Name: "each-minute" } },
    Queue: { Type: "AWS::SQS::Queue" },
  };

  it.each([
    [{ Ref: "Table" }, "S-Table"],
    [{ "Fn::GetAtt": ["Table", "Arn"] }, "arn:aws:dynamodb:us-east-1:000000000000:table/S-Table"],
    [{ Ref: "Key" }, "id of Key"],
    [{ "Fn::GetAtt": ["Key", "Arn"] }, "arn of Key"],
    [{ Ref: "Fn" }, "S-Fn"],
    [{ "Fn::GetAtt": ["Fn", "Arn"] }, "arn:aws:lambda:us-east-1:000000000000:function:S-Fn"],
    [{ Ref: "Named" }, "S-x"],
    [{ "Fn::GetAtt": ["Role", "Arn"] }, "arn:aws:iam::000000000000:role/S-Role"],
    [{ "Fn::GetAtt": ["Log", "Arn"] }, "arn:aws:logs:us-east-1:000000000000:log-group:S-Log:*"],
    [{ Ref: "Api" }, "Api"],
    [{ "Fn::GetAtt": ["Api", "RootResourceId"] }, "Api/root"],
    [{ Ref: "Part" }, "Part"],
    [{ Ref: "Stage" }, "live"],
    [{ Ref: "Alias" }, "alias/x"],
    [{ Ref: "Rule" }, "each-minute"],
    [{ "Fn::GetAtt": ["Rule", "Arn"] }, "arn:aws:events:us-east-1:000000000000:rule/each-minute"],
    [{ Ref: "Queue" }, "https://sqs.us-east-1.amazonaws.com/000000000000/S-Queue"],
    [{ "Fn::GetAtt": ["Queue", "QueueName"] }, "S-Queue"],
    [{ "Fn::GetAtt": ["Queue", "Arn"] }, "arn:aws:sqs:us-east-1:000000000000:S-Queue"],
    [{ Ref: "AWS::AccountId" }, "000000000000"],
    [{ "Fn::Sub": "${AWS::Partition}.${AWS::URLSuffix}.${AWS::StackName}" }, "aws.amazonaws.com.S"],
  ])("resolves a reference of the form %j to %s", (expression, expected) => {
    expect(value(expression, { Resources })).toBe(expected);
  });
});

describe("resolveStacks", () => {
  it.each([
    ["imports", { "Fn::ImportValue": "Data:Out" }],
    ["outputs", { "Fn::GetStackOutput": { StackName: "Data", OutputName: "Out" } }],
  ])("lets stacks refer to each other by %s, in either order", (_, Name) => {
    const producer = stack("Data", {
      Resources: { Table: { Type: "AWS::DynamoDB::Table" } },
      Outputs: { Out: { Value: { Ref: "Table" }, Export: { Name: { "Fn::Sub": "${AWS::StackName}:Out" } } } },
    });
    const consumer = stack("Api", {
      Resources: {
        Fn: { Type: "AWS::Lambda::Function", Properties: { Name } },
      },
    });
    for (const stacks of [
      [producer, consumer],
      [consumer, producer],
    ]) {
      const [fn] = resolve(...stacks).ofType("AWS::Lambda::Function");
      expect(fn?.property("Name")).toBe("Data-Table");
    }
  });

  it("resolves nested stacks with their parameters, in any order of references", () => {
    const nested = {
      Resources: {
        Fn: {
          Type: "AWS::Lambda::Function",
          Properties: { Name: { Ref: "Table" }, Other: { Ref: "Other" } },
        },
      },
      Outputs: { Name: { Value: { Ref: "Fn" }, Export: { Name: "nested" } } },
      Parameters: { Table: {}, Other: { Default: "d" } },
      Conditions: {},
    };
    const outer = stack("S", {
      Resources: {
        Inner: {
          Type: "AWS::CloudFormation::Stack",
          Properties: {
            TemplateURL: { "Fn::Sub": "https://s3.${AWS::Region}.${AWS::URLSuffix}/assets/inner.json" },
            Parameters: { Table: { "Fn::GetAtt": ["Table", "Arn"] } },
          },
        },
        Table: {
          Type: "AWS::DynamoDB::Table",
          Properties: { TableName: { "Fn::GetAtt": ["Inner", "Outputs.Name"] } },
        },
      },
      Outputs: { Out: { Value: { "Fn::GetAtt": ["Inner", "Outputs.Name"] } } },
    });
    const templateAt = (key: string) => (key === "inner.json" ? nested : undefined);
    const reader = stack("R", { Outputs: { Read: { Value: { "Fn::ImportValue": "nested" } } } });
    const resources = resolveStacks([{ ...outer, templateAt }, reader], types);
    const [fn] = resources.ofType("AWS::Lambda::Function");
    expect(fn?.properties()).toEqual({
      Name: "arn:aws:dynamodb:us-east-1:000000000000:table/S-Inner-Fn",
      Other: "d",
    });
    expect(resources.outputs()).toEqual({ Out: "S-Inner-Fn", Read: "S-Inner-Fn" });
  });

  it("gives parameters their default values", () => {
    expect(value({ Ref: "P" }, { Parameters: { P: { Default: "d" } } })).toBe("d");
  });

  it("omits a resource or output whose condition is false", () => {
    const sections: Sections = {
      Conditions: { Elsewhere: { "Fn::Equals": [{ Ref: "AWS::Region" }, "eu-west-1"] } },
      Resources: { Bucket: { Type: "AWS::SNS::Topic", Condition: "Elsewhere" } },
      Outputs: { Gone: { Value: 1, Condition: "Elsewhere" } },
    };
    const resources = resolve(stack("S", sections));
    expect(resources.all).toEqual([]);
    expect(resources.outputs()).toEqual({});
  });

  it("ignores the properties of resource types without effect", () => {
    const Role = { Type: "AWS::IAM::Role", Properties: { Policies: { "Fn::Unknown": 1 } } };
    expect(() => resolve(stack("S", { Resources: { Role } })).outputs()).not.toThrow();
  });

  it.each<[string, string, Sections]>([
    [
      "a resource type that is not emulated",
      "S: AWS::SNS::Topic (Files) is not emulated",
      { Resources: { Files: { Type: "AWS::SNS::Topic" } } },
    ],
    [
      "a type called like an inherited property",
      "S: toString (X) is not emulated",
      { Resources: { X: { Type: "toString" } } },
    ],
    [
      "a reference to nothing",
      "S: there is no resource Absent",
      { Outputs: { V: { Value: { Ref: "Absent" } } } },
    ],
    [
      "an attribute that is not emulated",
      "S: the attribute Arn of AWS::ApiGateway::RestApi (Api) is not emulated",
      {
        Resources: { Api: { Type: "AWS::ApiGateway::RestApi" } },
        Outputs: { V: { Value: { "Fn::GetAtt": ["Api", "Arn"] } } },
      },
    ],
    [
      "a parameter without a default",
      "S: the parameter P has no default",
      {
        Parameters: { P: {} },
        Outputs: { V: { Value: { Ref: "P" } } },
      },
    ],
    [
      "a nested stack whose template is not in the assembly",
      "S: there is no template of the nested stack N",
      {
        Resources: {
          N: { Type: "AWS::CloudFormation::Stack", Properties: { TemplateURL: "https://s3/x.json" } },
        },
      },
    ],
    [
      "an import that no stack exports",
      "S: no stack exports X",
      { Outputs: { V: { Value: { "Fn::ImportValue": "X" } } } },
    ],
    [
      "an output that a stack does not have",
      "S: Data has no output X",
      { Outputs: { V: { Value: { "Fn::GetStackOutput": { StackName: "Data", OutputName: "X" } } } } },
    ],
    [
      "a cycle",
      "Circular reference: S.Resources.A.Properties.FunctionName -> S.Resources.B.Properties.FunctionName -> S.Resources.A.Properties.FunctionName",
      {
        Resources: {
          A: { Type: "AWS::Lambda::Function", Properties: { FunctionName: { Ref: "B" } } },
          B: { Type: "AWS::Lambda::Function", Properties: { FunctionName: { Ref: "A" } } },
        },
        Outputs: { V: { Value: { Ref: "A" } } },
      },
    ],
    [
      "an intrinsic that is not emulated",
      "S.Outputs.V.Value: Fn::Cidr is not emulated",
      { Outputs: { V: { Value: { "Fn::Cidr": [] } } } },
    ],
  ])("rejects stacks with %s", (_, message, sections) => {
    const run = () => resolve(stack("S", sections)).outputs();
    expect(run).toThrow(StartupError);
    expect(run).toThrow(message);
    expect(message).not.toContain("\n");
  });
});
