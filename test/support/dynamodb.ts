import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CreateTableCommand, type DynamoDBClientConfig } from "@aws-sdk/client-dynamodb";
import { createReaper, startDynamoDb } from "cdk-local-runner/testing";
import { afterAll, beforeAll } from "vitest";
import { openTable, type Table } from "../../lib/aws/table.ts";

/** How long an engine may take to come up, in milliseconds: Java on a machine that is busy with other tests. */
export const engineStart = 60_000;

/** An engine of DynamoDB, in memory, with a table in it. */
export type Engine = {
  table: Table;
  /** What a client of one's own needs to reach the engine. */
  connection: DynamoDBClientConfig & { endpoint: string };
  /** Another table of the same engine, empty. */
  newTable(): Promise<Table>;
  stop(): Promise<void>;
};

/**
 * Starts DynamoDB Local on a free port. Meant for `beforeAll(async () => …, engineStart)`, once in a file.
 *
 * @throws {Error} when Java is missing or the engine does not come up.
 */
export async function startTable(): Promise<Engine> {
  const temporary = mkdtempSync(join(tmpdir(), "engine-"));
  const reaper = createReaper();
  const credentials = { accessKeyId: "local", secretAccessKey: "local" };
  const dynamodb = await startDynamoDb({ temporary, credentials, reaper });
  const connection = { endpoint: dynamodb.endpoint, region: "us-east-1", credentials };
  let tables = 0;
  // Without the functions' timeouts: a machine that is busy with other tests is not a table that hangs.
  const newTable = () => createTable(openTable(`table-${++tables}`, { ...connection, requestHandler: {} }));
  return {
    table: await newTable(),
    connection,
    newTable,
    async stop() {
      await dynamodb.stop();
      await reaper.close();
      rmSync(temporary, { recursive: true });
    },
  };
}

/** A table for the tests of a file, on an engine that runs as long as they do. */
export function tableForTests(): { readonly table: Table } {
  let engine: Engine;
  beforeAll(async () => {
    engine = await startTable();
  }, engineStart);
  afterAll(() => engine.stop());
  return {
    get table() {
      return engine.table;
    },
  };
}

async function createTable(table: Table): Promise<Table> {
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
