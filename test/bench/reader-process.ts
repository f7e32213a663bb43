/** A process with one run of readMarkets. It reports the processor time that it has used. */
import { randomUUID } from "node:crypto";
import { parseArgs } from "node:util";
import { callOf } from "../../lib/aws/call-function.ts";
import { openChains } from "../../lib/chains/families/open-chains.ts";
import type { HistoryState } from "../../lib/markets/core/market.ts";
import { openReader } from "../../lib/markets/open-reader.ts";
import { readMarkets } from "../../lib/markets/read-markets.ts";
import { marketFollowers } from "../../lib/realtime/connection-records.ts";
import { openPrices } from "../../lib/realtime/snapshots.ts";
import { openTable } from "../../lib/table/table.ts";
import { say } from "./child.ts";

export type ReaderAnswer = {
  /** Processor time used so far, in milliseconds. */
  cpuMs: number;
  /** Memory in use, in megabytes. */
  memoryMB: number;
  faults: number;
};

const { values } = parseArgs({
  options: {
    table: { type: "string", default: "" },
    chains: { type: "string", default: "" },
    shards: { type: "string", default: "4" },
  },
});

// Waits longer than a function, because DynamoDB Local shares the processors with other programs.
const table = openTable(values.table, { requestHandler: { requestTimeout: 30_000 } });
const deliver = callOf("deliver", { maxAttempts: 1 });
const loadHistory = callOf("loadHistory", { maxAttempts: 1 });

let faults = 0;
const onFault = (error: unknown) => {
  faults++;
  console.error(error);
};

const deps = openReader({
  marketTokens: {},
  table,
  chains: openChains(JSON.parse(values.chains)),
  countShards: async () => Number(values.shards),
  readFollowers: () => marketFollowers(table, Number(values.shards)),
  readPrices: openPrices(table),
  deliver: async (delivery) => (await deliver(delivery)) as { isDelivered: boolean },
  startReader: async () => {},
  loadHistory: async (order) => (await loadHistory(order)) as HistoryState,
  onFault,
  onWarning: onFault,
});

process.on("message", () => {
  const { user, system } = process.cpuUsage();
  const memoryMB = process.memoryUsage.rss() / 2 ** 20;
  say({ cpuMs: (user + system) / 1000, memoryMB, faults } satisfies ReaderAnswer);
});
say({});
await readMarkets(deps, { build: randomUUID(), shiftMs: 3_600_000, longestMs: 3_600_000 });
