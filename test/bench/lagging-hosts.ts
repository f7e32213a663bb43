import { askUntilAgreed } from "../../lib/chains/evm/quotes/quotes-of-hosts.ts";
import { mostApartSeconds } from "../../lib/chains/evm/rules/host-lag.ts";
import { jointEvmQuote } from "../../lib/chains/evm/rules/joint-facts.ts";
import { chainFacts, type EvmChain } from "../../lib/core/chain-facts.ts";
import { seededRandom } from "../../lib/local/src/random.ts";
import { quotedRoute, tradeFacts } from "../support/place-request.ts";
import { virtualClock } from "../support/virtual-clock.ts";

export type Cell = {
  chain: EvmChain;
  /** Seconds by which the second host learns of blocks later than the first. */
  lagSeconds: number;
  quotes: number;
  seed?: number;
};

/** Round-trip time of a request, in milliseconds. */
const roundTripMs = { least: 20, most: 150 };

/** Requests for each quote. The first one reads the newest block. */
const requests = 3;

/** Blocks whose state a pruning host keeps. */
const keptBlocks = 128;

/** Fraction of quotes at the newest block that mix two blocks, because hosts answer each call of a batch on its own. */
const torn = 0.2;

/** Quotes start at random within this time, so that they meet blocks of every age. */
const startsWithinMs = 60_000;

/** Largest extra delay with which a host sees a block. */
const jitterMs = 100;

/**
 * Requests quotes in virtual time from two hosts, one of which lags. Prices change with each block, so hosts agree only
 * about equal blocks. Returns the fraction of quotes on which no two hosts agreed in time.
 */
export async function shareUnavailable({ chain, lagSeconds, quotes, seed = 1 }: Cell): Promise<number> {
  const random = seededRandom(seed);
  // Starts the clock late enough that hosts have already pruned blocks.
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
    return jointEvmQuote(a, b, "buy") === undefined;
  }

  const outcomes = Promise.all(Array.from({ length: quotes }, isUnavailable));
  await clock.runUntil(outcomes);
  return (await outcomes).filter((isFailure) => isFailure).length / quotes;
}
