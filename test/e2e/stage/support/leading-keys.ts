import { randomUUID } from "node:crypto";
import {
  CreateTableCommand,
  DeleteTableCommand,
  DescribeTableCommand,
  DynamoDBClient,
  waitUntilTableExists,
} from "@aws-sdk/client-dynamodb";
import { TransactWriteCommand, type TransactWriteCommandInput } from "@aws-sdk/lib-dynamodb";
import type { LeadingKeys } from "../../../../lib/infra/configuration.ts";
import { openTable, type Table } from "../../../../lib/table/table.ts";

type Part = NonNullable<TransactWriteCommandInput["TransactItems"]>[number];

/** A statement that denies puts outside the `OWN#*` partitions, as the functions' roles do. */
export const wallOf = (resource: string) => ({
  Effect: "Deny",
  Principal: "*",
  Action: "dynamodb:PutItem",
  Resource: resource,
  Condition: { "ForAnyValue:StringNotLike": { "dynamodb:LeadingKeys": "OWN#*" } },
});

/**
 * Tests, on a table whose policy has that statement, which keys IAM sees for one part of a transaction. Returns `none`
 * if the statement has no effect in transactions.
 */
export async function observedLeadingKeys(table: Table): Promise<LeadingKeys | "none"> {
  const TableName = table.name;
  const put = (PK: string): Part => ({ Put: { TableName, Item: { PK, SK: "any" } } });
  const check = (PK: string): Part => ({
    ConditionCheck: { TableName, Key: { PK, SK: "any" }, ConditionExpression: "attribute_not_exists(PK)" },
  });
  const isAllowed = async (...parts: Part[]) => {
    try {
      await table.client.send(new TransactWriteCommand({ TransactItems: parts }));
      return true;
    } catch (error) {
      if (error instanceof Error && error.name === "AccessDeniedException") return false;
      throw error;
    }
  };
  if (!(await isAllowed(put("OWN#1")))) throw new Error("A transaction behind the wall is always denied");
  if (await isAllowed(put("OWN#2"), put("FOREIGN#2"))) return "none";
  return (await isAllowed(put("OWN#3"), check("FOREIGN#3"))) ? "each-part" : "whole-request";
}

/** Makes a table whose policy applies that statement to everybody, passes it to `use`, and deletes it. */
export async function withWalledTable<Result>(
  beside: Pick<Table, "name">,
  use: (table: Table) => Promise<Result>,
): Promise<Result> {
  const client = new DynamoDBClient();
  const { Table: described } = await client.send(new DescribeTableCommand({ TableName: beside.name }));
  const TableName = `TerminalVerify-${randomUUID()}`;
  const arn = String(described?.TableArn).replace(/[^/]+$/, TableName);
  const keys = [
    { AttributeName: "PK", KeyType: "HASH" },
    { AttributeName: "SK", KeyType: "RANGE" },
  ] as const;
  await client.send(
    new CreateTableCommand({
      TableName,
      BillingMode: "PAY_PER_REQUEST",
      KeySchema: [...keys],
      AttributeDefinitions: keys.map(({ AttributeName }) => ({ AttributeName, AttributeType: "S" })),
      ResourcePolicy: JSON.stringify({ Version: "2012-10-17", Statement: [wallOf(arn)] }),
    }),
  );
  try {
    await waitUntilTableExists({ client, maxWaitTime: 60 }, { TableName });
    return await use(openTable(TableName));
  } finally {
    await client.send(new DeleteTableCommand({ TableName }));
  }
}
