import { arn } from "../account.ts";
import { nameFrom, type Resource, type ResourceTypes } from "../template/resource-type.ts";

export const tableName = nameFrom("TableName");

const tableArn = (resource: Resource) => arn("dynamodb", `table/${tableName(resource)}`);

export const tableTypes: ResourceTypes = {
  "AWS::DynamoDB::Table": {
    ref: tableName,
    attributes: {
      Arn: tableArn,
      StreamArn: (resource) => `${tableArn(resource)}/stream/local`,
    },
  },
};
