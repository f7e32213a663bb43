import { Aws, Validations } from "aws-cdk-lib";
import {
  GatewayVpcEndpoint,
  GatewayVpcEndpointAwsService,
  InterfaceVpcEndpoint,
  InterfaceVpcEndpointAwsService,
  IpAddresses,
  type IVpc,
  Peer,
  Port,
  SecurityGroup,
  SubnetType,
  Vpc,
} from "aws-cdk-lib/aws-ec2";
import { AnyPrincipal, PolicyStatement } from "aws-cdk-lib/aws-iam";
import {
  CfnFirewallDomainList,
  CfnFirewallRuleGroup,
  CfnFirewallRuleGroupAssociation,
} from "aws-cdk-lib/aws-route53resolver";
import { Construct } from "constructs";

/** Actions on one resource that may pass an endpoint. */
export type Passing = { actions: readonly string[]; resource: string };

export type WallsProps = {
  /** ARNs of the roles that may use the endpoints. */
  roleArns: readonly string[];
  dynamodb: readonly Passing[];
  kms: readonly Passing[];
};

const isolated = { subnetType: SubnetType.PRIVATE_ISOLATED };
const https = Port.tcp(443);

/**
 * The network of functions that open wallets. It has no route but to DynamoDB and KMS, whose endpoints let only the roles of
 * these functions pass, for what they need. Names of other hosts do not resolve either: a lookup could carry a key out.
 */
export class Walls extends Construct {
  readonly vpc: IVpc;
  readonly subnets = isolated;
  /** Variables of the functions: the SDK would else use names with the account's id, which do not resolve. */
  readonly environment = { AWS_ACCOUNT_ID_ENDPOINT_MODE: "disabled" };
  /** Of the functions. */
  readonly securityGroup: SecurityGroup;
  /** The id of KMS's endpoint, for conditions of `aws:SourceVpce`. */
  readonly kmsEndpointID: string;

  constructor(scope: Construct, id: string, { roleArns, dynamodb, kms }: WallsProps) {
    super(scope, id);
    const vpc = new Vpc(this, "Vpc", {
      ipAddresses: IpAddresses.cidr("10.0.0.0/24"),
      maxAzs: 2,
      natGateways: 0,
      createInternetGateway: false,
      // It would bring a function with rights on networks. Nothing uses the default group.
      restrictDefaultSecurityGroup: false,
      subnetConfiguration: [{ name: "Isolated", cidrMask: 26, ...isolated }],
    }) as IVpc;
    Validations.of(vpc).acknowledge({
      id: "AwsSolutions-VPC7",
      reason: "Nothing but two services can be reached, and CloudTrail has the calls of KMS.",
    });
    this.vpc = vpc;

    this.securityGroup = new SecurityGroup(this, "Functions", {
      vpc,
      description: "Functions that open wallets",
      allowAllOutbound: false,
    });
    // A stack for any account and Region cannot know the addresses of DynamoDB. Routes are the wall.
    this.securityGroup.addEgressRule(Peer.anyIpv4(), https, "To the endpoints, where all routes lead");
    const atKms = new SecurityGroup(this, "AtKms", {
      vpc,
      description: "The endpoint of KMS",
      allowAllOutbound: false,
    });
    atKms.addIngressRule(this.securityGroup, https, "From functions that open wallets");

    const toKms = new InterfaceVpcEndpoint(this, "Kms", {
      vpc,
      service: InterfaceVpcEndpointAwsService.KMS,
      subnets: isolated,
      securityGroups: [atKms],
      open: false,
      privateDnsEnabled: true,
    });
    const toDynamoDb = new GatewayVpcEndpoint(this, "DynamoDb", {
      vpc,
      service: GatewayVpcEndpointAwsService.DYNAMODB,
      subnets: [isolated],
    });
    for (const [endpoint, passing] of [
      [toKms, kms],
      [toDynamoDb, dynamodb],
    ] as const)
      for (const each of passing) endpoint.addToPolicy(pass(roleArns, each));
    this.kmsEndpointID = toKms.vpcEndpointId;

    this.#blockNames();
  }

  #blockNames(): void {
    const hosts = ["dynamodb", "kms"].map((service) => `${service}.${Aws.REGION}.${Aws.URL_SUFFIX}`);
    const allowed = new CfnFirewallDomainList(this, "AllowedNames", { domains: hosts });
    const all = new CfnFirewallDomainList(this, "AllNames", { domains: ["*"] });
    const rules = new CfnFirewallRuleGroup(this, "Names", {
      firewallRules: [
        {
          priority: 1,
          action: "ALLOW",
          firewallDomainListId: allowed.attrId,
          // AWS may answer with an alias of its own.
          firewallDomainRedirectionAction: "TRUST_REDIRECTION_DOMAIN",
        },
        { priority: 2, action: "BLOCK", blockResponse: "NXDOMAIN", firewallDomainListId: all.attrId },
      ],
    });
    new CfnFirewallRuleGroupAssociation(this, "NamesOfVpc", {
      firewallRuleGroupId: rules.attrId,
      vpcId: this.vpc.vpcId,
      // AWS keeps 100 and below.
      priority: 101,
    });
  }
}

/** Endpoints know a role by a condition only: as the principal of a gateway's policy, AWS takes no more than the account. */
const pass = (roleArns: readonly string[], { actions, resource }: Passing) =>
  new PolicyStatement({
    principals: [new AnyPrincipal()],
    actions: [...actions],
    resources: [resource],
    conditions: { ArnEquals: { "aws:PrincipalArn": [...roleArns] } },
  });
