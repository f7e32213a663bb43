import { askUntilAgreed } from "../../lib/chains/evm/quotes/quotes-of-hosts.ts";
import { mostApartSeconds } from "../../lib/chains/evm/rules/host-lag.ts";
import { jointQuote } from "../../lib/chains/evm/rules/joint-facts.ts";
import { chainFacts, type EvmChain } from "../../lib/core/chain-facts.ts";
import { seededRandom } from "../../lib/local/src/random.ts";
import { quotedRoute, tradeFacts } from "../support/place-request.ts";
import { virtualClock } from "../support/virtual-clock.ts";

export type Cell = {
  chain: EvmChain;
  /** The time by which the second host's blocks come later than the first one's. */
  lagSeconds: number;
  quotes: number;
  seed?: number;
};

/** A request takes this time, there and back. */
const roundTripMs = { least: 20, most: 150 };

/** A quote takes so many requests. The first one sees the newest block. */
const requests = 3;

/** Hosts that prune keep the state of so many blocks. */
const keptBlocks = 128;

/** The share of quotes at the newest block that a new block tears: hosts answer each call of a request on its own. */
const torn = 0.2;

/** The quotes start at random within this time, so that they meet blocks of each age. */
const startsWithinMs = 60_000;

/** Each host sees a block up to this much later than usual. */
const jitterMs = 100;

/**
 * Asks for quotes in virtual time, each from two hosts of which one lags. Prices move with each block, so hosts agree at
 * equal blocks alone. Returns the share of quotes on which no two hosts agree in time.
 */
export async function shareUnavailable({ chain, lagSeconds, quotes, seed = 1 }: Cell): Promise<number> {
  const random = seededRandom(seed);
  // Starts later than the oldest block that a host keeps.
  const clock = virtualClock(1e9);
  const blockMs = chainFacts[chain].blockSeconds * 1000;
  const between = (least: number, most: number) => least + random() * (most - least);
  const hosts = [0, lagSeconds * 1000];
  const head = (lagMs: number) => Math.floor((clock.nowMs() - lagMs - between(0, jitterMs)) / blockMs);

  async function quoteBy(lagMs: number, asked?: number) {
    const times = Array.from({ length: requests }, () => between(roundTripMs.least, roundTripMs.most));
    await clock.pause((times[0] ?? 0) / 2);
    const newest = head(lagMs);
    const number = asked ?? newest;
    await clock.pause(times.reduce((sum, time) => sum + time, 0));
    if (number > newest || number <= head(lagMs) - keptBlocks) return undefined;
    const time = Math.floor((number * blockMs) / 1000);
    const isTorn = asked === undefined && random() < torn;
    const amountOut = BigInt(number * 2 + (isTorn ? 1 : 0));
    return tradeFacts({ block: { number, time }, amountOut, routes: [quotedRoute({ amountOut })] });
  }

  async function isUnavailable(): Promise<boolean> {
    await clock.pause(between(0, startsWithinMs));
    const [a, b] = await askUntilAgreed({
      hosts,
      inOrder: () => hosts,
      side: "buy",
      quoteBy,
      apartSeconds: mostApartSeconds(chain),
      nowMs: clock.nowMs,
      pause: clock.pause,
    });
    return jointQuote(a, b, "buy") === undefined;
  }

  const outcomes = Promise.all(Array.from({ length: quotes }, isUnavailable));
  await clock.runUntil(outcomes);
  return (await outcomes).filter((isFailure) => isFailure).length / quotes;
}
