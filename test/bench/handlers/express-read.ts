/** The same read in an Express app behind an adapter, as services that moved to Lambda often are. */
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient, QueryCommand } from "@aws-sdk/lib-dynamodb";
import express from "express";
import serverless from "serverless-http";

const client = DynamoDBDocumentClient.from(new DynamoDBClient({}));
const app = express();
app.use(express.json());
app.get("/listWallets", async (_, response) => {
  const { Items } = await client.send(
    new QueryCommand({
      TableName: "table",
      ConsistentRead: true,
      KeyConditionExpression: "PK = :pk AND SK BETWEEN :from AND :to",
      ExpressionAttributeValues: { ":pk": "USER#alice", ":from": "WALLET#", ":to": "WALLET#~" },
    }),
  );
  response.json(Items);
});

export const handler = serverless(app);
