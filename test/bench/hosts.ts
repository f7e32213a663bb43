/**
 * `npm run bench:hosts` measures what the agreement of two hosts costs: the quotes of all pools of a token by one host, as a
 * quote needs them, against the same by two, as placing an order does.
 */
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { type ChainClient, chainClient } from "../../lib/chains/chain-client.ts";
import { poolCalls } from "../../lib/chains/pool-routes.ts";
import type { BlockTag } from "../../lib/chains/rpc-call.ts";
import { localAddresses } from "../../lib/dev/chains/deployment.ts";
import { type LocalChain, startLocalChain } from "../../lib/dev/chains/local-chain.ts";
import { machine } from "./report.ts";
import { type Spread, spreadOf } from "./statistics.ts";
import { figure, textTable } from "./text-table.ts";

const { values } = parseArgs({ options: { times: { type: "string", default: "300" } } });
const times = Number(values.times);

/** The way to a host and back, in milliseconds: none, and a usual one. */
const ways = [0, 40];

/** A host of the chain that is so far away. */
async function startHost({ url }: LocalChain, wayMs: number) {
  const forward = async (body: string, response: ServerResponse) => {
    await delay(wayMs);
    const headers = { "Content-Type": "application/json" };
    const answer = await fetch(url, { method: "POST", headers, body });
    response.writeHead(200, headers).end(await answer.text());
  };
  const server = createServer((request, response) => {
    text(request)
      .then((body) => forward(body, response))
      .catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, stop: () => server.closeAllConnections() ?? server.close() };
}

/** How long each way of asking takes. They take turns, so that what else the machine does is shared. */
async function spreadsOf(client: ChainClient): Promise<Spread[]> {
  const tookMs = kinds.map((): number[] => []);
  for (let time = -10; time < times; time++)
    for (const [index, [, ask]] of kinds.entries()) {
      const start = performance.now();
      await ask(client);
      if (time >= 0) tookMs[index]?.push(performance.now() - start);
    }
  return tookMs.map(spreadOf);
}

console.log(`${machine()}\n`);
const chain = await startLocalChain({ chain: "eth" });
const callsAt = (tag: BlockTag) => {
  const trade = { side: "buy", amountIn: 5n * 10n ** 17n } as const;
  const { sure, v3 } = poolCalls(chain.contracts, localAddresses.moon, [trade], tag);
  return [sure, v3];
};
const kinds: [string, (client: ChainClient) => Promise<unknown>][] = [
  ["one host", ({ read }) => read(callsAt("latest"))],
  ["two agree", ({ agree }) => agree(({ number }) => callsAt(number))],
];
const columns = ["p50", "p95", "p99"] as const;
const rows: string[][] = [];
try {
  for (const wayMs of ways) {
    const hosts = [await startHost(chain, wayMs), await startHost(chain, wayMs)];
    const client = chainClient({ chain: "eth", hosts: hosts.map(({ url }) => url) });
    const spreads = await spreadsOf(client);
    for (const [index, [name]] of kinds.entries())
      rows.push([
        `${wayMs}`,
        name,
        ...columns.map((column) => figure(spreads[index]?.[column] ?? Number.NaN)),
      ]);
    const [one, two] = spreads as [Spread, Spread];
    rows.push([`${wayMs}`, "ratio", ...columns.map((column) => `x ${figure(two[column] / one[column])}`)]);
    for (const host of hosts) host.stop();
  }
} finally {
  await chain.close();
}
const head = ["way ms", "asked", "p50 ms", "p95 ms", "p99 ms"];
console.log(`${times} times\n${textTable(head, rows)}`);
