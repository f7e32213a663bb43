/**
 * `npm run bench:fanout` measures on a local runner how long prices take from the table to many clients, and how long
 * changes of settings take to reach their user. It compares prices with a plain broadcast and fails if messages were
 * lost.
 */
import { parseArgs } from "node:util";
import type { BroadcastAnswer, BroadcastRequest } from "./broadcast-process.ts";
import { startChild } from "./child.ts";
import { openCrowd } from "./crowd.ts";
import { measure } from "./measure.ts";
import { checkOpenFiles } from "./open-files.ts";
import type { Outcome } from "./outcome.ts";
import { messageOf, pricesAsOf } from "./price-message.ts";
import { fanOutTable, machine, processorTimeTable, type Run, settingsTable } from "./report.ts";
import { startService } from "./service.ts";
import { settingsLatency } from "./settings-latency.ts";

const { values } = parseArgs({
  options: {
    clients: { type: "string", default: "1000,2500" },
    seconds: { type: "string", default: "20" },
    shards: { type: "string", default: "4" },
    changes: { type: "string", default: "200" },
    "client-processes": { type: "string", default: "1" },
  },
});
const [ticks, shards, changes, processes] = [
  number(values.seconds),
  number(values.shards),
  number(values.changes),
  number(values["client-processes"]),
];
const counts = values.clients.split(",").map(number);

function number(text: string): number {
  if (!/^[1-9]\d*$/.test(text)) throw new Error(`Not a positive whole number: ${text}`);
  return Number(text);
}

/** Connections of each user. The number is high because registering users takes time. */
const connectionsPerUser = 30;

async function throughTheService(clients: number): Promise<Pick<Run, "service" | "settings">> {
  const service = await startService(shards);
  try {
    const users = Array.from(
      { length: Math.ceil(clients / connectionsPerUser) },
      (_, index) => `user-${index}`,
    );
    const tokens = await Promise.all(users.map((user) => service.token(user)));
    const url = service.streamUrl;
    const crowd = await openCrowd({ url, clients, processes, tokens, subscribe: true });
    try {
      const settings = await settingsLatency(service, changes);
      const { pid: server, writePrices: send } = service;
      return { settings, service: await measure({ crowd, clients, ticks, server, send }) };
    } finally {
      await crowd.stop();
    }
  } finally {
    await service.stop();
  }
}

/**
 * Baseline: broadcasts the benchmark's messages to the same number of clients, in a plain loop over one process's
 * sockets.
 */
async function bareBroadcast(options: {
  clients: number;
  processes: number;
  ticks: number;
}): Promise<Outcome> {
  const server = await startChild<BroadcastRequest, BroadcastAnswer, { url: string }>("broadcast-process.ts");
  const { url } = server.first;
  const crowd = await openCrowd({ url, tokens: [], subscribe: false, ...options });
  try {
    return await measure({
      crowd,
      server: server.pid,
      ...options,
      async send() {
        const asOf = new Date().toISOString();
        const { sentAt } = await server.ask({ messages: [messageOf(pricesAsOf(asOf))] });
        return { asOf, sentAt };
      },
    });
  } finally {
    await crowd.stop();
    await server.stop();
  }
}

checkOpenFiles(Math.max(...counts));
console.log(`${machine()}\n${shards} shards, ${ticks} ticks, one a second, client processes: ${processes}\n`);

const runs: Run[] = [];
for (const clients of counts) {
  console.log(`${clients} clients …`);
  const bare = await bareBroadcast({ clients, processes, ticks });
  runs.push({ clients, bare, ...(await throughTheService(clients)) });
}

console.log(`
Prices: from just before the record is written to receipt
${fanOutTable(runs)}

TradingSettingsUpdated: from the HTTP answer to receipt, ${changes} changes one after another
${settingsTable(runs)}

Processor time of the service
${processorTimeTable(runs)}
`);
process.exitCode = runs.every(({ service, bare }) => service.lost + bare.lost === 0) ? 0 : 1;
