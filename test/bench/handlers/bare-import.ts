/** Makes only an import's AWS calls, with unconfigured SDK clients. */
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { GenerateDataKeyCommand, KMSClient } from "@aws-sdk/client-kms";
import { DynamoDBDocumentClient, GetCommand, TransactWriteCommand } from "@aws-sdk/lib-dynamodb";

const client = DynamoDBDocumentClient.from(new DynamoDBClient({}));
const kms = new KMSClient({});
const TableName = "table";

export const handler = async () => {
  const get = (PK: string, SK: string) =>
    client.send(new GetCommand({ TableName, Key: { PK, SK }, ConsistentRead: true }));
  await Promise.all([get("WALLETS#alice", "WALLET#eth#0x7E5F"), get("USER#alice", "PROFILE")]);
  const { CiphertextBlob } = await kms.send(
    new GenerateDataKeyCommand({ KeyId: "key", KeySpec: "AES_256", EncryptionContext: { userID: "alice" } }),
  );
  const Item = { PK: "WALLETS#alice", SK: "WALLET#eth#0x7E5F", encryptedPrivateKey: CiphertextBlob, slot: 1 };
  await client.send(
    new TransactWriteCommand({
      TransactItems: [
        { Put: { TableName, Item, ConditionExpression: "attribute_not_exists(PK)" } },
        {
          Update: {
            TableName,
            Key: { PK: "USER#alice", SK: "PROFILE" },
            UpdateExpression: "ADD walletCount :one",
            ExpressionAttributeValues: { ":one": 1 },
          },
        },
      ],
    }),
  );
  return { statusCode: 200, headers: { "Content-Type": "application/json" }, body: "{}" };
};
