import { account, arn } from "../../account.ts";
import { generatedName, nameFrom, type ResourceType, type ResourceTypes } from "../resource-type.ts";

/** Nothing but a name. */
const named: ResourceType = { ref: generatedName };

const logGroupName = nameFrom("LogGroupName");
const roleName = nameFrom("RoleName");

/** Types that change nothing on one machine: rights, monitoring and what only a deployment needs. */
export const inertTypes: ResourceTypes = {
  "AWS::ApiGateway::Account": named,
  "AWS::ApiGateway::Deployment": { ref: generatedName, attributes: { DeploymentId: generatedName } },
  "AWS::CDK::Metadata": named,
  "AWS::CloudWatch::Alarm": named,
  "AWS::CloudWatch::CompositeAlarm": named,
  "AWS::CloudWatch::Dashboard": named,
  "AWS::IAM::ManagedPolicy": named,
  "AWS::IAM::Policy": named,
  "AWS::IAM::Role": {
    ref: roleName,
    attributes: {
      Arn: (resource) => `arn:${account.partition}:iam::${account.id}:role/${roleName(resource)}`,
    },
  },
  "AWS::KMS::Alias": { ref: (resource) => resource.property("AliasName") },
  "AWS::Lambda::Permission": named,
  "AWS::Logs::LogGroup": {
    ref: logGroupName,
    attributes: { Arn: (resource) => arn("logs", `log-group:${logGroupName(resource)}:*`) },
  },
  "AWS::Logs::MetricFilter": named,
  "AWS::SQS::QueuePolicy": named,
};
