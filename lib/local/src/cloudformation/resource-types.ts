import { account, arn } from "../account.ts";
import type { Resource } from "./resource.ts";

/** Computes the values of `Ref` and `Fn::GetAtt` for resources of one type. */
export type ResourceType = {
  ref(resource: Resource): unknown;
  attributes?: Record<string, (resource: Resource) => unknown>;
};

/** Emulated resource types, by CloudFormation type. The runner refuses to start with any other type. */
export type ResourceTypes = Readonly<Record<string, ResourceType>>;

/**
 * Generates the name of a resource that CloudFormation would name at random. It is the same in every run, so that
 * stored data is found again.
 */
export function generatedName({ stackName, logicalId }: Resource): string {
  return `${stackName}-${logicalId}`;
}

export const tableName = nameFrom("TableName");
const tableArn = (resource: Resource) => arn("dynamodb", `table/${tableName(resource)}`);

/**
 * Generates the ARN of a table's stream for templates. DynamoDB Local assigns a different one, in a Region that does
 * not exist, which only the reader of the stream uses.
 */
export const tableStreamArn = (resource: Resource) => `${tableArn(resource)}/stream/local`;

export const functionName = nameFrom("FunctionName");
export const functionArn = (resource: Resource) => arn("lambda", `function:${functionName(resource)}`);

const ruleName = nameFrom("Name");
export const ruleArn = (resource: Resource) => arn("events", `rule/${ruleName(resource)}`);

/** ARN of a bus of EventBridge. */
export const busArn = (resource: Resource) => arn("events", `event-bus/${resource.property("Name")}`);

export const queueName = nameFrom("QueueName");
export const queueArn = (resource: Resource) => arn("sqs", queueName(resource));
const queueUrl = (resource: Resource) =>
  `https://sqs.${account.region}.${account.urlSuffix}/${account.id}/${queueName(resource)}`;

/** Types that the runner emulates. */
const dataTypes: ResourceTypes = {
  "AWS::DynamoDB::Table": {
    ref: tableName,
    attributes: { Arn: tableArn, StreamArn: tableStreamArn },
  },
};

const functionTypes: ResourceTypes = {
  "AWS::Lambda::Function": { ref: functionName, attributes: { Arn: functionArn } },
};

const eventTypes: ResourceTypes = {
  "AWS::Events::EventBus": {
    ref: (resource) => resource.property("Name"),
    attributes: { Arn: busArn, Name: (resource) => resource.property("Name") },
  },
  "AWS::Events::Rule": { ref: ruleName, attributes: { Arn: ruleArn } },
  "AWS::Lambda::EventInvokeConfig": { ref: generatedName },
  "AWS::Lambda::EventSourceMapping": { ref: generatedName, attributes: { Id: generatedName } },
  "AWS::SQS::Queue": {
    ref: queueUrl,
    attributes: { Arn: queueArn, QueueName: queueName, QueueUrl: queueUrl },
  },
};

const logicalId = (resource: Resource) => resource.logicalId;
const keyId = (resource: Resource) => resource.property("KeyId");
const domainName = (resource: Resource) => resource.property("DomainName");

const restTypes: ResourceTypes = {
  "AWS::ApiGateway::ApiKey": identified("APIKeyId"),
  "AWS::ApiGateway::Authorizer": identified("AuthorizerId"),
  "AWS::ApiGateway::GatewayResponse": identified("Id"),
  "AWS::ApiGateway::Method": identified(),
  "AWS::ApiGateway::Resource": identified("ResourceId"),
  "AWS::ApiGateway::RestApi": {
    ref: logicalId,
    attributes: { RestApiId: logicalId, RootResourceId: (resource) => `${resource.logicalId}/root` },
  },
  "AWS::ApiGateway::Stage": { ref: (resource) => resource.property("StageName") },
  "AWS::ApiGateway::UsagePlan": identified("Id"),
  // An attachment of a key to a plan shares the key's id.
  "AWS::ApiGateway::UsagePlanKey": { ref: keyId, attributes: { Id: keyId } },
};

const webSocketTypes: ResourceTypes = {
  "AWS::ApiGatewayV2::Api": {
    ref: logicalId,
    attributes: {
      ApiId: logicalId,
      ApiEndpoint: ({ logicalId }) => `wss://${logicalId}.execute-api.${account.region}.${account.urlSuffix}`,
    },
  },
  "AWS::ApiGatewayV2::ApiMapping": identified("ApiMappingId"),
  "AWS::ApiGatewayV2::Authorizer": identified("AuthorizerId"),
  "AWS::ApiGatewayV2::Deployment": identified("DeploymentId"),
  // Custom domain names have no effect here.
  "AWS::ApiGatewayV2::DomainName": {
    ref: domainName,
    attributes: { RegionalDomainName: domainName, RegionalHostedZoneId: () => "local" },
  },
  "AWS::ApiGatewayV2::Integration": identified("IntegrationId"),
  "AWS::ApiGatewayV2::Route": identified("RouteId"),
  "AWS::ApiGatewayV2::RouteResponse": identified("RouteResponseId"),
  "AWS::ApiGatewayV2::Stage": { ref: (resource) => resource.property("StageName") },
};

export const secretName = nameFrom("Name");
/** Secret ARNs end in six more characters, as on AWS. */
export const secretArn = (resource: Resource) =>
  arn("secretsmanager", `secret:${secretName(resource)}-local1`);

/** ARN of a function of CloudFront, which belongs to no region. */
export const viewerFunctionArn = (resource: Resource) =>
  `arn:${account.partition}:cloudfront::${account.id}:function/${resource.property("Name")}`;

/** Names of buckets have no capital letters. */
export const bucketName = (resource: Resource) =>
  String(resource.property("BucketName") ?? generatedName(resource).toLowerCase());
