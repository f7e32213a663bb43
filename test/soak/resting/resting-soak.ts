import { randomBytes } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import type { TradingChain } from "../../../lib/core/chain-facts.ts";
import { forEachConcurrently } from "../../../lib/core/concurrency.ts";
import { restingDisagreements } from "../../../lib/tools/admin/resting.ts";
import { readResting } from "../../../lib/trading/items/resting-records.ts";
import type { Period } from "../../replay/points.ts";
import { recordPrices } from "../../replay/record-prices.ts";
import { createChance } from "../chance.ts";
import { createService, type Service } from "../service.ts";
import { accessChains, type ChainAccess } from "../trade/chain-access.ts";
import { planDisturbances } from "../trade/disturbances.ts";
import { startForeignPrograms } from "../trade/foreign-programs.ts";
import { repeated, settleAll } from "../trade/settle.ts";
import { accessSol } from "../trade/sol/sol-access.ts";
import { tradeActions } from "../trade/trade-actions.ts";
import { balancesOf, counter, type TradeReport, type TradeTarget } from "../trade/trade-soak.ts";
import { followTrader, makeTraders, openOrdersOf, type Trader } from "../trade/traders.ts";
import { auditAll } from "./audit-all.ts";
import { type Halt, halt, killFunction, restoreTable } from "./incidents.ts";
import { type Judgement, nothingJudged } from "./judge-orders.ts";
import { lasting } from "./lasting.ts";
import {
  type Cancel,
  cancelAllOf,
  mostCancels,
  newRestingBody,
  openParentsOf,
  type RestingWorld,
  restingActions,
  restingWeights,
} from "./resting-actions.ts";
import { problemsOfResting } from "./resting-audit.ts";
import { fundNewSol, giveTokens, restingEras } from "./resting-eras.ts";
import { walkPrices } from "./walk-prices.ts";

export type RestingSoakOptions = {
  orders: number;
  users: number;
  seed: number;
  atOnce?: number;
  onProgress?: (orders: number, phase: string) => void;
};

export type RestingTarget = TradeTarget & {
  /** Returns the runner's process id. */
  runner(): Promise<number>;
};

export type RestingReport = RestingSoakOptions &
  Pick<TradeReport, "outcomes" | "spells" | "crashes" | "seconds" | "shown" | "streams" | "problems"> & {
    /** Steps of prices by kind. */
    moves: ReadonlyMap<string, number>;
    judgement: Judgement;
    halts: readonly Halt[];
    comparedOnSol: number;
    /** Number of simple requests that were slow or failed. */
    delays: number;
  };

/** Milliseconds from the end of faults until orders fire in time again. */
const recoveryMs = 20_000;

/** Adds the time of recovery to one of faults. */
const recovered = ({ fromMs, toMs }: Period): Period => ({ fromMs, toMs: toMs + recoveryMs });

/** Milliseconds to wait before a restore, so that requests on their way end. */
const closingMs = 5000;

/** Milliseconds after which a simple request counts as slow. The service then has too little of the machine. */
const slowMs = 1500;

/** Records times in which the machine is too busy for orders to fire in time, by a simple request a second. */
async function recordDelays(
  service: Service,
  traders: readonly Trader[],
  { delays, signal }: { delays: Period[]; signal: AbortSignal },
): Promise<void> {
  for (let count = 0; !signal.aborted; count++) {
    const fromMs = Date.now();
    const trader = traders[count % traders.length] as Trader;
    const answer = await service.send(trader, "GET", "/api/v2/orders?status=resting");
    const isSlow = Date.now() - fromMs > slowMs;
    if (isSlow || (answer?.status ?? 500) >= 500) delays.push({ fromMs, toMs: Date.now() + recoveryMs });
    await pause(1000);
  }
}

/** Maximum number of open orders of a wallet in this run. */
const mostOpen = 14;

/**
 * Multiples of the first prices at the end, and the time in which they are reached. A stop sells nothing below its worst
 * price, so prices fall slowly enough for each to fire on the way, and then rise above all limits of sales.
 */
