/**
 * `npm run bench:orders` measures orders on a local runner with one chain: the time from the response to the
 * broadcast, the requests to hosts, the processor time of each function, and how many orders of 50 wallets
 * are filled in a minute. It compares the broadcast with signing and sending alone, in the same run.
 */
import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { Wallet } from "ethers/wallet";
import { localAddresses, localContracts } from "../../lib/tools/dev/chains/deployment.ts";
import { startLocalChain } from "../../lib/tools/dev/chains/local-chain.ts";
import { newEvmKey } from "../support/keys.ts";
import { startCountingHost } from "./counting-host.ts";
import { type ProcessorTime, processorTime, timeBetween } from "./processor-time.ts";
import { machine } from "./report.ts";
import { startService } from "./service.ts";
import { now, spreadOf } from "./statistics.ts";
import { figure, textTable } from "./text-table.ts";

const { values } = parseArgs({
  options: {
    orders: { type: "string", default: "30" },
    wallets: { type: "string", default: "50" },
    rounds: { type: "string", default: "3" },
  },
});
const [orders, walletCount, rounds] = [values.orders, values.wallets, values.rounds].map(Number) as [
  number,
  number,
  number,
];

type Order = { orderId: string; status: string; settled: boolean };

const chain = await startLocalChain({ chain: "eth" });
const hosts = [await startCountingHost(chain.url), await startCountingHost(chain.url)];
const [first] = hosts as [(typeof hosts)[number]];
const miner = setInterval(() => chain.request("evm_mine").catch(() => {}), 1000);
const service = await startService(1, {
  trading: ["eth"],
  chains: { eth: { ...localContracts("eth"), hosts: hosts.map(({ url }) => url), relay: null } },
  walletLimits: { Base: 500 },
});

