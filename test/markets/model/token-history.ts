import { add, compare, type Decimal, decimalOf, multiply, zero } from "../../../lib/core/decimal.ts";
import type { Candle } from "../../../lib/markets/core/candle.ts";
import { chooseReference, noReference } from "../../../lib/markets/core/reference.ts";
import { newJournal, watchPool } from "../../../lib/markets/evm/rules/journal.ts";
import { lookRound } from "../../../lib/markets/evm/rules/look-round.ts";
import { proofRound } from "../../../lib/markets/evm/rules/proof-round.ts";
import { type FoundPool, TokenMarket } from "../../../lib/markets/evm/rules/token-market.ts";
import { priceOf } from "../../../lib/markets/evm/rules/watched-pool.ts";
import { createChance } from "../../soak/chance.ts";
import { ModelChain, modelPools } from "../evm/rules/model/model-chain.ts";
import { ModelHosts } from "../evm/rules/model/model-hosts.ts";
import { trueMinute } from "../evm/rules/model/truth.ts";

export type TokenSystem = { chooseReference: typeof chooseReference; TokenMarket: typeof TokenMarket };

export const theTokenSystem: TokenSystem = { chooseReference, TokenMarket };

const historySeconds = 3600;
const lookSeconds = 3;
const measureSeconds = 60;

/**
 * Rules for the reference pool. Another pool replaces it after being this many times as deep for this long, or at once
 * if much deeper.
 */
const muchDeeper = decimalOf(15n, -1);
const deeperMs = 10 * 60_000;
const incomparablyDeeper = decimalOf(10n, 0);
const leastDepth = decimalOf(1n, -1);

/**
 * Plays a history of a token with two pools in different quotes, whose depths change. Throws if the choice of the
 * reference pool breaks the rules or changes within a minute, or if the market is not that of the reference pool.
 */
