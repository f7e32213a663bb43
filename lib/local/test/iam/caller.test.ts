import { describe, expect, it } from "vitest";
import { type Caller, denialOf, readTemplatePolicy } from "../../src/iam/caller.ts";
import { createCallers } from "../../src/iam/callers.ts";
import { attribute, resourcesOf } from "../cloudformation/stack.ts";

const account = "000000000000";
const table = `arn:aws:dynamodb:us-east-1:${account}:table/t`;
const roleArn = `arn:aws:iam::${account}:role/S-Role`;

const allow = (Action: string | string[], rest: object = {}) => ({
  Effect: "Allow",
  Action,
  Resource: "*",
  ...rest,
});
const deny = (Action: string, rest: object = {}) => ({ ...allow(Action, rest), Effect: "Deny" });
const document = (...Statement: object[]) => ({ Version: "2012-10-17", Statement });
const inline = (...statements: object[]) => [{ PolicyName: "P", PolicyDocument: document(...statements) }];

/** Creates a caller whose role has these properties, in a stack with these other resources. */
function callerWith(Properties: Record<string, unknown>, others = {}): Caller {
  const resources = resourcesOf({ Role: { Type: "AWS::IAM::Role", Properties }, ...others });
  const fn = { name: "fn", arn: `arn:aws:lambda:us-east-1:${account}:function:fn`, roleArn };
  return createCallers([fn], resources).of("fn");
}

const mayPut = (caller: Caller) =>
  denialOf(caller, { action: "dynamodb:PutItem", resource: table, values: {} }) === undefined;

describe("createCallers", () => {
  const policy = (Type: string, Properties: object) => ({
    Policy: { Type, Properties: { PolicyDocument: document(allow("dynamodb:PutItem")), ...Properties } },
  });

  it.each<[string, Caller]>([
    ["inline policies", callerWith({ Policies: inline(allow("dynamodb:PutItem")) })],
    ["policies that name the role", callerWith({}, policy("AWS::IAM::Policy", { Roles: [{ Ref: "Role" }] }))],
    [
      "managed policies that name the role",
      callerWith({}, policy("AWS::IAM::ManagedPolicy", { Roles: [{ Ref: "Role" }] })),
    ],
    [
      "managed policies that the role names",
      callerWith({ ManagedPolicyArns: [{ Ref: "Policy" }] }, policy("AWS::IAM::ManagedPolicy", {})),
    ],
  ])("reads a role's %s", (_, caller) => {
    expect(mayPut(caller)).toBe(true);
  });

  it("allows what some policy of a role allows and none denies", () => {
    expect(mayPut(callerWith({}))).toBe(false);
    expect(mayPut(callerWith({}, policy("AWS::IAM::Policy", { Roles: ["another"] })))).toBe(false);
    const both = [...inline(allow("dynamodb:*")), ...inline(deny("dynamodb:Put*"))];
    expect(mayPut(callerWith({ Policies: both }))).toBe(false);
  });

  it("ignores AWS's managed policies for logs and networks, which grant no access to data", () => {
    const names = ["AWSLambdaBasicExecutionRole", "AWSLambdaVPCAccessExecutionRole"];
    const ManagedPolicyArns = names.map((name) => `arn:aws:iam::aws:policy/service-role/${name}`);
    expect(mayPut(callerWith({ ManagedPolicyArns }))).toBe(false);
  });

  it.each([
    [
      { ManagedPolicyArns: ["arn:aws:iam::aws:policy/AmazonDynamoDBFullAccess"] },
      "the managed policy arn:aws",
    ],
    [{ PermissionsBoundary: "arn" }, "PermissionsBoundary"],
    [
      {
        Policies: inline(
          allow("dynamodb:*", { Condition: { StringEquals: { "dynamodb:Select": "COUNT" } } }),
        ),
      },
      "the condition key dynamodb:Select",
    ],
  ])("refuses a role with %o", (properties, message) => {
    expect(() => callerWith(properties)).toThrow(
      `Role (AWS::IAM::Role) has something that is not emulated: ${message}`,
    );
  });

  it("refuses a role of another account", () => {
    const fn = { name: "fn", arn: "arn", roleArn: "arn:aws:iam::1:role/x" };
    expect(() => createCallers([fn], resourcesOf({}))).toThrow(
      "No stack has the role arn:aws:iam::1:role/x of a function.",
    );
  });

  it("gives each function separate credentials", () => {
    const functions = ["a", "b"].map((name) => ({ name, arn: name, roleArn }));
    const callers = createCallers(functions, resourcesOf({ Role: { Type: "AWS::IAM::Role" } }));
    const [a, b] = [callers.of("a").credentials, callers.of("b").credentials];
    expect(a).not.toEqual(b);
    expect(callers.find(a.accessKeyId)).toBe(callers.of("a"));
    expect(callers.find("unknown")).toBeUndefined();
  });
});

