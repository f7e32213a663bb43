import { setTimeout as delay } from "node:timers/promises";
import { askOne } from "../support/local-hosts.ts";
import { startCountingHost } from "./counting-host.ts";
import { type OrderChain, startRealPace } from "./order-chain.ts";
import { openTrader } from "./order-trader.ts";
import { startService } from "./service.ts";

export const exitChains = ["eth", "base", "sol"] as const;

/** Far from the price, so that none fires. */
const exits = [
  { percent: 60, takeProfit: { percent: 900 }, stopLoss: { percent: -60 } },
  { percent: 40, trailing: { trailPercent: 60 } },
];

/**
 * Measures the milliseconds from the block of each of some buys until all of its exits rest, on a local runner with the
 * waits of a deployment and a chain at the pace of its network. Chains name only the second of a block, so the result
 * can be up to a second too high.
 */
export async function exitWaits(name: (typeof exitChains)[number], rounds: number): Promise<number[]> {
  const chain = await startRealPace(name);
  const hosts = [await startCountingHost(chain.url), await startCountingHost(chain.url)];
  const service = await startService(1, {
    trading: [chain.chain],
    chains: { [chain.chain]: { ...chain.context, hosts: hosts.map(({ url }) => url), relay: null } },
  });
  try {
    const trader = await openTrader(service, chain);
    const wallet = await trader.newWallet();
    const waits: number[] = [];
    // The first round warms up.
    for (let round = -1; round < rounds; round++) {
      // Begins at any time of a block.
      await delay(Math.random() * 3000);
      const { order } = await trader.buy(wallet, { exits });
      const ids = (order.exits ?? []).map(({ orderId }) => orderId);
      const restedMs = await Promise.all(
        ids.map(async (id) => {
          for (;;) {
            const { stage, updatedAt } = await trader.read(id);
            if (stage === "resting") return Date.parse(updatedAt);
            if (stage !== "pending") throw new Error(`An exit is ${stage}`);
            await delay(100);
          }
        }),
      );
      const { txHash = "" } = await trader.read(order.orderId);
      if (round >= 0) waits.push(Math.max(...restedMs) - (await minedMs(chain, txHash)));
      await trader.cancelAll();
    }
    return waits;
  } finally {
    await service.stop();
    for (const host of hosts) host.stop();
    await chain.close();
  }
}

/** Returns the time of a transaction's block. */
async function minedMs({ chain, url }: OrderChain, hash: string): Promise<number> {
  if (chain === "sol") {
    const options = { commitment: "confirmed", maxSupportedTransactionVersion: 0 };
    const { result } = await askOne(url, "getTransaction", hash, options);
    return 1000 * (result as { blockTime: number }).blockTime;
  }
  const { result: receipt } = await askOne(url, "eth_getTransactionReceipt", hash);
  const { blockNumber } = receipt as { blockNumber: string };
  const { result: block } = await askOne(url, "eth_getBlockByNumber", blockNumber, false);
  return 1000 * Number((block as { timestamp: string }).timestamp);
}
