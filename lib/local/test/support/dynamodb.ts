import { randomBytes } from "node:crypto";
import { inject } from "vitest";

declare module "vitest" {
  interface ProvidedContext {
    /** The address that starts DynamoDB Local, unless it runs, and answers with its endpoint. */
    dynamodb: string;
  }
}

/** How long DynamoDB Local may take to come up on a machine that is busy with other tests, in milliseconds. */
export const engineStartMs = 60_000;

/** What an SDK client needs to reach a database. */
export type DatabaseConnection = {
  endpoint: string;
  region: string;
  credentials: { accessKeyId: string; secretAccessKey: string };
};

/**
 * A database of the caller's own, empty, in the DynamoDB Local that all tests of a run share: it has a database for each
 * access key.
 *
 * @throws {Error} when Java is missing or the engine does not come up.
 */
export async function newDatabase(): Promise<DatabaseConnection> {
  const response = await fetch(inject("dynamodb"));
  const answer = await response.text();
  if (!response.ok) throw new Error(answer);
  const credentials = { accessKeyId: randomBytes(8).toString("hex"), secretAccessKey: "local" };
  return { endpoint: answer, region: "us-east-1", credentials };
}
