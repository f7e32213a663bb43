import { NodeHttpHandler } from "@smithy/node-http-handler";
import type { RequestSigner } from "@smithy/types";
import { afterAll, beforeAll } from "vitest";
import {
  type DatabaseConnection,
  engineStartMs,
  newDatabase,
} from "../../lib/local/test/support/dynamodb.ts";
import { openTable, type Table } from "../../lib/table/table.ts";
import { createTable } from "./create-table.ts";

/** Milliseconds that an engine may take to start: Java on a machine busy with other tests. */
export const engineStart = engineStartMs;

/** An in-memory database with one table for a test file. */
export type Engine = {
  table: Table;
  /** Connection settings for an SDK client. */
  connection: DatabaseConnection;
  /** Connection settings as the AWS SDK's environment variables, for a process or a function. */
  environment: Record<string, string>;
  /** Creates another empty table in the same database. */
  newTable(): Promise<Table>;
  stop(): Promise<void>;
};

/**
 * Creates a database in the run's DynamoDB Local. Call it once in a file, as `beforeAll(async () => …, engineStart)`.
 *
 * @throws {Error} if Java is missing or the engine does not start.
 */
export async function startTable(): Promise<Engine> {
  const { readsFrom, ...connection } = await newDatabase();
  const tables: Table[] = [];
  const newTable = async () => {
    // Disables the functions' timeouts, because other tests may keep the machine busy.
    const name = `table-${tables.length + 1}`;
    const requestHandler = new ReadsPastProxy(readsFrom);
    const options = { ...connection, requestHandler, signer: unsigned(connection) };
    const table = { ...openTable(name, options), id: name };
    tables.push(table);
    return createTable(table);
  };
  return {
    table: await newTable(),
    connection,
    environment: {
      AWS_REGION: connection.region,
      AWS_ACCESS_KEY_ID: connection.credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: connection.credentials.secretAccessKey,
      AWS_ENDPOINT_URL_DYNAMODB: connection.endpoint,
    },
    newTable,
    async stop() {
      for (const { client } of tables) client.destroy();
    },
  };
}

/**
 * Names the access key but omits the signature. DynamoDB Local selects the database by the key and checks no signature,
 * whose computation would take a third of a call's processor time.
 */
function unsigned({ region, credentials }: DatabaseConnection): RequestSigner {
  const scope = `${credentials.accessKeyId}/20260101/${region}/dynamodb/aws4_request`;
  const authorization = `AWS4-HMAC-SHA256 Credential=${scope}, SignedHeaders=host, Signature=none`;
  return {
    async sign(request) {
      Object.assign(request.headers, { authorization });
      return request;
    },
  };
}

const reads = new Set(["GetItem", "BatchGetItem", "Query", "Scan"]);

/** Sends reads directly to DynamoDB Local. The proxy would only forward them, at a third of their processor time. */
class ReadsPastProxy extends NodeHttpHandler {
  readonly #port: number;

  constructor(readsFrom: string) {
    super();
    this.#port = Number(new URL(readsFrom).port);
  }

  override handle(...[request, options]: Parameters<NodeHttpHandler["handle"]>) {
    const operation = request.headers["x-amz-target"]?.split(".").at(-1) ?? "";
    if (reads.has(operation)) request.port = this.#port;
    return super.handle(request, options);
  }
}

/** Provides a table for the tests of a file, and more on request. */
export function tableForTests(): Pick<Engine, "newTable"> & { readonly table: Table } {
  let engine: Engine;
  beforeAll(async () => {
    engine = await startTable();
  }, engineStart);
  afterAll(() => engine.stop());
  return {
    get table() {
      return engine.table;
    },
    newTable: () => engine.newTable(),
  };
}
