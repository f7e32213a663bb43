import { describe, expect, it } from "vitest";
import { type Caller, denialOf } from "../../src/iam/caller.ts";
import { createCallers } from "../../src/iam/callers.ts";
import { readVpcEndpoints } from "../../src/iam/vpc-endpoints.ts";
import { resourcesOf } from "../cloudformation/stack.ts";

type Properties = Record<string, unknown>;
const resource = (Type: string, properties: Properties = {}) => ({ Type, Properties: properties });
const ref = (Ref: string) => ({ Ref });

const service = (name: string) => ({ "Fn::Sub": `com.amazonaws.\${AWS::Region}.${name}` });
const kmsEndpoint = (properties: Properties = {}) =>
  resource("AWS::EC2::VPCEndpoint", {
    VpcId: ref("Vpc"),
    ServiceName: service("kms"),
    VpcEndpointType: "Interface",
    PrivateDnsEnabled: true,
    ...properties,
  });
const allow = (Action: string, rest: object = {}) => ({ Effect: "Allow", Action, Resource: "*", ...rest });

/**
 * A VPC with the subnets A, whose route table has a gateway endpoint, and B; a role that may decrypt; and these other
 * resources.
 */
const network = (others: Record<string, { Type: string; Properties: Properties }> = {}) =>
  resourcesOf({
    Vpc: resource("AWS::EC2::VPC"),
    A: resource("AWS::EC2::Subnet", { VpcId: ref("Vpc") }),
    B: resource("AWS::EC2::Subnet", { VpcId: ref("Vpc") }),
    Elsewhere: resource("AWS::EC2::Subnet", { VpcId: "vpc-other" }),
    Routes: resource("AWS::EC2::RouteTable", { VpcId: ref("Vpc") }),
    ARoutes: resource("AWS::EC2::SubnetRouteTableAssociation", {
      SubnetId: ref("A"),
      RouteTableId: ref("Routes"),
    }),
    Gateway: resource("AWS::EC2::VPCEndpoint", {
      VpcId: ref("Vpc"),
      ServiceName: service("dynamodb"),
      RouteTableIds: [ref("Routes")],
    }),
    Kms: kmsEndpoint(),
    Role: resource("AWS::IAM::Role", {
      Policies: [
        {
          PolicyDocument: {
            Statement: [
              allow("kms:Decrypt", { Condition: { StringEquals: { "aws:SourceVpce": ref("Kms") } } }),
            ],
          },
        },
      ],
    }),
    ...others,
  });

describe("readVpcEndpoints", () => {
  it.each<[string[], string[] | undefined]>([
    [[], undefined],
    [["S-A"], ["dynamodb", "kms"]],
    [["S-A", "S-B"], ["kms"]],
    [["S-Elsewhere"], []],
  ])("gives functions in the subnets %j the endpoints %j", (subnetIds, expected) => {
    const endpoints = readVpcEndpoints(network())(subnetIds);
    expect(endpoints && Object.keys(endpoints)).toEqual(expected);
  });

  it.each<[Properties, string]>([
    [{ ServiceName: service("s3") }, "ServiceName: com.amazonaws.us-east-1.s3"],
    [{ PrivateDnsEnabled: false }, "PrivateDnsEnabled: an endpoint without the service's DNS name"],
    [{ VpcEndpointType: "GatewayLoadBalancer" }, "must be Gateway or Interface"],
  ])("refuses an endpoint with %o", (properties, message) => {
    expect(() => readVpcEndpoints(network({ Kms: kmsEndpoint(properties) }))).toThrow(message);
  });
});

describe("a call from a VPC", () => {
  function callerIn(subnetIds: string[], resources = network()): Caller {
    const roleArn = "arn:aws:iam::000000000000:role/S-Role";
    const endpoints = readVpcEndpoints(resources)(subnetIds);
    return createCallers([{ name: "f", arn: "arn", roleArn, endpoints }], resources).of("f");
  }
  const decrypt = (caller: Caller) =>
    denialOf(caller, { action: "kms:Decrypt", resource: "key", values: {} });

  it("sends a function's call through the endpoint of its VPC", () => {
    expect(decrypt(callerIn(["S-A"]))).toBeUndefined();
    expect(decrypt(callerIn([]))).toMatch(/because no identity-based policy allows the kms:Decrypt action$/);
  });

  it.each([
    [allow("kms:Decrypt", { Principal: "*" }), undefined],
    [
      allow("kms:Encrypt", { Principal: "*" }),
      "because no VPC endpoint policy allows the kms:Decrypt action",
    ],
    [
      allow("kms:*", {
        Principal: "*",
        Condition: { ArnEquals: { "aws:PrincipalArn": "arn:aws:iam::1:role/x" } },
      }),
      "because no VPC endpoint policy allows the kms:Decrypt action",
    ],
    [
      { ...allow("kms:*", { Principal: "*" }), Effect: "Deny" },
      "with an explicit deny in a VPC endpoint policy",
    ],
  ])("requires permission by the endpoint's policy: %o", (statement, reason) => {
    const resources = network({ Kms: kmsEndpoint({ PolicyDocument: { Statement: [statement] } }) });
    const denial = decrypt(callerIn(["S-A"], resources));
    expect(denial?.endsWith(reason ?? "?") ?? reason === undefined).toBe(true);
  });
});