export async function playToken(seed: number, system = theTokenSystem): Promise<void> {
  const { chooseReference, TokenMarket } = system;
  const chance = createChance(`token ${seed}`);
  const chain = new ModelChain(chance, 1);
  const hosts = new ModelHosts(chain, chance);
  const journal = newJournal("avax");
  const fail = (problem: string, details: object = {}): never => {
    const text = JSON.stringify(details, (_, value) => (typeof value === "bigint" ? `${value}` : value));
    throw new Error(`History ${seed}: ${problem} ${text}`);
  };
  let pools: FoundPool[] = modelPools.slice(0, 2).map((pool) => ({ ...pool, feeBps: 30, depth: zero }));
  const supply = decimalOf(1n, 9);
  const token = { chain: "avax", token: "0xtoken", symbol: "T", name: "T", decimals: 18, supply } as const;
  const market = new TokenMarket({ token, pools }, { firstSeenAt: "", history: "complete", nowMs: 0 });
  let choice = noReference;
  /** Start of the period in which every measurement has found the other pool much deeper than the reference pool. */
  let deeperSinceMs: number | undefined;
  /** Last time without a reference pool. The next reference pool is used at once. */
  let withoutPoolAt = 0;
  const minutes = new Map<number, Candle>();
  const depthOf = (name: string | undefined) => pools.find(({ pool }) => pool === name)?.depth ?? zero;
  const isTimes = (factor: Decimal, depth: Decimal, other: Decimal) =>
    compare(depth, multiply(other, factor)) >= 0;

  const measure = (nowMs: number) => {
    const depths = [
      [10, 0],
      [12, 0],
      [16, 0],
      [16, 0],
      [200, 0],
      [5, -2],
    ] as const;
    if (chance.number() < 0.15)
      pools = pools.map((pool) => {
        const [digits, exponent] = chance.pick(depths);
        return { ...pool, depth: decimalOf(BigInt(digits), exponent) };
      });
    const before = choice.pool;
    choice = chooseReference(choice, pools, nowMs);
    const { pool } = choice;
    if (pool === undefined) withoutPoolAt = nowMs / 1000;
    const usable = pools.filter(({ depth }) => compare(depth, leastDepth) >= 0);
    if (pool === undefined ? usable.length > 0 : !usable.some((each) => each.pool === pool))
      fail("the reference has no depth, or no pool with depth is chosen", { choice, pools });
    const other = usable.find((each) => each.pool !== before);
    const isKept = usable.some((each) => each.pool === before);
    if (isKept && other) {
      const [mine, theirs] = [depthOf(before), other.depth];
      deeperSinceMs = isTimes(muchDeeper, theirs, mine) ? (deeperSinceMs ?? nowMs) : undefined;
      const isDue = deeperSinceMs !== undefined && nowMs - deeperSinceMs >= deeperMs;
      const isAtOnce = compare(theirs, multiply(mine, incomparablyDeeper)) > 0;
      if ((pool !== before) !== (isDue || isAtOnce))
        fail("the reference changed too early, or not at all", { before, choice, pools });
    }
    if (pool !== before || !isKept) deeperSinceMs = undefined;
    market.find({ token, pools }, nowMs);
    market.choose(
      pools.find((each) => each.pool === pool),
      nowMs,
    );
  };
  const check = (now: number) => {
    for (const candle of market.takeUnsaved()) {
      const known = minutes.get(candle.start);
      const isOther = known && known.pool.pool !== candle.pool.pool;
      if (isOther && candle.start > withoutPoolAt)
        fail("a minute has candles of two pools", { known, candle });
      minutes.set(candle.start, candle);
      const pool = modelPools.find((each) => each.pool === candle.pool.pool);
      const truth = pool && trueMinute(chain.blocks, pool, candle.start);
      const isTrue =
        truth !== undefined &&
        candle.trades === truth.trades &&
        compare(candle.volume ?? zero, truth.volume ?? zero) === 0;
      if (candle.isFinal && !candle.hasGaps && !isTrue) fail("a final minute is wrong", { candle, truth });
    }
    const { pool, price, day } = market.market(journal, now * 1000);
    if (pool === undefined) return;
    if (compare(pool.depth, depthOf(pool.pool)) !== 0) fail("the depth is of another pool", { pool, pools });
    const model = modelPools.find((each) => each.pool === pool.pool);
    const truth = model && priceOf(model, chain.head.words.get(pool.pool) ?? 0n);
    if (price && (truth === undefined || compare(price, truth) !== 0))
      fail("the price is of another pool", { price, truth });
    const open = now - (now % 60) + 60;
    const own = [...minutes.values()].filter(
      (candle) => quoteOf(candle.pool.pool) === quoteOf(pool.pool) && candle.start < open,
    );
    const volume = own.reduce((sum, candle) => add(sum, candle.volume ?? zero), zero);
    if (compare(day.volume ?? zero, volume) !== 0)
      fail("volumes of two quotes were added", { volume, has: day.volume });
  };

  const start = chain.head.time;
  let measuredAt = 0;
  for (let now = start; now < start + historySeconds; now += lookSeconds) {
    while (chain.head.time + 1 <= now) chain.mine();
    hosts.noteView();
    const nowMs = now * 1000;
    hosts.nowMs = nowMs;
    if (now - measuredAt >= measureSeconds) {
      measuredAt = now;
      measure(nowMs);
    }
    const watched = new Set(market.watched.map(({ pool }) => pool));
    for (const pool of journal.books.keys()) if (!watched.has(pool)) journal.books.delete(pool);
    for (const pool of market.watched) watchPool(journal, pool, nowMs);
    const { isTaken } = await lookRound(journal, hosts, nowMs);
    await proofRound(journal, hosts, nowMs);
    if (!isTaken || journal.look?.number !== chain.head.number) continue;
    market.refresh(journal, { blockTime: journal.look.time, nowMs });
    check(journal.look.time);
  }
}

const quoteOf = (name: string) => modelPools.find(({ pool }) => pool === name)?.quote;
