import { App, type AppProps, Stack, Validations } from "aws-cdk-lib";
import { AttributeType, Table } from "aws-cdk-lib/aws-dynamodb";
import {
  AccountRootPrincipal,
  PolicyDocument,
  PolicyStatement,
  Role,
  ServicePrincipal,
} from "aws-cdk-lib/aws-iam";
import { Key } from "aws-cdk-lib/aws-kms";
import { Code, Function as LambdaFunction, Runtime } from "aws-cdk-lib/aws-lambda";
import { readAccess } from "cdk-local-runner/testing";
import { AwsSolutionsChecks } from "cdk-nag";
import { describe, expect, it } from "vitest";
import cdk from "../../cdk.json" with { type: "json" };
import {
  acknowledgedInterfaces,
  networkInterfaces,
  opensWallets,
  opensWalletsThrough,
  walledRoleArn,
  walledRoleName,
} from "../../lib/infra/walls/walled-role.ts";
import { Walls } from "../../lib/infra/walls/walls.ts";
import { problemsIn } from "./schemas.ts";
import { only, propertiesOf, type Template } from "./synthesized.ts";

const networks = ["eth", "base"];
const passing = ["dynamodb:GetItem", "dynamodb:UpdateItem"];

/** A table and a key, and behind walls signTransaction; sealExport is not deployed; `bystander` is outside with the same rights. */
function app(props: AppProps = {}): App {
  const made = new App({ ...props, context: cdk.context, analyticsReporting: false });
  const data = new Stack(made, "Data");
  const table = new Table(data, "Table", {
    partitionKey: { name: "PK", type: AttributeType.STRING },
    pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
  });
  const signer = walledRoleArn(data, "Api", "signTransaction");
  const administers = new PolicyStatement({
    principals: [new AccountRootPrincipal()],
    actions: ["kms:PutKeyPolicy"],
    resources: ["*"],
  });
  const key = new Key(data, "Key", {
    enableKeyRotation: true,
    policy: new PolicyDocument({ statements: [administers, opensWallets("Sign", signer, networks)] }),
  });

  const api = new Stack(made, "Api");
  const roleArns = (["signTransaction", "sealExport"] as const).map((name) =>
    walledRoleArn(api, "Api", name),
  );
  const walls = new Walls(api, "Walls", {
    roleArns,
    kms: [{ actions: ["kms:Decrypt"], resource: key.keyArn }],
    dynamodb: [{ actions: passing, resource: table.tableArn }],
  });
  const define = (name: string, roleName: string | undefined, inside: boolean) => {
    const role = new Role(api, `${name}Role`, {
      ...(roleName !== undefined && { roleName }),
      assumedBy: new ServicePrincipal("lambda.amazonaws.com"),
      inlinePolicies: {
        Table: new PolicyDocument({
          statements: [
            new PolicyStatement({ actions: [...passing, "dynamodb:PutItem"], resources: [table.tableArn] }),
          ],
        }),
        Key: new PolicyDocument({
          statements: [opensWalletsThrough(walls.kmsEndpointID, key.keyArn, networks)],
        }),
        ...(inside && { Network: networkInterfaces() }),
      },
    });
    if (inside) Validations.of(role).acknowledge(acknowledgedInterfaces);
    new LambdaFunction(api, name, {
      functionName: name,
      role,
      code: Code.fromInline("0"),
      handler: "index.handler",
      runtime: Runtime.NODEJS_24_X,
      ...(inside && { environment: walls.environment }),
      ...(inside && { vpc: walls.vpc, vpcSubnets: walls.subnets, securityGroups: [walls.securityGroup] }),
    });
  };
  define("signTransaction", walledRoleName("Api", "signTransaction"), true);
  define("bystander", undefined, false);
  define("impostor", undefined, true);
  return made;
}

const stacks = app({ builtinCloudFormationValidation: false }).synth().stacks;
const templates = stacks.map(({ stackName: name, template }) => ({ name, template }));
const api = templates.find(({ name }) => name === "Api")?.template as Template;
const types = Object.values(api.Resources).map(({ Type }) => Type);