const finale = [
  { factor: 1, overMs: 5000, ms: 15_000 },
  { factor: 0.69, overMs: 150_000, ms: 160_000 },
  { factor: 1.42, overMs: 10_000, ms: 50_000 },
] as const;

/** Milliseconds after the load within which cancellations succeed, and all orders end and settle. */
const patienceMs = 120_000;

/** Factor by which the load may take longer on a slow machine. */
const mostSlow = 3;

/** Seconds during each fault of AWS, so that a long run has several crashes. */
const stretch = 12;

/** Number of functions killed per second of faults. */
const killsASecond = 0.2;

/** Length of the load in milliseconds, and its rounds of faults and of calm. */
function lengthOf(orders: number) {
  const ms = Math.min(860_000, Math.max(120_000, orders * 850));
  const rounds = Math.max(3, Math.round(ms / 85_000));
  return { ms, rounds, stormSeconds: Math.floor((0.45 * ms) / rounds / 1000) };
}

/** Rests many orders under faults of every kind while prices move, then compares them with the recorded prices. */
export async function restingSoak(
  target: RestingTarget,
  options: RestingSoakOptions,
): Promise<RestingReport> {
  const { orders, users, seed, atOnce = 12, onProgress } = options;
  const { noteSigned } = target;
  const service = createService(target);
  const chains = accessChains(target.chainPort);
  const sol = await accessSol(target.chainPort);
  const problems = new Set<string>();
  const report = (problem: string) => void problems.add(problem);
  const run = randomBytes(4).toString("hex");
  const traders = await makeTraders(service, { chains, sol }, { wallets: 2 * users, users, run });
  const wallets = traders.flatMap((trader) => trader.wallets);
  for (const access of chains) await giveTokens(access, wallets);
  await fundNewSol(sol, wallets);
  const before = await balancesOf(chains, wallets);
  const foreign = startForeignPrograms(wallets, createChance(`foreign ${seed}`));
  const outcomes: TradeReport["outcomes"] = new Map();
  const cancels: Cancel[] = [];
  const faults: Period[] = [];
  const halts: Halt[] = [];
  /** Times in which the machine was too busy. */
  const delays: Period[] = [];
  const faultsOf = (chain: TradingChain) => [
    ...faults,
    ...delays,
    ...halts.filter((each) => each.chain === chain).map(recovered),
  ];
  const { ms, rounds, stormSeconds } = lengthOf(orders);
  const startedAt = Date.now();
  for (const trader of traders) followTrader(service, trader, report);
  try {
    await using records = recordPrices(chains, sol);
    const judgement = nothingJudged();
    const judging = { records, cancels, faultsOf, judgement };
    const eras = restingEras({ service, sol, traders, report, noteSigned, ...judging });
    const stage = { service, chains, sol, eras, traders, foreign, report, noteSigned };
    const plan = { length: rounds * stormSeconds, seed, stretch, without: "moves tokens" };
    const disturbances = planDisturbances(stage, plan);
    await using walk = await walkPrices(target.chainPort, seed);
    while (chains.some(({ chain }) => records.of(chain).length === 0) || records.of("sol").length === 0)
      await pause(200);
    const count = counter(outcomes);
    const world = {
      service,
      report,
      count,
      recordOf: (wallet) => records.of(wallet.chain).at(-1),
      noteCancel: (cancel) => void cancels.push(cancel),
    } satisfies Partial<RestingWorld>;
    let placed = 0;
    /** Number of rounds that have ended. */
    let round = 0;
    /** Returns the share of the orders that may be placed by now. A slow machine leaves some for each round. */
    const share = () => Math.min((Date.now() - startedAt) / ms, (round + 1) / rounds);
    const timesOf = (action: string) =>
      [...(outcomes.get(action)?.values() ?? [])].reduce((sum, times) => sum + times, 0);
    const ending = new AbortController();
    const delaying = recordDelays(service, traders, { delays, signal: ending.signal });

    const worker = async (index: number, of: number) => {
      const chance = createChance(`resting worker ${index} ${seed}`);
      const own = wallets.filter((_, at) => at % of === index);
      const ownWorld: RestingWorld = {
        ...world,
        chance,
        newBody: (wallet) => newRestingBody({ chance, recordOf: world.recordOf }, wallet),
      };
      while (round < rounds || (placed < orders && Date.now() < startedAt + mostSlow * ms)) {
        await disturbances.settled();
        await opened;
        const wallet = chance.pick(own);
        const isAhead = placed >= Math.min(orders, orders * share() + 1);
        const name = chance.weighted(restingWeights);
        const places = name.startsWith("place");
        const isMuch = timesOf(name) >= (mostCancels[name] ?? Number.POSITIVE_INFINITY) * placed;
        if (isMuch || (places && (isAhead || openOrdersOf(wallet).length >= mostOpen))) {
          await pause(250);
          continue;
        }
        const more = await { ...tradeActions, ...restingActions }[name](ownWorld, wallet);
        placed += more;
        onProgress?.(placed, disturbances.phase);
        await pause(places ? 0 : 300);
      }
    };
    /** Resolves while users may place orders. */
    let opened: Promise<unknown> = Promise.resolve();
    const whileClosed = async (act: () => Promise<void>) => {
      const open = Promise.withResolvers<void>();
      opened = open.promise;
      // Lets requests end that are on their way.
      await pause(closingMs);
      await act().finally(open.resolve);
    };
    const restore = async () => {
      const { fromMs: atMs } = await restoreTable(service, whileClosed);
      cancels.push({ atMs });
      spells.set("restore", 1);
    };
    const haltOne = async () => {
      const restingOn = ({ chain }: ChainAccess) =>
        wallets.reduce((sum, each) => sum + (each.chain === chain ? openParentsOf(each).length : 0), 0);
      const [access] = chains.toSorted((a, b) => restingOn(b) - restingOn(a));
      halts.push(await halt(access as ChainAccess, walk));
      spells.set("halt", 1);
    };
    const { spells } = disturbances;
    const noteKill = (name: string | undefined) => {
      if (name === undefined) return;
      const kill = `${name} killed`;
      spells.set(kill, (spells.get(kill) ?? 0) + 1);
    };
    const storms = async () => {
      const chance = createChance(`kills ${seed}`);
      let clock = 0;
      for (; round < rounds; round++) {
        const period = { fromMs: Date.now(), toMs: Number.POSITIVE_INFINITY };
        faults.push(period);
        for (let second = 0; second < stormSeconds; second++) {
          disturbances.advance(++clock);
          await disturbances.settled();
          if (chance.number() < killsASecond) noteKill(killFunction(await target.runner(), chance));
          await pause(1000);
        }
        await disturbances.end();
        await wakeAll(service);
        Object.assign(period, recovered({ ...period, toMs: Date.now() }));
        if (round === 0) await restore();
        if (round === rounds - 1) await haltOne();
        await pause(Math.max(0, startedAt + ((round + 1) * ms) / rounds - Date.now()));
      }
    };
    const workers = Math.min(atOnce, wallets.length);
    await Promise.all([storms(), ...Array.from({ length: workers }, (_, index) => worker(index, workers))]);
    if (placed < orders) report(`only ${placed} of ${orders} orders could be placed`);
    for (const { factor, overMs, ms: heldMs } of finale) {
      walk.hold(factor, overMs);
      for (const endMs = Date.now() + heldMs; Date.now() < endMs; await pause(1000))
        onProgress?.(placed, `prices at ${factor}`);
    }
    onProgress?.(placed, "settling");
    ending.abort();
    await delaying;
    for (const problem of await lasting(() => problemsOfViews(service, traders), agreeMs)) report(problem);
    await forEachConcurrently(traders, { concurrency: 3 }, async (trader) => {
      for (const endMs = Date.now() + patienceMs; ; await pause(2000)) {
        if (await cancelAllOf(world, trader, {})) return;
        if (Date.now() > endMs) return report(`all orders of ${trader.id} could not be cancelled`);
      }
    });
    for (const problem of await lasting(() => problemsOfCancelled(service, traders), agreeMs))
      report(problem);
    await settleAll(service, chains, traders, { patienceMs });
    for (const problem of await lasting(() => stillResting(service), settledMs)) report(problem);
    const shown = await auditAll(
      { service, chains, traders, foreign, noteSigned, report },
      { before, eras, ...judging },
      () => settleAll(service, chains, traders, { patienceMs }),
    );
    const followers = traders.flatMap(({ follower }) => follower?.counts ?? []);
    const sum = (of: "messages" | "connections") => followers.reduce((all, each) => all + each[of], 0);
    return {
      ...options,
      shown,
      judgement,
      outcomes,
      spells,
      crashes: disturbances.crashes,
      halts,
      moves: walk.counts,
      comparedOnSol: eras.compared,
      delays: delays.length,
      seconds: (Date.now() - startedAt) / 1000,
      streams: { count: followers.length, messages: sum("messages"), connections: sum("connections") },
      problems: [...problems],
    };
  } finally {
    for (const { follower } of traders) follower?.stop();
  }
}

