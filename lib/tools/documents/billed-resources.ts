import { prices } from "./price-table.ts";

/** Parts of a template that determine its costs. */
export type CostTemplate = {
  Resources: Record<string, { Type: string; Properties?: Record<string, unknown> }>;
};

type Resource = CostTemplate["Resources"][string];

/** Resources that cost money even when unused, with the number of billed units and the unit's name. */
export const atRest: Record<string, { units: (resource: Resource) => number; price: number; name: string }> =
  {
    "AWS::KMS::Key": { units: () => 1, price: prices.monthly.key, name: "KMS keys" },
    "AWS::CloudWatch::Alarm": {
      units: alarmMetrics,
      price: prices.monthly.alarmMetric,
      name: "Metrics of alarms",
    },
    "AWS::EC2::VPCEndpoint": {
      units: endpointAddresses,
      price: prices.monthly.endpointAddress,
      name: "Addresses of VPC endpoints",
    },
    "AWS::SecretsManager::Secret": { units: () => 1, price: prices.monthly.secret, name: "Secrets" },
    "AWS::WAFv2::WebACL": { units: () => 1, price: prices.monthly.webAcl, name: "Web ACLs" },
    "AWS::CloudWatch::Dashboard": { units: () => 1, price: prices.monthly.dashboard, name: "Dashboards" },
  };

/** AWS bills an alarm on an expression for each of its metrics. */
function alarmMetrics({ Properties = {} }: Resource): number {
  const metrics = Properties.Metrics as { MetricStat?: unknown }[] | undefined;
  return metrics === undefined ? 1 : metrics.filter(({ MetricStat }) => MetricStat !== undefined).length;
}

/** Counts one address per subnet for an interface endpoint. Gateway endpoints are free. */
function endpointAddresses({ Properties = {} }: Resource): number {
  const { SubnetIds = [] } = Properties as { SubnetIds?: unknown[] };
  return SubnetIds.length;
}

/** Resources that cost money only when they are used. */
const byUse = new Set([
  "AWS::ApiGateway::RestApi",
  "AWS::ApiGateway::Stage",
  "AWS::ApiGatewayV2::Api",
  "AWS::ApiGatewayV2::Stage",
  "AWS::CloudFront::Distribution",
  "AWS::Cognito::UserPool",
  "AWS::DynamoDB::Table",
  "AWS::Events::Rule",
  "AWS::Lambda::Function",
  "AWS::Logs::LogGroup",
  "AWS::Logs::MetricFilter",
  "AWS::Route53Resolver::FirewallDomainList",
  "AWS::Route53Resolver::FirewallRuleGroup",
  "AWS::SQS::Queue",
]);

const free = new Set([
  "AWS::ApiGateway::Account",
  "AWS::ApiGateway::ApiKey",
  "AWS::ApiGateway::Authorizer",
  "AWS::ApiGateway::BasePathMapping",
  "AWS::ApiGateway::Deployment",
  "AWS::ApiGateway::DomainName",
  "AWS::ApiGateway::GatewayResponse",
  "AWS::ApiGateway::Method",
  "AWS::ApiGateway::Resource",
  "AWS::ApiGateway::UsagePlan",
  "AWS::ApiGateway::UsagePlanKey",
  "AWS::ApiGatewayV2::ApiMapping",
  "AWS::ApiGatewayV2::Authorizer",
  "AWS::ApiGatewayV2::DomainName",
  "AWS::ApiGatewayV2::Integration",
  "AWS::ApiGatewayV2::Route",
  "AWS::ApiGatewayV2::RouteResponse",
  "AWS::Cognito::UserPoolClient",
  "AWS::EC2::RouteTable",
  "AWS::EC2::SecurityGroup",
  "AWS::EC2::SecurityGroupIngress",
  "AWS::EC2::Subnet",
  "AWS::EC2::SubnetRouteTableAssociation",
  "AWS::EC2::VPC",
  "AWS::IAM::Role",
  "AWS::KMS::Alias",
  "AWS::Lambda::EventInvokeConfig",
  "AWS::Lambda::EventSourceMapping",
  "AWS::Lambda::Permission",
  "AWS::Route53Resolver::FirewallRuleGroupAssociation",
  "AWS::SQS::QueuePolicy",
]);

/**
 * Lists all resources.
 *
 * @throws Error for a type of resource without an entry about its costs
 */
export function knownResources(templates: readonly CostTemplate[]): { id: string; resource: Resource }[] {
  const all = templates.flatMap(({ Resources }) =>
    Object.entries(Resources).map(([id, resource]) => ({ id, resource })),
  );
  const unknown = all
    .map(({ resource: { Type } }) => Type)
    .filter((type) => !(type in atRest) && !byUse.has(type) && !free.has(type));
  if (unknown.length > 0)
    throw new Error(
      `Add the costs of these to lib/tools/documents/billed-resources.ts: ${[...new Set(unknown)].join(", ")}`,
    );
  return all;
}
