import { Aws, Validations } from "aws-cdk-lib";
import type { Table } from "aws-cdk-lib/aws-dynamodb";
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
import type { IKey } from "aws-cdk-lib/aws-kms";
import type { FunctionOptions } from "aws-cdk-lib/aws-lambda";
import {
  CfnFirewallDomainList,
  CfnFirewallRuleGroup,
  CfnFirewallRuleGroupAssociation,
} from "aws-cdk-lib/aws-route53resolver";
import { Construct } from "constructs";
import { type OperationName, operations } from "../../operations/operations.ts";
import type { Operation } from "../../operations/types.ts";
import type { LeadingKeys } from "../configuration.ts";
import { deployedStackName } from "../functions/function-stack.ts";
import { roleArnOf } from "../functions/named-roles.ts";
import { tableActionsOf } from "../functions/transactions.ts";

/** Actions that an endpoint allows on one resource. */
type Passing = { actions: readonly string[]; resource: string };

export type WallsProps = {
  /** Functions that open wallets. */
  inside: readonly OperationName[];
  /** Two availability zones for the network's subnets. If undefined, AWS's list decides. */
  zones: readonly string[] | undefined;
  table: Table;
  leadingKeys: LeadingKeys;
  key: IKey;
  /** Keys that authenticate orders, and children of resting orders. Undefined if trading is off. */
  macKey: IKey | undefined;
  childMacKey: IKey | undefined;
};

const isolated = { subnetType: SubnetType.PRIVATE_ISOLATED };
const https = Port.tcp(443);

/**
 * A network for functions that open wallets. It reaches only DynamoDB and KMS, whose endpoints admit only the roles of
 * these functions, and only for the calls that they need. Names of other hosts do not resolve, because a lookup could
 * leak a key.
 */
export class Walls extends Construct {
  /**
   * Variables of the functions. They make the SDK use host names without the account's id, because names with the id do
   * not resolve in this network.
   */
  readonly environment = { AWS_ACCOUNT_ID_ENDPOINT_MODE: "disabled" };
  /** Id of the KMS endpoint, for conditions on `aws:SourceVpce`. */
  readonly kmsEndpointId: string;
  readonly #vpc: IVpc;
  readonly #groups: ReadonlyMap<OperationName, SecurityGroup>;

  constructor(scope: Construct, id: string, props: WallsProps) {
    const { inside, zones, table, leadingKeys, key, macKey, childMacKey } = props;
    super(scope, id);
    const vpc = new Vpc(this, "Vpc", {
      ipAddresses: IpAddresses.cidr("10.0.0.0/24"),
      ...(zones === undefined ? { maxAzs: 2 } : { availabilityZones: [...zones] }),
      natGateways: 0,
      createInternetGateway: false,
      // Leaves the default security group unrestricted, because nothing uses it. To restrict it, CDK would add a
      // function with rights on networks.
      restrictDefaultSecurityGroup: false,
      subnetConfiguration: [{ name: "Isolated", cidrMask: 26, ...isolated }],
    }) as IVpc;
    Validations.of(vpc).acknowledge({
      id: "AwsSolutions-VPC7",
      reason:
        "Functions in this network can reach only two services. CloudTrail records the calls of KMS, but those of DynamoDB only where its data events are switched on, which these stacks do not do.",
    });

    const atKms = new SecurityGroup(this, "AtKms", {
      vpc,
      description: "The endpoint of KMS",
      allowAllOutbound: false,
    });
    this.#vpc = vpc;
    this.#groups = new Map(inside.map((name) => [name, this.#groupOf(name, vpc)]));
    for (const [name, group] of this.#groups) atKms.addIngressRule(group, https, `From ${name}`);

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
    for (const name of inside) {
      const row: Operation = operations[name];
      const roleArn = roleArnOf(this, deployedStackName(this), name);
      toKms.addToPolicy(pass(roleArn, { actions: row.key, resource: key.keyArn }));
      if (macKey && row.mac.length > 0)
        toKms.addToPolicy(pass(roleArn, { actions: row.mac, resource: macKey.keyArn }));
      if (childMacKey && row.childMac.length > 0)
        toKms.addToPolicy(pass(roleArn, { actions: row.childMac, resource: childMacKey.keyArn }));
      toDynamoDb.addToPolicy(
        pass(roleArn, { actions: tableActionsOf(row, leadingKeys), resource: table.tableArn }),
      );
    }
    this.kmsEndpointId = toKms.vpcEndpointId;
    this.#blockNames(vpc);
  }

  /** Returns the options that place a function in this network. */
  placeOf(name: OperationName): Pick<FunctionOptions, "vpc" | "vpcSubnets" | "securityGroups"> {
    const group = this.#groups.get(name);
    if (group === undefined) throw new Error(`${name} does not run in this network`);
    return { vpc: this.#vpc, vpcSubnets: isolated, securityGroups: [group] };
  }

  /**
   * Creates the security group of one function. Functions that share subnets and a group also share network interfaces,
   * and the removal of one function would wait for interfaces that the other still uses.
   */
  #groupOf(name: OperationName, vpc: IVpc): SecurityGroup {
    const group = new SecurityGroup(this, name, {
      vpc,
      description: `The function ${name}`,
      allowAllOutbound: false,
    });
    // Allows every address, because the addresses of DynamoDB are unknown to a stack for any account and region. The
    // routes restrict traffic instead.
    group.addEgressRule(Peer.anyIpv4(), https, "To the endpoints, the only destinations with a route");
    return group;
  }

  #blockNames({ vpcId }: IVpc): void {
    const hosts = ["dynamodb", "kms"].map((service) => `${service}.${Aws.REGION}.${Aws.URL_SUFFIX}`);
    const allowed = new CfnFirewallDomainList(this, "AllowedNames", { domains: hosts });
    const all = new CfnFirewallDomainList(this, "AllNames", { domains: ["*"] });
    const rules = new CfnFirewallRuleGroup(this, "Names", {
      firewallRules: [
        {
          priority: 1,
          action: "ALLOW",
          firewallDomainListId: allowed.attrId,
          // Accepts an answer that contains one of AWS's aliases.
          firewallDomainRedirectionAction: "TRUST_REDIRECTION_DOMAIN",
        },
        { priority: 2, action: "BLOCK", blockResponse: "NXDOMAIN", firewallDomainListId: all.attrId },
      ],
    });
    new CfnFirewallRuleGroupAssociation(this, "NamesOfVpc", {
      firewallRuleGroupId: rules.attrId,
      vpcId,
      // Uses the first free priority, because AWS reserves those up to 100.
      priority: 101,
    });
  }
}

/**
 * Lets a role through an endpoint. A condition names the role, because a gateway endpoint's policy accepts only the
 * account as principal.
 */
const pass = (roleArn: string, { actions, resource }: Passing) =>
  new PolicyStatement({
    principals: [new AnyPrincipal()],
    actions: [...actions],
    resources: [resource],
    conditions: { ArnEquals: { "aws:PrincipalArn": roleArn } },
  });
