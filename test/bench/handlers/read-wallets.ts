import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient, QueryCommand } from "@aws-sdk/lib-dynamodb";

const client = DynamoDBDocumentClient.from(new DynamoDBClient({}));

/** Makes the simplest read: one query with an unconfigured SDK client. */
export async function readWallets() {
  const { Items } = await client.send(
    new QueryCommand({
      TableName: "table",
      ConsistentRead: true,
      KeyConditionExpression: "PK = :pk AND SK BETWEEN :from AND :to",
      ExpressionAttributeValues: { ":pk": "WALLETS#alice", ":from": "WALLET#", ":to": "WALLET#~" },
    }),
  );
  return Items;
}
