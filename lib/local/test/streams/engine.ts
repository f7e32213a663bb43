import { globSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { CreateTableCommand, PutItemCommand } from "@aws-sdk/client-dynamodb";
import { DynamoDBStreamsClient } from "@aws-sdk/client-dynamodb-streams";
import { afterAll } from "vitest";
import { type DynamoDb, startDynamoDb } from "../../src/dynamodb/dynamodb.ts";
import { createReaper } from "../../src/processes/reaper.ts";
import { temporaryFolder } from "../fixtures/folder.ts";

const credentials = { accessKeyId: "known", secretAccessKey: "any" };

export type Engine = {
  readonly dynamodb: DynamoDb;
  /** Creates a table with a stream. */
  create(table: string): Promise<void>;
  /** Writes an item that differs from the previous one, since only changes are in the stream. */
  put(table: string, id: string, rest?: object): Promise<void>;
  streams(): DynamoDBStreamsClient;
  /** Stops DynamoDB Local, changes its database and starts it again. */
  restart(...statements: string[]): Promise<void>;
};

/** A DynamoDB Local of a test file, with its database in a folder. */
export async function startEngine(): Promise<Engine> {
  const [folder, temporary] = [temporaryFolder(), temporaryFolder()];
  const reaper = createReaper();
  const boot = () => startDynamoDb({ folder, temporary, credentials, reaper });
  let dynamodb = await boot();
  let written = 0;
  afterAll(async () => {
    await dynamodb.stop();
    await reaper.close();
  });

  return {
    get dynamodb() {
      return dynamodb;
    },
    async create(TableName) {
      await dynamodb.client.send(
        new CreateTableCommand({
          TableName,
          BillingMode: "PAY_PER_REQUEST",
          AttributeDefinitions: [{ AttributeName: "PK", AttributeType: "S" }],
          KeySchema: [{ AttributeName: "PK", KeyType: "HASH" }],
          StreamSpecification: { StreamEnabled: true, StreamViewType: "NEW_AND_OLD_IMAGES" },
        }),
      );
    },
    async put(TableName, id, rest = {}) {
      const Item = { PK: { S: id }, written: { N: String(++written) }, ...rest };
      await dynamodb.client.send(new PutItemCommand({ TableName, Item }));
    },
    streams: () =>
      new DynamoDBStreamsClient({
        endpoint: dynamodb.endpoint,
        region: "us-east-1",
        credentials,
        maxAttempts: 1,
      }),
    async restart(...statements) {
      await dynamodb.stop();
      for (const file of globSync(join(folder, "*.db"))) {
        const database = new DatabaseSync(file);
        for (const statement of statements) database.exec(statement);
        database.close();
      }
      dynamodb = await boot();
    },
  };
}
