import { account, arn } from "../../account.ts";
import { generatedName, nameFrom, type Resource, type ResourceTypes } from "../resource-type.ts";

export const ruleName = nameFrom("Name");
export const ruleArn = (resource: Resource) => arn("events", `rule/${ruleName(resource)}`);

export const queueName = nameFrom("QueueName");
export const queueArn = (resource: Resource) => arn("sqs", queueName(resource));
export const queueUrl = (resource: Resource) =>
  `https://sqs.${account.region}.${account.urlSuffix}/${account.id}/${queueName(resource)}`;

/** What invokes functions by itself, and where it tells that it could not. */
export const eventSourceTypes: ResourceTypes = {
  "AWS::Events::Rule": { ref: ruleName, attributes: { Arn: ruleArn } },
  "AWS::Lambda::EventInvokeConfig": { ref: generatedName },
  "AWS::Lambda::EventSourceMapping": { ref: generatedName, attributes: { Id: generatedName } },
  "AWS::SQS::Queue": {
    ref: queueUrl,
    attributes: { Arn: queueArn, QueueName: queueName, QueueUrl: queueUrl },
  },
};
