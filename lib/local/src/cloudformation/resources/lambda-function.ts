import { arn } from "../../account.ts";
import { nameFrom, type Resource, type ResourceTypes } from "../resource-type.ts";

export const functionName = nameFrom("FunctionName");

export const functionArn = (resource: Resource) => arn("lambda", `function:${functionName(resource)}`);

export const functionTypes: ResourceTypes = {
  "AWS::Lambda::Function": { ref: functionName, attributes: { Arn: functionArn } },
};