let token = await service.token("trader");
async function ask<Data>(path: string, body?: object, key?: string): Promise<Data> {
  const response = await fetch(`${service.baseUrl}${path}`, {
    headers: {
      Authorization: `Bearer ${token}`,
      ...(body && { "Content-Type": "application/json" }),
      ...(key && { "Idempotency-Key": key }),
    },
    ...(body && { method: "POST", body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${path}: ${response.status} ${text}`);
  return (JSON.parse(text) as { data: Data }).data;
}

async function newWallet(): Promise<string> {
  const { address, privateKey } = newEvmKey();
  await ask("/storeWallet_v2", { network: "eth", privateKey });
  await chain.request("anvil_setBalance", [address, `0x${(10n ** 20n).toString(16)}`]);
  return address;
}

const buy = (wallet: string) =>
  ask<{ order: Order }>(
    "/api/v2/orders",
    { chain: "eth", wallet, side: "buy", type: "market", token: localAddresses.moon, amount: "0.001" },
    randomUUID(),
  );

/** Waits until all orders of the user match. */
async function untilAll(is: (order: Order) => boolean): Promise<void> {
  for (;;) {
    const { orders: newest } = await ask<{ orders: Order[] }>("/api/v2/orders?limit=100");
    if (newest.every(is)) return;
    await delay(200);
  }
}
const isFilled = ({ status }: Order) => status === "filled";
const isSettled = ({ settled }: Order) => settled;

const sending = (methods: readonly string[]) => methods.includes("eth_sendRawTransaction");

/** Places orders one at a time on an idle service. */
async function oneByOne(wallet: string) {
  const [toAnswer, toBroadcast, requestsToAnswer, requestsToBroadcast, requestsInAll] = [0, 1, 2, 3, 4].map(
    (): number[] => [],
  ) as [number[], number[], number[], number[], number[]];
  let before: ProcessorTime;
  for (let index = -5; index < orders; index++) {
    if (index === 0) before = processorTime(service.pid);
    for (const host of hosts) host.requests.length = 0;
    const start = now();
    await buy(wallet);
    const answered = now();
    const asked = () => hosts.flatMap(({ requests }) => requests.filter(({ isLook }) => !isLook));
    while (!asked().some(({ methods }) => sending(methods))) await delay(1);
    const sent = Math.min(...asked().flatMap(({ methods, at }) => (sending(methods) ? [at] : [])));
    await untilAll(isSettled);
    if (index < 0) continue;
    toAnswer.push(answered - start);
    toBroadcast.push(sent - answered);
    requestsToAnswer.push(asked().filter(({ at }) => at < answered && at < sent).length);
    requestsToBroadcast.push(asked().filter(({ at }) => at <= sent).length);
    requestsInAll.push(asked().length);
  }
  const used = timeBetween(before, processorTime(service.pid)) ?? new Map<string, number>();
  return { toAnswer, toBroadcast, requestsToAnswer, requestsToBroadcast, requestsInAll, used };
}

/** The lower bound: only signs and sends a transfer. */
async function bare() {
  const wallet = new Wallet(newEvmKey().privateKey);
  await chain.request("anvil_setBalance", [wallet.address, `0x${(10n ** 20n).toString(16)}`]);
  const took: number[] = [];
  const begun = process.cpuUsage();
  for (let nonce = 0; nonce < orders; nonce++) {
    const start = now();
    const raw = await wallet.signTransaction({
      ...{ to: wallet.address, nonce, gasLimit: 21_000n, chainId: 1n, type: 2 },
      ...{ maxFeePerGas: 10n ** 11n, maxPriorityFeePerGas: 1n },
    });
    await fetch(first.url, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify([{ jsonrpc: "2.0", id: 1, method: "eth_sendRawTransaction", params: [raw] }]),
    }).then((response) => response.text());
    took.push(now() - start);
  }
  const { user, system } = process.cpuUsage(begun);
  return { took, cpuMs: (user + system) / 1000 / orders };
}

console.log(`${machine()}\n`);
try {
  const wallet = await newWallet();
  const single = await oneByOne(wallet);
  const floor = await bare();
  const [broadcast, answer, alone] = [single.toBroadcast, single.toAnswer, floor.took].map(spreadOf) as [
    ReturnType<typeof spreadOf>,
    ReturnType<typeof spreadOf>,
    ReturnType<typeof spreadOf>,
  ];
  const row = (name: string, { p50, p95 }: typeof alone) => [
    name,
    figure(p50),
    figure(p95),
    `x ${figure(p50 / alone.p50)}`,
  ];
  console.log(`${orders} orders of a wallet, one after the other`);
  console.log(
    textTable(
      ["from, to", "p50 ms", "p95 ms", "of signing and sending"],
      [
        row("the request to the answer", answer),
        row("the answer to the broadcast", broadcast),
        row("signing and sending alone", alone),
      ],
    ),
  );
  const counts: [string, number[]][] = [
    ["to the answer", single.requestsToAnswer],
    ["to the broadcast", single.requestsToBroadcast],
    ["until the outcome is final", single.requestsInAll],
  ];
  console.log(
    `\n${textTable(
      ["requests to hosts, polling aside", "p50"],
      counts.map(([name, each]) => [name, figure(spreadOf(each).p50)]),
    )}`,
  );
  console.log(
    `\n${textTable(
      ["CPU ms of an order", "", "of signing and sending"],
      [...single.used]
        .toSorted(([, one], [, other]) => other - one)
        .filter(([, ms]) => ms / orders >= 0.1)
        .map(([use, ms]) => [use, figure(ms / orders), `x ${figure(ms / orders / floor.cpuMs)}`]),
    )}`,
  );

  const wallets: string[] = [];
  while (wallets.length < walletCount) wallets.push(await newWallet());
  token = await service.token("trader");
  const start = now();
  for (let round = 0; round < rounds; round++) {
    const left = [...wallets];
    const work = async () => {
      for (let next = left.pop(); next !== undefined; next = left.pop()) await buy(next);
    };
    await Promise.all(Array.from({ length: 10 }, work));
    await untilAll(isFilled);
  }
  const minutes = (now() - start) / 60_000;
  const all = rounds * walletCount;
  console.log(`\n${all} orders of ${walletCount} wallets: ${figure(all / minutes)} filled a minute`);
} finally {
  await service.stop();
  clearInterval(miner);
  for (const host of hosts) host.stop();
  await chain.close();
}
