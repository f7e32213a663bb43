/**
 * Measures one run of readMarkets in a process of its own, while many connections follow 20 tokens each. The table is
 * DynamoDB Local and the hosts are those of a local chain. A stand-in replaces deliver, so no client is connected.
 */

import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";
import { BatchWriteCommand } from "@aws-sdk/lib-dynamodb";
import { createReaper, startDynamoDb } from "cdk-local-runner/testing";
import type { MarketDelivery } from "../../lib/markets/core/market-delivery.ts";
import { savePrices, takeFeed } from "../../lib/prices/price-records.ts";
import { openConnection } from "../../lib/realtime/connection-records.ts";
import { subscriberKey } from "../../lib/realtime/item-keys.ts";
import { subscribe, unsubscribe } from "../../lib/realtime/subscribe.ts";
import { openTable, type Table } from "../../lib/table/table.ts";
import { createTable } from "../support/create-table.ts";
import { startChild } from "./child.ts";
import { startCountingHost } from "./counting-host.ts";
import { countsOf } from "./host-requests.ts";
import { startMarketChain } from "./market-chain.ts";
import { pricesAsOf } from "./price-message.ts";
import type { ReaderAnswer } from "./reader-process.ts";
import { machine } from "./report.ts";
import { now } from "./statistics.ts";
import { figure, textTable } from "./text-table.ts";

export type ReaderLoad = {
  connections: number;
  users: number;
  seconds: number;
  shards: number;
  /** Number of tokens of each connection that exist on no chain and that no other connection follows. */
  invented: number;
  /** Number of subscriptions per second that begin and end at once. */
  restless: number;
};

/** As many tokens as are read on a chain. */
const tokenCount = 150;
const followed = 20;
/** Blocks are mined one second apart, and each contains trades of a fifth of the tokens. */
const traded = tokenCount / 5;
const blockMs = 1000;
const warmUpSeconds = 30;
/** Time within which the first delivery must begin, in seconds. All followers are read before it. */
const mostStartSeconds = 120;
/** Time after which the next delivery of a shard must begin: that of a delivery, the pause of a second, and a reserve. */
const mostGapMs = 2000;
/** Share of a processor that Lambda gives to 1,024 MB and to 1,769 MB, and the connections that these must bear. */
const bearable = [
  { connections: 10_000, share: 0.58 },
  { connections: 25_000, share: 1 },
];

/** Waits longer than a function, because DynamoDB Local shares the processors with other programs. */
const patient = { requestTimeout: 30_000 };

const itemsInBatch = 25;
const batchesAtOnce = 8;

