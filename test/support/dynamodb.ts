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

/** How long an engine may take to start, in milliseconds: Java on a machine that is busy with other tests. */
export const engineStart = engineStartMs;

/** An in-memory database with a table, for one test file. */
export type Engine = {
  table: Table;
  /** The connection settings of an SDK client. */
  connection: DatabaseConnection;
  /** The connection settings as environment variables of the AWS SDK, for a process or a function. */
  environment: Record<string, string>;
  /** Another table of the same database, empty. */
  newTable(): Promise<Table>;
  stop(): Promise<void>;
};

/**
 * Makes a database in the DynamoDB Local of the run. Meant for `beforeAll(async () => …, engineStart)`, once in a file.
 *
 * @throws {Error} when Java is missing or the engine does not come up.
 */
export async function startTable(): Promise<Engine> {
  const { readsFrom, ...connection } = await newDatabase();
  const tables: Table[] = [];
  const newTable = async () => {
    // Disables the functions' timeouts: other tests may keep the machine busy.
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
 * Names the access key, and leaves the signature out: DynamoDB Local finds the database by the key and checks no
 * signature, which would take a third of the processor time of a call.
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

/** Sends reads to DynamoDB Local itself: the proxy would only pass them on, which takes a third of their processor time. */
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

/** A table for the tests of a file, and others beside it. */
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
