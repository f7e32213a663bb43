import type { OperationName } from "../../lib/operations/operations.ts";
import { savePrices, takeFeed } from "../../lib/prices/price-records.ts";
import { openTable, type Table } from "../../lib/table/table.ts";
import { startChild } from "./child.ts";
import type { Tick } from "./outcome.ts";
import { pricesAsOf } from "./price-message.ts";
import { now } from "./statistics.ts";

/** A running service on its own local runner. */
export type Service = {
  pid: number;
  baseUrl: string;
  streamUrl: string;
  /** The table, which operators may also change. */
  table: Table;
  token(user: string): Promise<string>;
  /** Writes prices like the feed. `sentAt` is just before the write. */
  writePrices(): Promise<Tick>;
  /** Makes the next call of each function a cold start. */
  cool(functions: readonly OperationName[]): Promise<void>;
  stop(): Promise<void>;
};

type Description = {
  outputs: { TableName: string; StreamUrl: string };
  endpoints: { dynamodb: string };
  region: string;
  credentials: { accessKeyId: string; secretAccessKey: string };
};

/**
 * Starts the service.
 *
 * @param context differences from the default configuration.
 * @param queueMs time that asynchronous events wait before their function runs.
 * @param trace file for the requests that functions make.
 */
export async function startService(
  shards: number,
  context: object = {},
  queueMs = 0,
  trace?: string,
): Promise<Service> {
  const runner = await startChild<readonly OperationName[], { cooled: number }, { baseUrl: string }>(
    "runner-process.ts",
    "--shards",
    `${shards}`,
    "--context",
    JSON.stringify(context),
    "--queue",
    `${queueMs}`,
    ...(trace === undefined ? [] : ["--trace", trace]),
  );
  const { baseUrl } = runner.first;
  const description = (await (await fetch(`${baseUrl}/_local/outputs`)).json()) as Description;
  const { outputs, endpoints, region, credentials } = description;
  const table = openTable(outputs.TableName, { endpoint: endpoints.dynamodb, region, credentials });
  const run = { lease: "benchmark", startedAt: new Date().toISOString() };
  await takeFeed(table, run);

  return {
    pid: runner.pid,
    baseUrl,
    streamUrl: outputs.StreamUrl,
    table,
    async token(user) {
      const answer = await fetch(`${baseUrl}/_local/issuer/token`, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ sub: user, expiresIn: 7200 }),
      });
      return ((await answer.json()) as { access_token: string }).access_token;
    },
    async writePrices() {
      const asOf = new Date().toISOString();
      const sentAt = now();
      if (!(await savePrices(table, run, pricesAsOf(asOf)))) throw new Error("The prices were not saved");
      return { asOf, sentAt };
    },
    async cool(functions) {
      const { cooled } = await runner.ask(functions);
      if (cooled !== functions.length) throw new Error(`Only ${cooled} of ${functions} were found`);
    },
    stop: runner.stop,
  };
}
