import { setTimeout as delay } from "node:timers/promises";
import { openEvmMarket } from "trading-terminal-devnet/evm/evm-market";
import { startCountingHost } from "./counting-host.ts";
import { sends } from "./host-requests.ts";
import { startOrderChain } from "./order-chain.ts";
import { openTrader } from "./order-trader.ts";
import { startService } from "./service.ts";
import { now, percentile } from "./statistics.ts";

/** Medians in milliseconds. */
export type TriggerLatency = {
  /** From a moved price, in a block, to the broadcast of a limit's child. */
  fromMove: number;
  /** From the answer to a market order to its broadcast. */
  fromAnswer: number;
};

/** Pause before each measurement, so that hosts and runs are at rest. */
const pauseMs = 3000;

/** Measures limits that fire and market orders in turns, on a local runner with one chain. */
export async function triggerLatency(rounds: number): Promise<TriggerLatency> {
  const chain = await startOrderChain("eth");
  const hosts = [await startCountingHost(chain.url), await startCountingHost(chain.url)];
  const urls = hosts.map(({ url }) => url);
  const service = await startService(1, {
    trading: [chain.chain],
    chains: { [chain.chain]: { ...chain.context, hosts: urls, relay: null } },
  });
  try {
    const trader = await openTrader(service, chain);
    const wallet = await trader.newWallet();
    const sentAfter = async (startMs: number): Promise<number> => {
      for (;;) {
        const sent = hosts.flatMap(({ requests }) =>
          requests.filter((each) => sends(each) && each.at > startMs),
        );
        if (sent.length > 0) return Math.min(...sent.map(({ at }) => at));
        await delay(5);
      }
    };
    // A resting order is settled only a minute after its fill.
    const filled = () => trader.untilAll(({ status }) => status === "filled");
    const [fromMove, fromAnswer]: [number[], number[]] = [[], []];
    for (let round = -1; round < rounds; round++) {
      await delay(pauseMs);
      await trader.buy(wallet);
      const answeredMs = now();
      const ofMarket = (await sentAfter(answeredMs)) - answeredMs;
      await filled();

      const market = await openEvmMarket({ chain: "eth", url: chain.url, token: chain.token });
      const price = market.pools.find(({ unit }) => unit !== "USDX")?.price ?? 0;
      await trader.placeLimit(wallet, (0.99 * price).toFixed(18));
      await delay(pauseMs);
      await market.moveTo(0.97);
      const movedMs = now();
      const ofLimit = (await sentAfter(movedMs)) - movedMs;
      await filled();
      await market.moveTo(1);
      // The first round warms up.
      if (round < 0) continue;
      fromMove.push(ofLimit);
      fromAnswer.push(ofMarket);
    }
    return { fromMove: percentile(fromMove, 50), fromAnswer: percentile(fromAnswer, 50) };
  } finally {
    await service.stop();
    for (const host of hosts) host.stop();
    await chain.close();
  }
}