export async function measureReader(load: ReaderLoad): Promise<{ isBorne: boolean }> {
  console.log(`${machine()}
${load.connections} connections of ${load.users} users that follow ${followed} tokens, ${load.invented} of them invented; ${tokenCount} tokens, a fifth of which is traded each second; ${load.restless} restless subscriptions a second; ${load.shards} shards`);
  const temporary = await mkdtemp(join(tmpdir(), "reader-"));
  const reaper = createReaper();
  const credentials = { accessKeyId: randomBytes(8).toString("hex"), secretAccessKey: "local" };
  const database = await startDynamoDb({ temporary, credentials, reaper });
  const chain = await startMarketChain(tokenCount);
  const hosts = [await startCountingHost(chain.url), await startCountingHost(chain.url)];
  const lambda = await startLambdaStandIn();
  const region = "us-east-1";
  const connection = { endpoint: database.endpoint, region, credentials, requestHandler: patient };
  const table = await createTable(openTable("bench", connection));
  Object.assign(process.env, {
    AWS_REGION: region,
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    AWS_ENDPOINT_URL_DYNAMODB: database.endpoint,
    AWS_ENDPOINT_URL_LAMBDA: lambda.url,
  });
  try {
    await writeFollowers(table, load, chain.tokens);
    const chains = { base: { ...chain.context, hosts: hosts.map(({ url }) => url), relay: null } };
    const reader = await startChild<object, ReaderAnswer>(
      "reader-process.ts",
      "--table",
      table.name,
      "--chains",
      JSON.stringify(chains),
      "--shards",
      `${load.shards}`,
    );
    const traffic = startTraffic(table, load, chain);
    try {
      for (let second = 0; lambda.deliveries.length === 0 && second < mostStartSeconds; second++)
        await pause(1000);
      await pause(warmUpSeconds * 1000);
      const [before, from, asked] = [
        await reader.ask({}),
        now(),
        hosts.map(({ requests }) => requests.length),
      ];
      await pause(load.seconds * 1000);
      const [after, to] = [await reader.ask({}), now()];
      const received = lambda.deliveries.filter(({ at }) => at >= from && at < to);
      const requests = hosts.flatMap((host, index) => host.requests.slice(asked[index]));
      const share = (after.cpuMs - before.cpuMs) / (to - from);
      console.log(`\n${printed(received, { from, to, shards: load.shards })}

${figure(share)} s of processor a second, ${figure(after.memoryMB)} MB, ${after.faults} faults, ${countsOf(requests).requests} requests to hosts`);
      return { isBorne: isBorne(received, { from, to, shards: load.shards }, share, load) };
    } finally {
      await traffic.stop();
      await reader.stop();
    }
  } finally {
    lambda.stop();
    for (const host of hosts) host.stop();
    await chain.close();
    await database.stop();
    await rm(temporary, { recursive: true, force: true });
  }
}

const tokensOf = (index: number, { invented }: ReaderLoad, tokens: readonly string[]) =>
  Array.from({ length: followed }, (_, place) => ({
    chain: "base" as const,
    token:
      place < invented
        ? `0x${(index * followed + place + 1).toString(16).padStart(40, "0")}`
        : (tokens[(index * 7 + place * 11) % tokens.length] as string),
  }));

/** Writes the followers directly, because each `subscribe` takes several calls. */
async function writeFollowers(table: Table, load: ReaderLoad, tokens: readonly string[]): Promise<void> {
  const expiresAt = Math.floor(Date.now() / 1000) + 7200;
  const items = Array.from({ length: load.connections }, (_, index) => {
    const [userID, connectionId] = [`user-${index % load.users}`, `connection-${index}=`];
    const key = subscriberKey("markets", index % load.shards, connectionId);
    return { ...key, userID, connectionId, expiresAt, every: 1, tokens: tokensOf(index, load, tokens) };
  });
  const batches = Array.from({ length: Math.ceil(items.length / itemsInBatch) }, (_, index) =>
    items.slice(index * itemsInBatch, (index + 1) * itemsInBatch),
  );
  const write = async () => {
    for (let batch = batches.pop(); batch !== undefined; batch = batches.pop()) {
      const requests = batch.map((Item) => ({ PutRequest: { Item } }));
      await table.client.send(new BatchWriteCommand({ RequestItems: { [table.name]: requests } }));
    }
  };
  await Promise.all(Array.from({ length: batchesAtOnce }, write));
}

/** Trades, writes the prices of coins, and lets restless clients subscribe and leave. */
function startTraffic(table: Table, load: ReaderLoad, chain: Awaited<ReturnType<typeof startMarketChain>>) {
  let isOver = false;
  const repeat = async (everyMs: number, step: (index: number) => Promise<unknown>) => {
    for (let index = 0; !isOver; index++) await Promise.all([step(index), pause(everyMs)]);
  };
  const run = { lease: "benchmark", startedAt: new Date().toISOString() };
  const tokens = [...chain.tokens];
  const all = Promise.all([
    repeat(blockMs, async (index) => {
      const first = (index * traded) % tokenCount;
      await chain.trade(tokens.slice(first, first + traded));
    }),
    takeFeed(table, run).then(() =>
      repeat(2 * blockMs, () => savePrices(table, run, pricesAsOf(new Date().toISOString()))),
    ),
    ...Array.from({ length: load.restless }, (_, client) =>
      repeat(1000, (index) => subscribeAndLeave(table, load, chain.tokens, { client, index })),
    ),
  ]);
  return {
    async stop() {
      isOver = true;
      await all;
    },
  };
}

