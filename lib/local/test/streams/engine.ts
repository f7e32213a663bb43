import { globSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { CreateTableCommand, DynamoDBClient, PutItemCommand } from "@aws-sdk/client-dynamodb";
import { DynamoDBStreamsClient } from "@aws-sdk/client-dynamodb-streams";
import { startDynamoDb } from "../../src/dynamodb/dynamodb.ts";
import { createReaper } from "../../src/processes.ts";
import { temporaryFolder } from "../fixtures/folder.ts";
import { atEnd } from "../support/clean-up.ts";
import { type DatabaseConnection, newDatabase } from "../support/dynamodb.ts";

export type Engine = {
  client(): DynamoDBClient;
  /** Creates a table with a stream. */
  create(table: string): Promise<void>;
  /** Writes an item that differs from the previous one, since streams contain only changes. */
  put(table: string, id: string, rest?: object): Promise<void>;
  streams(): DynamoDBStreamsClient;
};

export type OwnEngine = Engine & {
  /** Stops DynamoDB Local, changes its database and starts it again. */
  restart(...statements: string[]): Promise<void>;
};

/** Opens a new database in the DynamoDB Local that all test files share. */
export async function openSharedEngine(): Promise<Engine> {
  const connection = await newDatabase();
  const client = new DynamoDBClient(connection);
  atEnd(() => client.destroy());
  return engineOn(() => ({ client, connection }));
}

/** Starts a DynamoDB Local for the test file, with its database in a folder. */
export async function startOwnEngine(): Promise<OwnEngine> {
  const [folder, temporary] = [temporaryFolder(), temporaryFolder()];
  const credentials = { accessKeyId: "known", secretAccessKey: "any" };
  const reaper = createReaper();
  const start = () => startDynamoDb({ folder, temporary, credentials, reaper });
  let dynamodb = await start();
  atEnd(async () => {
    await dynamodb.stop();
    await reaper.close();
  });

  const engine = engineOn(() => ({
    client: dynamodb.client,
    connection: { endpoint: dynamodb.endpoint, region: "us-east-1", credentials },
  }));
  return {
    ...engine,
    async restart(...statements) {
      await dynamodb.stop();
      for (const file of globSync(join(folder, "*.db"))) {
        const database = new DatabaseSync(file);
        for (const statement of statements) database.exec(statement);
        database.close();
      }
      dynamodb = await start();
    },
  };
}

function engineOn(current: () => { client: DynamoDBClient; connection: DatabaseConnection }): Engine {
  let written = 0;
  return {
    client: () => current().client,
    async create(TableName) {
      await current().client.send(
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
      await current().client.send(new PutItemCommand({ TableName, Item }));
    },
    streams: () => new DynamoDBStreamsClient({ ...current().connection, maxAttempts: 1 }),
  };
}