export const bucketDomainName = (resource: Resource) =>
  `${bucketName(resource)}.s3.${account.region}.${account.urlSuffix}`;

const edgeTypes: ResourceTypes = {
  "AWS::SecretsManager::Secret": { ref: secretArn, attributes: { Id: secretArn } },
  "AWS::CloudFront::Distribution": {
    ref: logicalId,
    attributes: { Id: logicalId, DomainName: ({ logicalId }) => `${logicalId.toLowerCase()}.cloudfront.net` },
  },
  "AWS::CloudFront::Function": {
    ref: viewerFunctionArn,
    attributes: { FunctionARN: viewerFunctionArn },
  },
  "AWS::CloudFront::OriginAccessControl": { ref: generatedName, attributes: { Id: generatedName } },
  "AWS::CloudFront::ResponseHeadersPolicy": { ref: generatedName, attributes: { Id: generatedName } },
  "AWS::S3::Bucket": {
    ref: bucketName,
    attributes: {
      Arn: (resource) => `arn:${account.partition}:s3:::${bucketName(resource)}`,
      RegionalDomainName: bucketDomainName,
    },
  },
  // Copies files into a bucket when stacks are deployed.
  "Custom::CDKBucketDeployment": { ref: generatedName },
};

const named: ResourceType = { ref: generatedName };
const logGroupName = nameFrom("LogGroupName");
const managedPolicyName = nameFrom("ManagedPolicyName");
export const managedPolicyArn = (resource: Resource) =>
  `arn:${account.partition}:iam::${account.id}:policy/${managedPolicyName(resource)}`;
export const roleName = nameFrom("RoleName");
export const roleArn = (resource: Resource) =>
  `arn:${account.partition}:iam::${account.id}:role/${roleName(resource)}`;

/** Types that the runner only reads, and types without effect on one machine, such as monitoring. */
const inertTypes: ResourceTypes = {
  "AWS::ApiGateway::Account": named,
  "AWS::ApiGateway::Deployment": { ref: generatedName, attributes: { DeploymentId: generatedName } },
  "AWS::CDK::Metadata": named,
  "AWS::Budgets::Budget": named,
  "AWS::CloudWatch::Alarm": named,
  "AWS::CloudWatch::CompositeAlarm": named,
  "AWS::CloudWatch::Dashboard": named,
  // User pools have no effect, because tokens come from the runner's own issuer.
  "AWS::Cognito::ManagedLoginBranding": named,
  "AWS::Cognito::UserPool": named,
  "AWS::Cognito::UserPoolClient": named,
  "AWS::Cognito::UserPoolDomain": named,
  "AWS::IAM::ManagedPolicy": { ref: managedPolicyArn },
  "AWS::IAM::Policy": named,
  "AWS::IAM::Role": { ref: roleName, attributes: { Arn: roleArn } },
  "AWS::KMS::Alias": { ref: (resource) => resource.property("AliasName") },
  "AWS::Lambda::LayerVersion": named,
  "AWS::Lambda::Permission": named,
  "AWS::Logs::LogGroup": {
    ref: logGroupName,
    attributes: { Arn: (resource) => arn("logs", `log-group:${logGroupName(resource)}:*`) },
  },
  "AWS::Logs::MetricFilter": named,
  "AWS::S3::BucketPolicy": named,
  "AWS::SQS::QueuePolicy": named,
};

/** A type whose `Ref` and this attribute both give its generated name. */
const generated = (attribute: string): ResourceType => ({
  ref: generatedName,
  attributes: { [attribute]: generatedName },
});

/** Resource types of networks. The runner reads only endpoints and their routes, and no type leads out of a VPC. */
const networkTypes: ResourceTypes = {
  "AWS::EC2::FlowLog": generated("Id"),
  "AWS::EC2::RouteTable": generated("RouteTableId"),
  "AWS::EC2::SecurityGroup": generated("GroupId"),
  "AWS::EC2::SecurityGroupEgress": generated("Id"),
  "AWS::EC2::SecurityGroupIngress": generated("Id"),
  "AWS::EC2::Subnet": generated("SubnetId"),
  "AWS::EC2::SubnetRouteTableAssociation": generated("Id"),
  "AWS::EC2::VPC": generated("VpcId"),
  "AWS::EC2::VPCEndpoint": generated("Id"),
  "AWS::Route53Resolver::FirewallDomainList": generated("Id"),
  "AWS::Route53Resolver::FirewallRuleGroup": generated("Id"),
  "AWS::Route53Resolver::FirewallRuleGroupAssociation": generated("Id"),
};

/**
 * Lists every type that a template may contain.
 * @param key creates or finds the KMS key of a resource, whose id is random and stored with its secret
 */
export function resourceTypes(key: (resource: Resource) => { keyId: string; arn: string }): ResourceTypes {
  return {
    ...dataTypes,
    ...functionTypes,
    ...restTypes,
    ...webSocketTypes,
    ...edgeTypes,
    ...eventTypes,
    ...inertTypes,
    ...networkTypes,
    "AWS::KMS::Key": {
      ref: (resource) => key(resource).keyId,
      attributes: {
        KeyId: (resource) => key(resource).keyId,
        Arn: (resource) => key(resource).arn,
      },
    },
  };
}

/** Reads a resource's name from this property, or else generates it. */
function nameFrom(property: string): (resource: Resource) => string {
  return (resource) => String(resource.property(property) ?? generatedName(resource));
}

/** A type whose `Ref` and these attributes all give its logical id. */
function identified(...attributes: string[]): ResourceType {
  return { ref: logicalId, attributes: Object.fromEntries(attributes.map((name) => [name, logicalId])) };
}
