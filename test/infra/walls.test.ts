import { describe, expect, it } from "vitest";
import { operations } from "../../lib/operations/operations.ts";
import type { Operation } from "../../lib/operations/types.ts";
import { statementsOfRole } from "./statements.ts";
import {
  functionsOf,
  logicalIdOf,
  only,
  propertiesOf,
  resourcesOf,
  synthesize,
  type Template,
  tradingContext,
} from "./synthesized.ts";

const { api } = synthesize(tradingContext);
const open = synthesize({ ...tradingContext, signerVpc: false });
const types = Object.values(api.Resources).map(({ Type }) => Type);
const ids = (type: string) => Object.keys(resourcesOf(api, type));

describe("the VPC", () => {
  it("contains exactly the functions that decrypt wallets' keys", () => {
    const inside = Object.entries(functionsOf({ api })).filter(
      ([, { VpcConfig }]) => VpcConfig !== undefined,
    );
    const opening = Object.entries<Operation>(operations).filter(([, { opensWallets }]) => opensWallets);
    expect(inside.map(([name]) => name).sort()).toEqual(opening.map(([name]) => name).sort());
    expect(opening.map(([name]) => name)).toEqual(["sealExport", "signTransaction"]);
    const subnets = ids("AWS::EC2::Subnet").map((Ref) => ({ Ref }));
    for (const [name, { VpcConfig, Environment }] of inside) {
      // Functions with the same group would share network interfaces, so removing one would wait for the other.
      expect(VpcConfig).toEqual({
        SecurityGroupIds: [{ "Fn::GetAtt": [expect.stringContaining(name), "GroupId"] }],
        SubnetIds: subnets,
      });
      // By default, the SDK would use host names that do not resolve here.
      expect(Environment?.Variables).toMatchObject({ AWS_ACCOUNT_ID_ENDPOINT_MODE: "disabled" });
    }
  });

  it("keeps its functions' network interfaces alive through a daily invocation", () => {
    const rules = propertiesOf<{ ScheduleExpression: string; Targets: unknown }>(api, "AWS::Events::Rule");
    for (const name of ["sealExport", "signTransaction"])
      expect(rules).toContainEqual(
        expect.objectContaining({
          ScheduleExpression: "rate(1 day)",
          State: "ENABLED",
          Targets: [{ Arn: { "Fn::GetAtt": [logicalIdOf(api, name), "Arn"] }, Id: "Target0" }],
        }),
      );
    expect(JSON.stringify(open.api)).not.toContain("signTransactionPing");
  });

  it("denies Lambda's network rights to the functions' code", () => {
    const { signTransaction } = functionsOf({ api });
    const ofNetworks = statementsOfRole(api, signTransaction?.Role["Fn::GetAtt"][0] ?? "").filter(
      ({ Action }) => Action.join().includes("ec2:"),
    );
    const [allowed] = ofNetworks;
    expect(ofNetworks.slice(1)).toEqual([
      // Lambda's own calls name no function.
      { ...allowed, Effect: "Deny", Condition: { Null: { "lambda:SourceFunctionArn": "false" } } },
    ]);
  });

  it("creates no VPC if the context turns it off", () => {
    const withoutWalls = Object.values(open.api.Resources).map(({ Type }) => Type);
    expect(withoutWalls.filter((type) => /^AWS::(EC2|Route53Resolver)::/.test(type))).toEqual([]);
    expect(JSON.stringify(open.api)).not.toMatch(/VpcConfig|aws:SourceVpce|ACCOUNT_ID_ENDPOINT_MODE/);
  });

  it("leaves Lambda the rights to delete the interfaces of functions that leave the VPC", () => {
    const { signTransaction } = functionsOf(open);
    const statements = statementsOfRole(open.api, signTransaction?.Role["Fn::GetAtt"][0] ?? "");
    expect(statements.filter(({ Action }) => Action.includes("ec2:DeleteNetworkInterface"))).toEqual([
      expect.objectContaining({ Effect: "Allow" }),
      expect.objectContaining({ Effect: "Deny" }),
    ]);
  });

  it("completes the VPC before a function runs in it", () => {
    const complete = [
      ...ids("AWS::Route53Resolver::FirewallRuleGroupAssociation"),
      ...ids("AWS::EC2::VPCEndpoint"),
      ...ids("AWS::EC2::SecurityGroupIngress"),
    ];
    expect(complete.length).toBeGreaterThanOrEqual(5);
    for (const name of ["sealExport", "signTransaction"])
      expect(api.Resources[logicalIdOf(api, name)]?.DependsOn).toEqual(expect.arrayContaining(complete));
  });

  it("uses the zones that the context names, or AWS's first two", () => {
    const zonesOf = (template: Template) =>
      propertiesOf<{ AvailabilityZone: unknown }>(template, "AWS::EC2::Subnet").map(
        ({ AvailabilityZone }) => AvailabilityZone,
      );
    expect(zonesOf(api)).toEqual([0, 1].map((at) => ({ "Fn::Select": [at, { "Fn::GetAZs": "" }] })));
    const signerZones = ["us-east-1b", "us-east-1d"];
    expect(zonesOf(synthesize({ ...tradingContext, signerZones }).api)).toEqual(signerZones);
  });

  it("gives the VPC no connection to the outside: no gateway, address, peering or route", () => {
    const ways = types.filter((type) => /^AWS::EC2::(.*Gateway.*|EIP|Route|VPCPeering.*|VPN.*)$/.test(type));
    expect(ways).toEqual([]);
    expect(types.filter((type) => type === "AWS::EC2::Subnet")).toHaveLength(2);
    expect(propertiesOf(api, "AWS::EC2::Subnet")).toEqual(
      Array(2).fill(expect.objectContaining({ MapPublicIpOnLaunch: false })),
    );
  });

  it("adds no function that has rights on networks", () => {
    expect(types.filter((type) => type.startsWith("Custom::"))).toEqual([]);
  });

  it("lets functions send only to port 443, and lets KMS's endpoint accept only their requests", () => {
    const groups = propertiesOf<{ SecurityGroupEgress?: object[]; SecurityGroupIngress?: object[] }>(
      api,
      "AWS::EC2::SecurityGroup",
    );
    const [endpoint, ...functions] = groups;
    expect(functions).toHaveLength(2);
    for (const { SecurityGroupIngress, SecurityGroupEgress } of functions) {
      expect(SecurityGroupIngress).toBeUndefined();
      expect(SecurityGroupEgress).toEqual([
        expect.objectContaining({ CidrIp: "0.0.0.0/0", FromPort: 443, IpProtocol: "tcp", ToPort: 443 }),
      ]);
    }
    expect(endpoint?.SecurityGroupIngress).toBeUndefined();
    expect(endpoint?.SecurityGroupEgress).toEqual([
      expect.objectContaining({ CidrIp: "255.255.255.255/32", IpProtocol: "icmp" }),
    ]);
    expect(propertiesOf(api, "AWS::EC2::SecurityGroupIngress")).toEqual(
      ["sealExport", "signTransaction"].map((name) =>
        expect.objectContaining({
          FromPort: 443,
          ToPort: 443,
          GroupId: { "Fn::GetAtt": [expect.stringContaining("AtKms"), "GroupId"] },
          SourceSecurityGroupId: { "Fn::GetAtt": [expect.stringContaining(name), "GroupId"] },
        }),
      ),
    );
  });

  it("resolves the names of two services, and blocks all others", () => {
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
