import { resourceTypes } from "../../src/cloudformation/resource-types.ts";
import { type Resources, resolveStacks } from "../../src/cloudformation/resources.ts";

type TemplateResources = Record<string, { Type: string; Properties?: Record<string, unknown> }>;

/** Resolves the resources of a single stack called S. */
export function resourcesOf(Resources: TemplateResources): Resources {
  const types = resourceTypes(() => ({ keyId: "key", arn: "arn" }));
  const template = { Parameters: {}, Conditions: {}, Outputs: {}, Resources };
  return resolveStacks([{ name: "S", template }], types);
}

export const table = {
  Type: "AWS::DynamoDB::Table",
  Properties: {
    KeySchema: [
      { AttributeName: "SK", KeyType: "RANGE" },
      { AttributeName: "PK", KeyType: "HASH" },
    ],
    StreamSpecification: { StreamViewType: "NEW_AND_OLD_IMAGES" },
  },
};

export const attribute = (logicalId: string, name: string) => ({ "Fn::GetAtt": [logicalId, name] });

export const functionArn = (name: string) => `arn:aws:lambda:us-east-1:000000000000:function:${name}`;
export const queueArn = (name: string) => `arn:aws:sqs:us-east-1:000000000000:${name}`;
