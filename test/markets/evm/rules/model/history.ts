import { type Decimal, zero } from "../../../../../lib/core/decimal.ts";
import type { Candle } from "../../../../../lib/markets/core/candle.ts";
import { type Journal, newJournal } from "../../../../../lib/markets/evm/rules/journal.ts";
import { basesToKeep, type PoolBook, wordAfter } from "../../../../../lib/markets/evm/rules/pool-book.ts";
import { priceOf, type WatchedPool } from "../../../../../lib/markets/evm/rules/watched-pool.ts";
import { createChance } from "../../../../soak/chance.ts";
import { ModelChain, modelPools } from "./model-chain.ts";
import { ModelHosts } from "./model-hosts.ts";
import { theJournalSystem } from "./system.ts";
import { type TrueMinute, trueMinute } from "./truth.ts";

/** Counts the events of a history, to show that it was not empty. */
export type Coverage = Map<string, number>;

const chainKinds = { eth: 12, avax: 1, base: 0.2 } as const;

/** Time at which faults end. Afterwards, all data must become right. */
const faultySeconds = 900;
const quietSeconds = 300;

/**
 * Plays a history of a forking chain, and of hosts that are late, silent or lie, one at a time. Throws if a final
 * minute candle without gaps is ever wrong, if events that do not lead to a pool's state are accepted, or if candles
 * are wrong at the end.
 */