describe("Walls", () => {
  it("break no rule of AWS Solutions, and no stack needs the other twice", () => {
    const checked = app({ builtinCloudFormationValidation: false });
    Validations.of(checked).addPlugins(new AwsSolutionsChecks(checked));
    expect(() => checked.synth()).not.toThrow();
  });

  it("have what AWS's schemas list and require", () => {
    for (const { template } of templates) expect(problemsIn(template)).toEqual([]);
  });

  it("have no way out: no gateway, address, peering or route", () => {
    const ways = types.filter((type) =>
      /::(.*Gateway.*|EIP|Route|VPCPeering.*|TransitGateway.*|EgressOnly.*|VPN.*)$/.test(type),
    );
    expect(ways).toEqual([]);
    expect(types.filter((type) => type === "AWS::EC2::Subnet")).toHaveLength(2);
    expect(propertiesOf(api, "AWS::EC2::Subnet")).toEqual(
      Array(2).fill(expect.objectContaining({ MapPublicIpOnLaunch: false })),
    );
  });

  it("bring no function but their own, which would have rights on networks", () => {
    expect(types.filter((type) => type.startsWith("Custom::"))).toEqual([]);
  });

  it("let functions send to port 443 alone, and KMS's endpoint take from them alone", () => {
    const groups = propertiesOf<{ SecurityGroupEgress?: object[]; SecurityGroupIngress?: object[] }>(
      api,
      "AWS::EC2::SecurityGroup",
    );
    const [functions, endpoint] = groups;
    expect(groups).toHaveLength(2);
    expect(functions?.SecurityGroupIngress).toBeUndefined();
    expect(functions?.SecurityGroupEgress).toEqual([
      expect.objectContaining({ CidrIp: "0.0.0.0/0", FromPort: 443, IpProtocol: "tcp", ToPort: 443 }),
    ]);
    expect(endpoint?.SecurityGroupIngress).toBeUndefined();
    expect(endpoint?.SecurityGroupEgress).toEqual([
      expect.objectContaining({ CidrIp: "255.255.255.255/32", IpProtocol: "icmp" }),
    ]);
    expect(only(api, "AWS::EC2::SecurityGroupIngress").Properties).toMatchObject({
      FromPort: 443,
      ToPort: 443,
      GroupId: { "Fn::GetAtt": [expect.stringContaining("AtKms"), "GroupId"] },
      SourceSecurityGroupId: { "Fn::GetAtt": [expect.stringContaining("Functions"), "GroupId"] },
    });
  });

  it("resolve the names of two services, and block all others", () => {
    const { FirewallRules } = only<{ FirewallRules: { Priority: number }[] }>(
      api,
      "AWS::Route53Resolver::FirewallRuleGroup",
    ).Properties;
    expect(FirewallRules.toSorted((a, b) => a.Priority - b.Priority)).toMatchObject([
      { Action: "ALLOW", FirewallDomainListId: { "Fn::GetAtt": [expect.stringContaining("Allowed"), "Id"] } },
      { Action: "BLOCK", FirewallDomainListId: { "Fn::GetAtt": [expect.stringContaining("All"), "Id"] } },
    ]);
    const host = (service: string) => ({
      "Fn::Join": ["", [`${service}.`, { Ref: "AWS::Region" }, ".", { Ref: "AWS::URLSuffix" }]],
    });
    const lists = propertiesOf<{ Domains: unknown[] }>(api, "AWS::Route53Resolver::FirewallDomainList");
    expect(lists.map(({ Domains }) => Domains)).toEqual([[host("dynamodb"), host("kms")], ["*"]]);
    expect(only(api, "AWS::Route53Resolver::FirewallRuleGroupAssociation").Properties).toMatchObject({
      VpcId: { Ref: only(api, "AWS::EC2::VPC").id },
    });
  });
});