/** Starts the watcher and the reader again, because crashes and kills may have ended them. */
async function wakeAll(service: Service): Promise<void> {
  for (const row of ["watchTriggers", "readChains"])
    await repeated(() => service.runSchedule(row, { isAwaited: false }));
}

/**
 * Milliseconds after which all views of the resting orders agree, and all orders have ended after their cancellation.
 */
const agreeMs = 15_000;

/** Milliseconds after which the last parents have settled. fireOrders looks at them once a minute. */
const settledMs = 130_000;

type Listed = { orderId: string; type: string; stage: string };

const listOf = async (service: Service, trader: Trader, status: string): Promise<Listed[]> => {
  const answer = await service.send(trader, "GET", `/api/v2/orders?status=${status}&limit=100`);
  const { data } = (answer?.json ?? {}) as { data?: { orders: Listed[] } };
  return data?.orders ?? [];
};

/** Compares resting orders with the triggers and with the lists of clients, while few orders change. */
export async function problemsOfViews(service: Service, traders: readonly Trader[]): Promise<string[]> {
  const table = await service.table();
  const problems: string[] = [];
  for await (const { orderId, problem } of restingDisagreements(table))
    problems.push(`${orderId} ${problem}`);
  await forEachConcurrently(traders, { concurrency: 6 }, async (trader) => {
    const stored = (await readResting(table, trader.id))
      .filter(({ state }) => !["filled", "ended", "done"].includes(state))
      .map(({ mandate }) => mandate.orderId);
    const listed = await listOf(service, trader, "resting");
    const open = [
      ...(await listOf(service, trader, "open")),
      ...(await listOf(service, trader, "partially_filled")),
    ];
    const idsOf = (orders: readonly Listed[]) =>
      orders.filter(({ type }) => type !== "market").map(({ orderId }) => orderId);
    problems.push(...problemsOfResting(trader.id, { listed: idsOf(listed), open: idsOf(open), stored }));
  });
  return problems;
}

/** Lists what has not ended in the table. */
const stillResting = async (service: Service): Promise<string[]> =>
  (await service.scan())
    .filter(({ PK }) => /^(RESTING|TRIGGERS)#/.test(PK))
    .map(({ PK, SK }) => `${PK} ${SK} is left in the table`);

/** Finds orders that their users have cancelled, but that are neither cancelled nor being cancelled. */
async function problemsOfCancelled(service: Service, traders: readonly Trader[]): Promise<string[]> {
  const problems: string[] = [];
  await forEachConcurrently(traders, { concurrency: 6 }, async (trader) => {
    for (const { orderId, type, stage } of await listOf(service, trader, "open"))
      if (stage !== "cancelling")
        problems.push(`the ${type} order ${orderId} of ${trader.id} is open after all were cancelled`);
  });
  return problems;
}
