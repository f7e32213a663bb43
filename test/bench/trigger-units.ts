import { localAddresses, localContracts } from "trading-terminal-devnet/evm/deployment";
import { openEvmMarket } from "trading-terminal-devnet/evm/evm-market";
import { startLocalChain } from "trading-terminal-devnet/evm/local-chain";
import { openEvmChains } from "../../lib/chains/families/open-chains.ts";
import { pricesOn } from "../../lib/chains/families/prices.ts";
import { tokenLooksOn } from "../../lib/chains/families/token-looks.ts";
import type { EvmChain } from "../../lib/core/chain-facts.ts";
import type { Leg } from "../../lib/orders/resting/mandate.ts";
import type { Trigger } from "../../lib/orders/resting/stored.ts";
import { lookBack, randomBlocks } from "../../lib/orders/resting/touch.ts";
import { mostHandedOver } from "../../lib/orders/resting/turns.ts";
import { WatchedChain } from "../../lib/trading/execution/watched-chain.ts";
import { startCountingHost } from "./counting-host.ts";
import { countsOf } from "./host-requests.ts";

export type TriggerUnits = {
  /** Units of a look at all tokens without a reached price, and of one after which a token is quoted. */
  look: number;
  quotedLook: number;
  /** Units of both hosts for the price of an order that is handed over alone, and with 47 others of other amounts. */
  limit: readonly [alone: number, ofMany: number];
  stop: readonly [alone: number, ofMany: number];
  tokens: number;
};

const coin = 10n ** 18n;

/** Counts the units of hosts that the watcher and fireOrders spend on prices, on a local chain. */
export async function triggerUnits(chain: EvmChain): Promise<TriggerUnits> {
  const { url, request, close } = await startLocalChain({ chain });
  const hosts = [await startCountingHost(url), await startCountingHost(url)];
  try {
    const contracts = localContracts(chain);
    const reader = openEvmChains({ [chain]: { ...contracts, hosts: hosts.map((host) => host.url) } }).get(
      chain,
    );
    if (reader === undefined) throw new Error("The chain is missing");
    const spent = async (work: () => Promise<unknown>) => {
      for (const host of hosts) host.requests.length = 0;
      await work();
      return hosts.reduce((sum, host) => sum + countsOf(host.requests).units, 0);
    };
    for (let block = 0; block < 30; block++) await request("evm_mine");

    const { moon, taxd, star, comet } = localAddresses;
    const tokens = [moon, taxd, star, comet];
    const worst = { coins: 1n, tokens: 10n ** 9n };
    const rows = tokens.map(
      (token, index): Trigger => ({
        ...({ chain, wallet: "w", userID: "u", orderId: `o${index}`, side: "sell", token } as const),
        ...({ amount: 100n * coin, state: "resting", restsUntil: 4_000_000_000 } as const),
        legs: [{ kind: "stop", trigger: worst, worst }],
      }),
    );
    const watched = new WatchedChain(chain, tokenLooksOn(reader));
    const look = () => watched.look(Date.now);
    /** Places the first order with another amount, which is quoted then. */
    const changeAmount = (amount: bigint) =>
      watched.orders.take([{ ...(rows[0] as Trigger), amount: amount * coin }, ...rows.slice(1)], Date.now());
    // Finds the pools, and lets both hosts show which routes pay best.
    for (const amount of [100n, 101n, 102n]) {
      changeAmount(amount);
      await look();
    }
    const quiet = await spent(look);
    changeAmount(103n);
    const quotedLook = await spent(look);

    const market = await openEvmMarket({ chain, url, token: moon });
    await market.moveTo(1.01);
    const legs = { limit: [{ kind: "limit", price: worst }], stop: (rows[0] as Trigger).legs } as const;
    const priceOf = async (kind: "limit" | "stop", count: number) => {
      const dice = Array.from({ length: randomBlocks }, Math.random);
      const [leg] = legs[kind] as Trigger["legs"];
      const distances = lookBack(chain, leg as Leg, { legs: legs[kind] }, dice);
      const questions = Array.from({ length: count }, (_, index) => ({
        ...({ side: "sell", token: moon, distances } as const),
        amount: BigInt(100 + index) * coin,
      }));
      return (await spent(() => pricesOn(reader).priceWords(questions))) / count;
    };
    const pricesOf = async (kind: "limit" | "stop") =>
      [await priceOf(kind, 1), await priceOf(kind, mostHandedOver)] as const;
    await priceOf("limit", 1);
    return {
      look: quiet,
      quotedLook,
      limit: await pricesOf("limit"),
      stop: await pricesOf("stop"),
      tokens: tokens.length,
    };
  } finally {
    for (const host of hosts) host.stop();
    await close();
  }
}
