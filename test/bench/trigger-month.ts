import { randomBytes } from "node:crypto";
import { getAddressDecoder } from "@solana/web3.js";
import { EvmTokenLooks } from "../../lib/chains/evm/looks/token-looks.ts";
import { openEvmChains } from "../../lib/chains/families/open-chains.ts";
import { otherUnits } from "../../lib/chains/hosts/spent-units.ts";
import { cpmmConfigOf } from "../../lib/chains/sol/calls/cpmm-addresses.ts";
import { mintsInCalls, placesOfMint } from "../../lib/chains/sol/calls/token-view.ts";
import type { TradingChain } from "../../lib/core/chain-facts.ts";
import type { Trigger } from "../../lib/orders/resting/stored.ts";
import { WatchedChain } from "../../lib/trading/execution/watched-chain.ts";
import { startCountingHost } from "./counting-host.ts";
import { countsOf } from "./host-requests.ts";
import { startMarketChain } from "./market-chain.ts";

/** Interval between looks in virtual time. Looks at unmoved pools cost the same at any pace. */
const stepMs = 10_000;
const hourMs = 3_600_000;

/** Interval in which each busy token is traded, and each other one. */
const tradedMs = { busy: 60_000, other: 600_000 };

export type TokenUnits = {
  /** Units of a look at tokens whose pools have not moved. */
  look: number;
  /** Units of an hour for everything except such looks: quotes, taxes, and pools of new tokens. */
  quotesInHour: number;
};

/**
 * Counts the units of hosts for an hour of the watch over a chain's tokens, in virtual time. Each token has stops, and
 * each fifth one limits to buy, none of which is near its price.
 *
 * @param busy Number of tokens that are traded each minute. The others are traded every ten minutes.
 */
export async function unitsOfTokens(tokens: number, busy: number): Promise<TokenUnits> {
  const chain = await startMarketChain(tokens);
  const hosts = [await startCountingHost(chain.url), await startCountingHost(chain.url)];
  try {
    const base = { ...chain.context, hosts: hosts.map(({ url }) => url) };
    const reader = openEvmChains({ base }).get("base");
    if (reader === undefined) throw new Error("The chain is missing");
    const startMs = Date.now();
    let nowMs = startMs;
    const watched = new WatchedChain("base", new EvmTokenLooks(reader, () => nowMs));
    watched.orders.take(rowsOf(chain.tokens), nowMs);
    const spent = async () => {
      for (const host of hosts) host.requests.length = 0;
      await watched.look(() => nowMs);
      return hosts.reduce((sum, host) => sum + countsOf(host.requests).units, 0);
    };
    const counts: number[] = [];
    for (; nowMs < startMs + hourMs; nowMs += stepMs) {
      const sinceMs = nowMs - startMs;
      const isDue = (index: number) => sinceMs % (index < busy ? tradedMs.busy : tradedMs.other) === 0;
      const traded = sinceMs === 0 ? [] : chain.tokens.filter((_, index) => isDue(index));
      if (traded.length > 0) await chain.trade(traded);
      counts.push(await spent());
    }
    const look = Math.min(...counts);
    return { look, quotesInHour: counts.reduce((sum, count) => sum + count - look, 0) };
  } finally {
    for (const host of hosts) host.stop();
    await chain.close();
  }
}

/** Counts the units of a look at tokens of sol, each of which has one pool. */
export async function unitsOfSolLook(tokens: number): Promise<number> {
  const asked = { cpmmConfigs: [await cpmmConfigOf(0)] };
  const newMint = () => getAddressDecoder().decode(randomBytes(32));
  const places = Array.from({ length: tokens }, () => placesOfMint(newMint(), asked));
  return mintsInCalls(await Promise.all(places)).length * otherUnits;
}

/** Number of looks in a month at a chain on which orders of this many tokens rest. */
export function looksInMonth(chain: TradingChain, tokens: number): number {
  const watched = new WatchedChain(chain, { levels: async () => new Map(), outs: async () => [] });
  const names = Array.from({ length: tokens }, (_, index) => `${index}`);
  watched.orders.take(names.map(stopOf), Date.now());
  return (30 * 86_400_000) / watched.pauseMs;
}

const worst = { coins: 1n, tokens: 10n ** 9n };
const row = {
  chain: "base",
  wallet: "w",
  userID: "u",
  state: "resting",
  restsUntil: 10 ** 11,
  amount: 100n * 10n ** 18n,
} as const;

const stopOf = (token: string): Trigger => ({
  ...row,
  orderId: `stop of ${token}`,
  side: "sell",
  token,
  legs: [{ kind: "stop", trigger: worst, worst }],
});

const buyOf = (token: string): Trigger => ({
  ...row,
  orderId: `buy of ${token}`,
  side: "buy",
  token,
  legs: [{ kind: "limit", price: worst }],
});

const rowsOf = (tokens: readonly string[]): Trigger[] =>
  tokens.flatMap((token, index) => (index % 5 === 0 ? [stopOf(token), buyOf(token)] : [stopOf(token)]));
