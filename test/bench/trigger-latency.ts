import { setTimeout as delay } from "node:timers/promises";
import { openEvmMarket } from "trading-terminal-devnet/evm/evm-market";
import { startCountingHost } from "./counting-host.ts";
import { countsOf, type HostRequest, isShared, sends } from "./host-requests.ts";
import { startOrderChain } from "./order-chain.ts";
import { openTrader } from "./order-trader.ts";
import { startService } from "./service.ts";
import { now } from "./statistics.ts";

export type TriggerLatency = {
  /** Milliseconds from a moved price, in a block, to the broadcast of a limit's child. */
  fromMove: readonly number[];
  /** Milliseconds from the answer to a market order to its broadcast. */
  fromAnswer: readonly number[];
  /** Units of hosts for an order from the request, or the moved price, until it is settled, without shared looks. */
  units: { market: number; limit: number };
};

/** Pause before each measurement, so that hosts and runs are at rest. */
const pauseMs = 3000;

/** Selectors of the questions that a look asks about pools. */
const poolState = /0902f1ac|3850c7bd/;

/** True if the request serves all resting orders of a chain: a look at their pools. */
const looksAtPools = ({ calls: [call, ...others] }: HostRequest): boolean =>
  others.length === 0 && call?.method === "eth_call" && poolState.test(JSON.stringify(call.params));

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
    const requestsAfter = (startMs: number) =>
      hosts.flatMap(({ requests }) => requests.filter(({ at }) => at > startMs));
    const sentAfter = async (startMs: number): Promise<number> => {
      for (;;) {
        const sent = requestsAfter(startMs).filter(sends);
        if (sent.length > 0) return Math.min(...sent.map(({ at }) => at));
        await delay(5);
      }
    };
    const spentAfter = (startMs: number): number =>
      countsOf(requestsAfter(startMs).filter((each) => !isShared(each) && !looksAtPools(each))).units;
    // A resting order is settled only a minute after its fill.
    const filled = () => trader.untilAll(({ status }) => status === "filled");
    const settled = () => trader.untilAll((order) => order.settled);
    const sendMarket = async (): Promise<number> => {
      await trader.buy(wallet);
      const answeredMs = now();
      return (await sentAfter(answeredMs)) - answeredMs;
    };
    const market = await openEvmMarket({ chain: "eth", url: chain.url, token: chain.token });
    const price = market.pools.find(({ unit }) => unit !== "USDX")?.price ?? 0;
    const placeLimit = async (): Promise<void> => {
      await trader.placeLimit(wallet, (0.99 * price).toFixed(18));
      await delay(pauseMs);
    };
    /** Moves the price, and returns the time at which it had moved and the time from then to the broadcast. */
    const sendLimit = async () => {
      await market.moveTo(0.97);
      const movedMs = now();
      return { movedMs, ofLimit: (await sentAfter(movedMs)) - movedMs };
    };
    const [fromMove, fromAnswer]: [number[], number[]] = [[], []];
    for (let round = -1; round < rounds; round++) {
      await delay(pauseMs);
      const ofMarket = await sendMarket();
      await filled();
      await placeLimit();
      const { ofLimit } = await sendLimit();
      await filled();
      await market.moveTo(1);
      // The first round warms up.
      if (round < 0) continue;
      fromMove.push(ofLimit);
      fromAnswer.push(ofMarket);
    }
    await settled();
    const startMs = now();
    await sendMarket();
    await settled();
    const ofMarket = spentAfter(startMs);
    await placeLimit();
    const { movedMs } = await sendLimit();
    await settled();
    return { fromMove, fromAnswer, units: { market: ofMarket, limit: spentAfter(movedMs) } };
  } finally {
    await service.stop();
    for (const host of hosts) host.stop();
    await chain.close();
  }
}
