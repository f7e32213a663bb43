import { arn } from "../../account.ts";
import { nameFrom, type Resource, type ResourceTypes } from "../resource-type.ts";

export const tableName = nameFrom("TableName");

const tableArn = (resource: Resource) => arn("dynamodb", `table/${tableName(resource)}`);

/**
 * The stream of a table, for as long as there is the table. DynamoDB Local gives it another ARN, which is
 * known only once the table is made, and of a Region that does not exist; nothing but the reader of the
 * stream ever sees that one.
 */
export const tableStreamArn = (resource: Resource) => `${tableArn(resource)}/stream/local`;

export const tableTypes: ResourceTypes = {
  "AWS::DynamoDB::Table": {
    ref: tableName,
    attributes: { Arn: tableArn, StreamArn: tableStreamArn },
  },
};
