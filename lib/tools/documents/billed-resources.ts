import { prices } from "./assumptions.ts";

/** Parts of a template that determine its costs. */
export type CostTemplate = {
  Resources: Record<string, { Type: string; Properties?: Record<string, unknown> }>;
};

type Resource = CostTemplate["Resources"][string];

type Billed = { name: string; price: number; units?: (resource: Resource) => number };

const { key, alarmMetric, endpointAddress, secret, webAcl, dashboard } = prices.monthly;

/** Resources that cost money even when unused. Each is one unit unless `units` counts more. */
export const atRest: Record<string, Billed> = {
  "AWS::KMS::Key": { name: "KMS keys", price: key },
  "AWS::KMS::ReplicaKey": { name: "Replicas of KMS keys", price: key },
  "AWS::CloudWatch::Alarm": { name: "Metrics of alarms", price: alarmMetric, units: alarmMetrics },
  "AWS::EC2::VPCEndpoint": {
    name: "Addresses of VPC endpoints",
    price: endpointAddress,
    units: endpointAddresses,
  },
  "AWS::SecretsManager::Secret": { name: "Secrets", price: secret },
  "AWS::WAFv2::WebACL": { name: "Web ACLs", price: webAcl },
  "AWS::CloudWatch::Dashboard": { name: "Dashboards", price: dashboard },
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

/** Types of resources that are free, or cost money only when they are used. */
const freeAtRest = new RegExp(
  `^(Custom::CDKBucketDeployment|AWS::(${[
    "ApiGateway(V2)?::.*",
    "Backup::.*",
    "CloudFront::(Distribution|Function|OriginAccessControl|ResponseHeadersPolicy)",
    "Cognito::.*",
    "DynamoDB::Table",
    "EC2::(RouteTable|SecurityGroup|SecurityGroupIngress|Subnet|SubnetRouteTableAssociation|VPC)",
    "Events::Rule",
    "IAM::(Policy|Role)",
    "KMS::Alias",
    "Lambda::(EventInvokeConfig|EventSourceMapping|Function|LayerVersion|Permission)",
    "Logs::(LogGroup|MetricFilter)",
    "Route53Resolver::FirewallDomainList",
    "Route53Resolver::FirewallRuleGroup(Association)?",
    "S3::.*",
    "SQS::.*",
  ].join("|")}))$`,
);

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
    .filter((type) => !(type in atRest) && !freeAtRest.test(type));
  if (unknown.length > 0)
    throw new Error(
      `Add the costs of these to lib/tools/documents/billed-resources.ts: ${[...new Set(unknown)].join(", ")}`,
    );
  return all;
}