describe("the policies of the walls", () => {
  const access = readAccess(templates);
  const idOf = (type: string) => {
    const ids = templates.flatMap(({ template }) =>
      Object.entries((template as Template).Resources).filter(([, { Type }]) => Type === type),
    );
    return ids[0]?.[0] ?? "";
  };
  const logicalIdOf = (name: string) =>
    Object.keys(api.Resources).find((id) => api.Resources[id]?.Properties.FunctionName === name) ?? "";
  const key = access.arn(idOf("AWS::KMS::Key"));
  const table = access.arn(idOf("AWS::DynamoDB::Table"));
  const wallet = { userID: "u", walletID: "w", network: "eth", address: "0x1" };
  const opening = (context: Record<string, string> = wallet, action = "kms:Decrypt") => ({
    action,
    resource: key,
    values: {
      ...Object.fromEntries(
        Object.entries(context).map(([name, value]) => [`kms:EncryptionContext:${name}`, [value]]),
      ),
      "kms:EncryptionContextKeys": Object.keys(context),
    },
  });
  const open = (name: string, ...what: Parameters<typeof opening>) => access.denial(name, opening(...what));

  /** What signTransaction gets when it opens a wallet, in templates in which a resource has other properties. */
  function openIf(id: string, properties: object) {
    const changed = structuredClone(templates) as { name: string; template: Template }[];
    for (const { template } of changed) Object.assign(template.Resources[id]?.Properties ?? {}, properties);
    return readAccess(changed).denial("signTransaction", opening());
  }

  it("let the signer open one wallet of a network that trades", () => {
    expect(open("signTransaction")).toBeUndefined();
    const { userID: _, ...unbound } = wallet;
    for (const context of [{ ...wallet, network: "sol" }, { ...wallet, another: "x" }, unbound, {}])
      expect(open("signTransaction", context)).toMatch(
        /^User: .* is not authorized to perform: kms:Decrypt /,
      );
    for (const action of ["kms:Encrypt", "kms:GenerateDataKey", "kms:CreateGrant", "kms:ReEncryptFrom"])
      expect(open("signTransaction", wallet, action)).toBeDefined();
  });

  it("let no other role open one, even with the same policy and behind the walls", () => {
    expect(open("bystander")).toMatch(/no resource-based policy/);
    expect(open("impostor")).toMatch(/no VPC endpoint policy/);
  });

  it("let the signer open none if it is outside the walls, or the key's policy names another role", () => {
    const outside = openIf(logicalIdOf("signTransaction"), { VpcConfig: undefined });
    expect(outside).toMatch(/no identity-based policy/);
    const other = opensWallets("Sign", "arn:aws:iam::000000000000:role/other", networks).toJSON();
    const Principal = { AWS: "arn:aws:iam::000000000000:root" };
    const KeyPolicy = { Statement: [{ ...other, Principal }] };
    expect(openIf(idOf("AWS::KMS::Key"), { KeyPolicy })).toMatch(/no resource-based policy/);
  });

  it("pass through DynamoDB's endpoint what was named, on this table", () => {
    const ask = (name: string, action: string, resource = table) =>
      access.denial(name, { action: `dynamodb:${action}`, resource });
    expect(ask("signTransaction", "UpdateItem")).toBeUndefined();
    expect(ask("signTransaction", "PutItem")).toMatch(/no VPC endpoint policy/);
    expect(ask("signTransaction", "UpdateItem", `${table}2`)).toBeDefined();
    expect(ask("impostor", "UpdateItem")).toMatch(/no VPC endpoint policy/);
    expect(ask("bystander", "PutItem")).toBeUndefined();
  });

  it("keep Lambda's rights on networks from the function's code", () => {
    const [allowed, denied] = networkInterfaces().toJSON().Statement;
    expect(denied).toEqual({
      ...allowed,
      Effect: "Deny",
      Condition: { Null: { "lambda:SourceFunctionArn": "false" } },
    });
  });
});
