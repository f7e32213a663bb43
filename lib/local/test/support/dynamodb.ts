import { randomBytes } from "node:crypto";
import { inject } from "vitest";

declare module "vitest" {
  interface ProvidedContext {
    /** Address that returns the endpoints of DynamoDB Local and starts it first if necessary. */
    dynamodb: string;
  }
}

/** Milliseconds in which DynamoDB Local must start on a busy machine. */
export const engineStartMs = 180_000;

/** Options with which an SDK client connects to a database. */
export type DatabaseConnection = {
  endpoint: string;
  region: string;
  credentials: { accessKeyId: string; secretAccessKey: string };
};

/** A database, and an endpoint that serves its reads without the proxy, because reads never conflict. */
type Database = DatabaseConnection & { readsFrom: string };

/**
 * Opens a new, empty database in the DynamoDB Local that all tests of a run share. It keeps a separate database for
 * each access key.
 *
 * @throws {Error} if Java is missing or DynamoDB Local does not start
 */
export async function newDatabase(): Promise<Database> {
  const response = await fetch(inject("dynamodb"));
  const answer = await response.text();
  if (!response.ok) throw new Error(answer);
  const credentials = { accessKeyId: randomBytes(8).toString("hex"), secretAccessKey: "local" };
  return { ...JSON.parse(answer), region: "us-east-1", credentials };
}
