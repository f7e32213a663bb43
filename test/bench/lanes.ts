/** Measures the processor time that a round of readChains takes for each lane that only settles. */
import { Readable } from "node:stream";
import { marshall } from "@aws-sdk/util-dynamodb";
import type { Look } from "../../lib/orders/block.ts";
import type { Lane } from "../../lib/orders/table-step.ts";
import { openTable } from "../../lib/table/table.ts";
import { type Performers, runProcedure } from "../../lib/trading/execution/run-procedure.ts";
import { tableEffects } from "../../lib/trading/execution/table-effects.ts";
import { laneKey } from "../../lib/trading/items/keys.ts";
import { newReader, readChain } from "../../lib/trading/procedures/reading.ts";

const [lanes, blocks, shards, minutes] = [2400, 700, 2, 4];

const hex = (number: number, length: number) => `0x${number.toString(16).padStart(length, "0")}`;

const laneOf = (index: number): Lane => {
  const block = index % blocks;
  return {
    chain: "base",
    wallet: hex(index, 40),
    jobs: 1,
    watch: {
      jobs: 1,
      blocks: { [hex(index, 64)]: { number: block, hash: hex(block, 64) } },
      finalFrom: block,
      settlingSinceMs: 0,
      lookAgainAtMs: 300_000,
    },
  };
};

/** Responses to the queries of the shards: whole ones, and those from which a filter removes all settling lanes. */
const whole = Array.from({ length: shards }, (_, shard) => {
  const found = Array.from({ length: lanes / shards }, (_, index) => laneOf(index * shards + shard));
  return JSON.stringify({ Items: found.map((lane) => marshall({ ...laneKey(lane, shard), ...lane })) });
});

const answerTo = (body: Uint8Array) => {
  const { FilterExpression, ExpressionAttributeValues: values } = JSON.parse(Buffer.from(body).toString());
  return FilterExpression === undefined ? whole[values[":pk"].S.endsWith("1") ? 1 : 0] : '{"Items":[]}';
};

const table = openTable("bench", {
  region: "us-east-1",
  credentials: { accessKeyId: "a", secretAccessKey: "b" },
  requestHandler: {
    handle: async ({ body }: { body: Uint8Array }) => ({
      response: { statusCode: 200, headers: {}, body: Readable.from([Buffer.from(answerTo(body) ?? "")]) },
    }),
  },
});

let nowMs = 1_000_000;
const reader = newReader();
const performers: Performers = {
  readLanes: tableEffects(table).readLanes,
  now: () => nowMs,
  look: ({ heights }): Look => {
    const number = blocks + nowMs / 1000;
    const hashes = new Map(heights.map((height) => [height, hex(height, 64)]));
    return { number, time: 0, parentHash: hex(number - 1, 64), hashes };
  },
};

async function round() {
  nowMs += 1000;
  const found = await runProcedure(readChain("base", reader), performers);
  if (found.lanes !== lanes) throw new Error(`A round has ${found.lanes} lanes`);
}

async function measured(prepare: () => void) {
  for (let index = 0; index < 60; index++) await round();
  const before = process.cpuUsage();
  for (let index = 0; index < minutes * 60; index++) {
    prepare();
    await round();
  }
  const { user, system } = process.cpuUsage(before);
  return `${((user + system) / (minutes * 60) / lanes).toFixed(1)} µs`;
}

const known = await measured(() => {});
const unknown = await measured(() => {
  reader.wholeMs = Number.NEGATIVE_INFINITY;
});
console.log(`A round takes ${known} for each lane that settles, and ${unknown} if it reads all lanes.`);
