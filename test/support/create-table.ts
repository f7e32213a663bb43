import { CreateTableCommand } from "@aws-sdk/client-dynamodb";
import type { Table } from "../../lib/table/table.ts";

/** Creates this table in DynamoDB Local and returns it. */
export async function createTable(table: Table): Promise<Table> {
  await table.client.send(
    new CreateTableCommand({
      TableName: table.name,
      BillingMode: "PAY_PER_REQUEST",
      AttributeDefinitions: [
        { AttributeName: "PK", AttributeType: "S" },
        { AttributeName: "SK", AttributeType: "S" },
      ],
      KeySchema: [
        { AttributeName: "PK", KeyType: "HASH" },
        { AttributeName: "SK", KeyType: "RANGE" },
      ],
    }),
  );
  return table;
}
