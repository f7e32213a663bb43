import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { paginateQuery } from "@aws-sdk/lib-dynamodb";
import { createReaper, startDynamoDb } from "cdk-local-runner/testing";
import { inPartsOf } from "../../lib/core/in-parts.ts";
import type { Trigger } from "../../lib/orders/resting/stored.ts";
import { openTable, type Table } from "../../lib/table/table.ts";
import { triggerParts, triggersOf } from "../../lib/trading/items/keys.ts";
import { writeStep } from "../../lib/trading/items/write-step.ts";
import { createTable } from "../support/create-table.ts";
import { startChild } from "./child.ts";
import { startMarketChain } from "./market-chain.ts";
import { now } from "./statistics.ts";
import type { WatchAnswer } from "./trigger-process.ts";

export type TriggerLoad = {
  /** Processor time of a second and of a look, in milliseconds. */
  ofSecond: number;
  ofLook: number;
  memoryMB: number;
  heapMB: number;
  /** Orders handed over in a second. */
  handedOver: number;
  faults: number;
  /** Units of the table for a reading of all rows. */
  readUnits: number;
};

/** Time until the run has read the rows and quoted each token, in seconds. */
const warmUpSeconds = 60;
const rowsInStep = 50;

/**
 * Measures one run of watchTriggers in a process of its own, while orders rest on one chain.
 *
 * @param isReached Whether the stops are to be reached, and fireOrders answers each time that none may fire.
 */
export async function triggerLoad(
  orders: number,
  tokens: number,
  seconds: number,
  isReached = false,
): Promise<TriggerLoad> {
  const temporary = await mkdtemp(join(tmpdir(), "triggers-"));
  const credentials = { accessKeyId: randomBytes(8).toString("hex"), secretAccessKey: "local" };
  const reaper = createReaper();
  const database = await startDynamoDb({ temporary, credentials, reaper });
  const chain = await startMarketChain(tokens);
  const region = "us-east-1";
  const table = await createTable(openTable("bench", { endpoint: database.endpoint, region, credentials }));
  Object.assign(process.env, {
    AWS_REGION: region,
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    AWS_ENDPOINT_URL_DYNAMODB: database.endpoint,
    // Leaves the rest of 512 MB for what is not on the heap.
    NODE_OPTIONS: "--max-old-space-size=320",
  });
  try {
    await writeRows(table, orders, chain.tokens, isReached);
    const chains = { base: { ...chain.context, hosts: [chain.url], relay: null } };
    const run = await startChild<object, WatchAnswer>(
      "trigger-process.ts",
      "--table",
      table.name,
      "--chains",
      JSON.stringify(chains),
    );
    let isOver = false;
    const trading = (async () => {
      for (let index = 0; !isOver; index = (index + 10) % tokens)
        await Promise.all([chain.trade(chain.tokens.slice(index, index + 10)), pause(1000)]);
    })();
    try {
      await pause(warmUpSeconds * 1000);
      const [before, from] = [await run.ask({}), now()];
      await pause(seconds * 1000);
      const [after, to] = [await run.ask({}), now()];
      const cpuMs = after.cpuMs - before.cpuMs;
      const { memoryMB, heapMB, faults } = after;
      const readUnits = await unitsOfRows(table);
      return {
        ofSecond: (1000 * cpuMs) / (to - from),
        ofLook: cpuMs / (after.looks - before.looks),
        memoryMB,
        heapMB,
        handedOver: (1000 * (after.handedOver - before.handedOver)) / (to - from),
        faults,
        readUnits,
      };
    } finally {
      isOver = true;
      await trading;
      await run.stop();
    }
  } finally {
    await chain.close();
    await database.stop();
    await reaper.close();
    await rm(temporary, { recursive: true, force: true });
  }
}

/** Writes rows of stops and takes of profit, none of which is near its price unless the stops are to be reached. */
async function writeRows(
  table: Table,
  orders: number,
  tokens: readonly string[],
  isReached: boolean,
): Promise<void> {
  const [low, high] = [10n ** 9n, 1n].map((count) => ({ coins: 1n, tokens: count })) as [Ratio, Ratio];
  const rows = Array.from(
    { length: orders },
    (_, index): Trigger => ({
      ...({ chain: "base", side: "sell", state: "resting", restsUntil: 10 ** 11 } as const),
      wallet: `0x${(index % 2000).toString(16).padStart(40, "0")}`,
      userID: `user-${index % 500}-of-the-benchmark`,
      orderId: `order-${index}`,
      token: tokens[index % tokens.length] as string,
      amount: BigInt(1 + (index % 50)) * 10n ** 18n,
      legs: [
        { kind: "limit", price: high },
        { kind: "stop", trigger: isReached ? high : low, worst: low },
      ],
    }),
  );
  for (const part of inPartsOf(rowsInStep, rows))
    await writeStep(
      table,
      part.map((item) => ({ kind: "put", of: "trigger", item })),
    );
}

/** Reads all rows of a chain as the watch does, and returns the units that the table counts. */
async function unitsOfRows(table: Table): Promise<number> {
  let units = 0;
  for (let part = 0; part < triggerParts; part++) {
    const { PK } = triggersOf("base", part);
    const pages = paginateQuery(
      { client: table.client },
      {
        TableName: table.name,
        ConsistentRead: true,
        ReturnConsumedCapacity: "TOTAL",
        KeyConditionExpression: "PK = :pk",
        ExpressionAttributeValues: { ":pk": PK },
      },
    );
    for await (const { ConsumedCapacity } of pages) units += ConsumedCapacity?.CapacityUnits ?? 0;
  }
  return units;
}

type Ratio = { coins: bigint; tokens: bigint };