async function subscribeAndLeave(
  table: Table,
  load: ReaderLoad,
  tokens: readonly string[],
  { client, index }: { client: number; index: number },
): Promise<void> {
  const name = { userID: `restless-${client}`, connectionId: `restless-${client}=` };
  const now = new Date();
  if (index === 0) await openConnection(table, name, { shard: client % load.shards, now });
  const request = { ...name, now, channels: ["prices"] };
  const markets = { chains: ["base" as const], startReader: async () => {}, onFault: console.error };
  const wished = tokensOf(load.connections + client * 1000 + index, load, tokens);
  await subscribe(table, { ...request, tokens: wished }, { markets });
  await unsubscribe(table, request, markets);
}

type Span = { from: number; to: number; shards: number };

const rowsOf = (received: readonly DeliveryReceipt[], { from, to, shards }: Span) =>
  Array.from({ length: shards }, (_, shard) => {
    const own = received.filter((each) => each.shard === shard);
    const times = [from, ...own.map(({ at }) => at), to];
    const gaps = times.slice(1).map((at, index) => at - (times[index] ?? at));
    const secondOf = (at: number) => Math.floor((at - from) / 1000);
    const served = new Set(own.flatMap(({ at }) => [secondOf(at), secondOf(at + deliverMs)]));
    return {
      shard,
      count: own.length,
      missed: Math.floor((to - from) / 1000) - [...served].filter((second) => second < secondOf(to)).length,
      longestMs: Math.max(...gaps),
      largest: Math.max(0, ...own.map(({ bytes }) => bytes)),
      records: own.reduce((sum, { records }) => sum + records, 0) / own.length,
    };
  });

const printed = (received: readonly DeliveryReceipt[], span: Span): string =>
  textTable(
    ["shard", "deliveries", "a second", "seconds without", "longest gap ms", "records", "largest bytes"],
    rowsOf(received, span).map(({ shard, count, missed, longestMs, largest, records }) => [
      `${shard}`,
      ...[count, (1000 * count) / (span.to - span.from), missed, longestMs, records, largest].map(figure),
    ]),
  );

/** True if every shard got deliveries all the time, within the processor that Lambda would give. */
function isBorne(received: readonly DeliveryReceipt[], span: Span, share: number, load: ReaderLoad): boolean {
  const late = rowsOf(received, span).filter(({ longestMs }) => longestMs > mostGapMs);
  const most = bearable.find(({ connections }) => load.connections <= connections)?.share ?? 1;
  if (late.length > 0)
    console.error(`failed: shards ${late.map(({ shard }) => shard)} waited for a delivery`);
  if (share > most) console.error(`failed: ${figure(share)} s of processor a second, more than ${most}`);
  return late.length === 0 && share <= most;
}

/** A delivery as deliver would have received it. */
type DeliveryReceipt = { at: number; shard: number; bytes: number; records: number };

/** Time that deliver takes: a quarter of a millisecond for each client of a shard of 1,000. */
const deliverMs = 250;

/** Starts a stand-in for Lambda. It records deliveries, answers each after a while, and knows no history of any token. */
async function startLambdaStandIn() {
  const deliveries: DeliveryReceipt[] = [];
  const server = createServer(async (request, response) => {
    const at = now();
    const body = await buffer(request);
    if (request.url?.includes("/deliver/")) {
      const { shard, markets } = JSON.parse(body.toString()) as MarketDelivery;
      deliveries.push({ at, shard, bytes: body.length, records: markets.records.length });
      await pause(deliverMs);
      response.end(JSON.stringify({ isDelivered: true }));
    } else response.end(JSON.stringify("unavailable"));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    deliveries,
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}