export async function playHistory(
  seed: number,
  coverage: Coverage,
  system = theJournalSystem,
): Promise<void> {
  const { watchPool, lookRound, proofRound, addShown, takeChangedMinutes } = system;
  const chance = createChance(`${seed}`);
  const count = (name: string, by = 1) => coverage.set(name, (coverage.get(name) ?? 0) + by);
  const chainName = chance.pick(["eth", "avax", "base"] as const);
  const blockSeconds = chainKinds[chainName];
  const chain = new ModelChain(chance, blockSeconds);
  const hosts = new ModelHosts(chain, chance);
  const seen = system.seen(hosts);
  let journal = newJournal(chainName);
  for (const pool of modelPools.slice(0, 2)) watchPool(journal, pool, 0);
  const stored = new Map(modelPools.map(({ pool }) => [pool, new Map<number, Candle>()]));
  /** The last final minute candles that were shown. */
  const finals = new Map<string, { minute: Candle; revision: number }>();
  const lookSeconds = chainName === "eth" ? 4 : 2;
  const forkShare = chance.pick([0, 0.002, 0.01]) * lookSeconds;
  const restartShare = chance.pick([0, 0.003]);
  let isFaulty = true;
  let liar = chance.below(2);
  /**
   * Time from which the next host may lie. Earlier lies must be forgotten first, or both hosts could report the same
   * lie.
   */
  let honestUntil = 0;

  const mineUpTo = (seconds: number) => {
    while (chain.head.time + blockSeconds <= seconds) chain.mine();
    hosts.noteView();
  };
  const fork = () => {
    const kind = chance.weighted({ "shallow fork": 16, "deep fork": 3, "fork below the journal": 1 });
    const most = { "shallow fork": 6, "deep fork": 70, "fork below the journal": 300 }[kind];
    chain.fork(Math.min(1 + chance.below(most), chain.blocks.length - 50));
    count(kind);
    hosts.noteView();
  };
  hosts.onAnswer = () => {
    if (isFaulty && chance.number() < forkShare / 10) fork();
  };
  const disturb = (now: number) => {
    if (chance.number() < forkShare) fork();
    if (chance.number() < 0.002) [liar, honestUntil] = [1 - liar, now + 240];
    for (const [index, host] of hosts.hosts.entries()) {
      if (chance.number() < 0.05) host.lag = chance.pick([0, 0, 0, 1, 5]);
      if (chance.number() < 0.02) host.isAway = chance.number() < 0.3;
      if (chance.number() < 0.02) host.isTimeless = chance.number() < 0.3;
      const isLiar = index === liar && now >= honestUntil;
      if (!isLiar || chance.number() < 0.05) host.isLying = isLiar && chance.number() < 0.5;
    }
  };
  const fail = (problem: string, details: object): never => {
    throw new Error(`History ${seed}: ${problem} ${JSON.stringify(details, asText)}`);
  };
  const check = (book: PoolBook) => {
    const { blocks, isHidden } = hosts.lastView ?? { blocks: chain.blocks, isHidden: true };
    if (isHidden) return;
    for (const minute of stored.get(book.pool.pool)?.values() ?? []) {
      if (!minute.isFinal || minute.hasGaps) continue;
      const truth = trueMinute(blocks, book.pool, minute.start);
      if (!isTrue(minute, truth)) fail("a final minute is wrong", { minute, truth });
    }
    const { number = 0 } = journal.look ?? {};
    if (book.word !== undefined && book.unexplained === undefined && wordAfter(book, number) !== book.word)
      fail("events do not lead to the state", { pool: book.pool.pool, number });
    const pool = modelPools.find((each) => each.pool === book.pool.pool) as WatchedPool;
    const price = priceOf(pool, blocks[number]?.words.get(pool.pool) ?? 0n);
    if (isFaulty || book.price === undefined || price === undefined) return;
    if (!isSame(book.price, price)) fail("a price is not that of the look", { pool, number });
  };

  /** Checks that a changed final candle has a greater revision, because clients otherwise ignore the change. */
  const checkRevision = (minute: Candle) => {
    if (!minute.isFinal) return;
    const key = `${minute.pool.pool} ${minute.start}`;
    const { revision } = journal;
    const before = finals.get(key);
    if (before?.revision === revision && !isTrue(before.minute, minute))
      fail("a final minute was corrected in one revision", { before, minute });
    finals.set(key, { minute, revision });
  };

  /** Continues with a new run, from the state that the previous one has stored. */
  const restart = (nowMs: number) => {
    const before: Journal = journal;
    journal = newJournal(chainName, before.revision);
    for (const book of before.books.values()) {
      const bases = JSON.parse(JSON.stringify(basesToKeep(book), asText), asNumbers);
      watchPool(journal, book.pool, nowMs, bases);
      const next = journal.books.get(book.pool.pool) as PoolBook;
      addShown(next, [...(stored.get(book.pool.pool)?.values() ?? [])]);
    }
    count("restart");
  };

  const start = chain.head.time;
  for (let now = start; now < start + faultySeconds + quietSeconds; now += lookSeconds) {
    isFaulty = now < start + faultySeconds;
    mineUpTo(now);
    hosts.nowMs = now * 1000;
    if (isFaulty) disturb(now);
    else for (const host of hosts.hosts) Object.assign(host, { lag: 0, isAway: false, isLying: false });
    const { nowMs } = hosts;
    if (now - start === 20 * lookSeconds) watchPool(journal, modelPools[2] as WatchedPool, nowMs);
    if (isFaulty && chance.number() < restartShare * lookSeconds) {
      if (chance.number() < 0.5) now += 6 * chance.below(20);
      restart(nowMs);
      continue;
    }
    const [round] = await Promise.all([lookRound(journal, seen, nowMs), proofRound(journal, seen, nowMs)]);
    if (round.isUnexplained) hosts.memory.host++;
    for (const fault of round.faults) count(fault);
    for (const book of journal.books.values()) {
      const minutes = stored.get(book.pool.pool) as Map<number, Candle>;
      for (const minute of takeChangedMinutes(book, { blockTime: journal.look?.time ?? now, nowMs })) {
        if (minutes.get(minute.start)?.isFinal) count("corrected");
        checkRevision(minute);
        if (minute.isFinal) count("final");
        if (minute.hasGaps) count("gaps");
        if (minute.trades === 0) minutes.delete(minute.start);
        else minutes.set(minute.start, minute);
      }
      if (round.isTaken) check(book);
    }
  }
  for (const [lie, times] of hosts.told) count(lie, times);
  for (const book of journal.books.values()) {
    const minutes = stored.get(book.pool.pool) as Map<number, Candle>;
    const first = book.bases[0] ?? fail("a pool has no base", { pool: book.pool });
    const last = Math.floor((chain.head.time - 120) / 60) * 60;
    for (let at = Math.floor(first.time / 60) * 60 + 60; at < last; at += 60) {
      const [minute, truth] = [minutes.get(at), trueMinute(chain.blocks, book.pool, at)];
      if (minute === undefined && truth === undefined) continue;
      count("compared");
      if (!minute?.isFinal || minute.hasGaps || !isTrue(minute, truth))
        fail("a minute is wrong in the end", { minute, truth });
    }
  }
}

const asText = (_: string, value: unknown) => (typeof value === "bigint" ? `${value}n` : value);

const asNumbers = (_: string, value: unknown) =>
  typeof value === "string" && /^\d+n$/.test(value) ? BigInt(value.slice(0, -1)) : value;

const isSame = (a: Decimal, b: Decimal) => a.mantissa === b.mantissa && a.exponent === b.exponent;

const isTrue = (minute: Candle, truth: TrueMinute | undefined) =>
  truth !== undefined &&
  minute.trades === truth.trades &&
  (["open", "high", "low", "close", "volume"] as const).every((name) =>
    isSame(minute[name] ?? zero, truth[name] ?? zero),
  );