describe("denialOf", () => {
  const action = "kms:Decrypt";
  const key = `arn:aws:kms:us-east-1:${account}:key/k`;
  const user = `User: arn:aws:sts::${account}:assumed-role/S-Role/fn is not authorized to perform: ${action} on resource: ${key}`;
  const root = { AWS: `arn:aws:iam::${account}:root` };
  const role = { AWS: roleArn };
  const may = { Policies: inline(allow(action)) };
  const keyPolicy = (...statements: object[]) => readTemplatePolicy(document(...statements));
  const toAccount = keyPolicy(allow(action, { Principal: root }));
  const to = (name: string) =>
    keyPolicy(
      allow(action, {
        Principal: root,
        Condition: { ArnEquals: { "aws:PrincipalArn": `arn:aws:iam::*:role/${name}` } },
      }),
    );
  const ask = (properties: Record<string, unknown>, policy: ReturnType<typeof keyPolicy>) =>
    denialOf(callerWith(properties), { action, resource: key, values: {} }, policy);

  it("allows a call if the key's policy names the account and the role's policy allows it", () => {
    expect(ask(may, toAccount)).toBeUndefined();
    expect(ask(may, to("S-Role"))).toBeUndefined();
  });

  it("allows a call if the key's policy names the role", () => {
    expect(ask({}, keyPolicy(allow(action, { Principal: role })))).toBeUndefined();
  });

  it.each([
    [
      "no policy of the role",
      {},
      toAccount,
      "because no identity-based policy allows the kms:Decrypt action",
    ],
    [
      "no policy of the key",
      may,
      to("other"),
      "because no resource-based policy allows the kms:Decrypt action",
    ],
    [
      "a denial of the role",
      { Policies: inline(allow(action), deny("kms:*")) },
      toAccount,
      "with an explicit deny in an identity-based policy",
    ],
    [
      "a denial of the key",
      may,
      keyPolicy(allow(action, { Principal: root }), deny("kms:*", { Principal: root })),
      "with an explicit deny in a resource-based policy",
    ],
  ])("formats the refusal for %s like AWS", (_, properties, policy, reason) => {
    expect(ask(properties, policy)).toBe(`${user} ${reason}`);
  });

  it("limits the operator only by the key's policy", () => {
    const request = { action, resource: key, values: {} };
    expect(denialOf(undefined, request)).toBeUndefined();
    expect(denialOf(undefined, request, toAccount)).toBeUndefined();
    expect(denialOf(undefined, request, to("S-Role"))).toBe(
      `User: arn:aws:iam::${account}:root is not authorized to perform: ${action} on resource: ${key} because no resource-based policy allows the kms:Decrypt action`,
    );
  });

  it("identifies the function from which a call comes", () => {
    const Condition = { Null: { "lambda:SourceFunctionArn": "false" } };
    const properties = { Policies: inline(allow(action), deny("*", { Condition })) };
    expect(ask(properties, toAccount)).toMatch(/with an explicit deny in an identity-based policy$/);
  });

  it("resolves resources of the template", () => {
    const Resource = attribute("Table", "Arn");
    const properties = { Policies: inline(allow("dynamodb:PutItem", { Resource })) };
    const caller = callerWith(properties, { Table: { Type: "AWS::DynamoDB::Table" } });
    const ofTable = (name: string) =>
      denialOf(caller, {
        action: "dynamodb:PutItem",
        resource: `arn:aws:dynamodb:us-east-1:${account}:table/${name}`,
        values: {},
      });
    expect(ofTable("S-Table")).toBeUndefined();
    expect(ofTable("Other")).toMatch(/no identity-based policy/);
  });
});
