import { randomBytes } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { isEvmChain } from "../../../lib/core/chain-facts.ts";
import { forEachConcurrently } from "../../../lib/core/concurrency.ts";
import type { Order } from "../../../lib/orders/execution.ts";
import { percentile } from "../../bench/statistics.ts";
import { figure, textTable } from "../../bench/text-table.ts";
import { createChance } from "../chance.ts";
import { killFunction } from "../resting/incidents.ts";
import { lasting } from "../resting/lasting.ts";
import { problemsOfViews, type RestingTarget } from "../resting/resting-soak.ts";
import { createService, type Service } from "../service.ts";
import { accessChains, type ChainAccess } from "../trade/chain-access.ts";
import { readTrade } from "../trade/read-trade.ts";
import { repeated, settleAll } from "../trade/settle.ts";
import { accessSol } from "../trade/sol/sol-access.ts";
import { tradeActions } from "../trade/trade-actions.ts";
import { counted, countTable } from "../trade/trade-report.ts";
import { balancesOf, counter, type TradeReport } from "../trade/trade-soak.ts";
import { followTrader, makeTraders, openOrdersOf, type Trader, type TraderWallet } from "../trade/traders.ts";
import { newBuyBody, spentBuyBody, switchOn } from "./buys.ts";
import { problemsOfBuy, problemsOfHeld, type ShownBuy } from "./exits-audit.ts";
import { buysIn, heldIn, readNodes, waitsOf } from "./exits-facts.ts";

export type ExitsSoakOptions = {
  /** Number of buys. */
  orders: number;
  seed: number;
  atOnce?: number;
  onProgress?: (orders: number, phase: string) => void;
};

type Waits = ReturnType<typeof waitsOf>;

export type ExitsReport = ExitsSoakOptions &
  Pick<TradeReport, "outcomes" | "seconds" | "problems"> & {
    users: number;
    buys: readonly ShownBuy[];
    /** Number of processes that were killed while they ran, by function. */
    kills: ReadonlyMap<string, number>;
    /** Milliseconds from the block of a fill until its exits rested, by chain. */
    waits: { calm: Waits; killing: Waits };
  };

/** Milliseconds between two kills. */
const killMs = { least: 300, more: 1200 };

/** Part of all runs of functions that are killed in addition, within their first moments. */
const killedShare = 0.04;

/** Part of the buys that are placed before the first kill. */
const calmShare = 0.15;

/** Buys of a user, of whose exits at most 100 may rest. */
const buysOfUser = 25;

/** Maximum number of requests of a wallet, some of which are refused. */
const mostOfWallet = 9;

/** Longest time without a placed buy. */
const stuckMs = 180_000;

/** Milliseconds after the last kill in which all orders settle, and those after that in which exits rest. */
const patienceMs = { settling: 240_000, resting: 600_000, agreeing: 15_000 };

/** Relative frequency of the ways to place a buy. */
const ways = { place: 80, placeAtOnce: 8, placeWithLostAnswer: 12 };

/** One in this many EVM wallets spends half of its only buy in the same block. */
const spendersApart = 12;

/**
 * Lets many users buy under `autoSell` while the processes of functions are killed, and compares the exits that rest in
 * the end with the fills on chain. No price moves, so none of them may fire.
 */
export async function exitsSoak(target: RestingTarget, options: ExitsSoakOptions): Promise<ExitsReport> {
  const { orders, seed, atOnce = 10, onProgress } = options;
  const startedAt = Date.now();
  const service = createService(target);
  const [chains, sol] = [accessChains(target.chainPort), await accessSol(target.chainPort)];
  const problems = new Set<string>();
  const report = (problem: string) => void problems.add(problem);
  const users = 5 * Math.max(1, Math.ceil(orders / buysOfUser / 5));
  const run = randomBytes(4).toString("hex");
  const traders = await makeTraders(service, { chains, sol }, { wallets: 5 * users, users, run });
  const wallets = traders.flatMap((trader) => trader.wallets);
  const before = await balancesOf(chains, wallets);
  const onEvm = wallets.filter(({ chain }) => isEvmChain(chain));
  const spenders = new Set(
    onEvm.filter((_, index) => index % spendersApart === spendersApart / 2).map(({ address }) => address),
  );
  const moved = new Set<string>();
  const outcomes: TradeReport["outcomes"] = new Map();
  const kills = new Map<string, number>();
  let [placed, lastPlacedAt, killingSinceMs] = [0, Date.now(), Number.POSITIVE_INFINITY];
  let isOver = false;
  const show = (phase: string) => onProgress?.(placed, phase);

  const buyAgain = async (index: number) => {
    const chance = createChance(`exits worker ${index} ${seed}`);
    const own = wallets.filter((_, at) => at % atOnce === index);
    for (let turn = 0; placed < orders && Date.now() - lastPlacedAt < stuckMs; turn++) {
      const wallet = own[turn % own.length] as TraderWallet;
      const isSpender = spenders.has(wallet.address);
      if (isBusy(wallet) || (isSpender && sentBy(wallet) > 0) || sentBy(wallet) > mostOfWallet) {
        await pause(100);
        continue;
      }
      const access = chains.find(({ chain }) => chain === wallet.chain);
      const body = isSpender
        ? await spentBuyBody(service, access as ChainAccess, wallet, moved)
        : await newBuyBody(service, chance, wallet);
      if (body === undefined) continue;
      const way = isSpender ? "place" : chance.weighted(ways);
      const world = { service, chance, report, count: counter(outcomes), newBody: () => body };
      const more = await tradeActions[way](world, wallet);
      placed += more;
      if (more > 0) lastPlacedAt = Date.now();
      show(killingSinceMs < Date.now() ? "functions killed" : "calm");
    }
  };
  const killAgain = async () => {
    const chance = createChance(`kills ${seed}`);
    while (placed < calmShare * orders && !isOver) await pause(100);
    killingSinceMs = Date.now();
    await service.setFaults({ "lambda.killed": killedShare });
    while (!isOver) {
      const name = killFunction(await target.runner(), chance);
      if (name !== undefined) kills.set(name, (kills.get(name) ?? 0) + 1);
      await pause(killMs.least + chance.below(killMs.more));
    }
    await service.setFaults({});
  };

  try {
    for (const trader of traders) followTrader(service, trader, report);
    await forEachConcurrently(wallets, { concurrency: 4 }, (wallet) => switchOn(service, wallet));
    const killing = killAgain();
    await Promise.all(Array.from({ length: atOnce }, (_, index) => buyAgain(index)));
    isOver = true;
    await killing;
    if (placed < orders) report(`only ${placed} of ${orders} buys could be placed`);
    show("settling");
    for (const row of ["readChains", "watchTriggers"])
      await repeated(() => service.runSchedule(row, { isAwaited: false }));
    for (const left of await settleAll(service, chains, traders, { patienceMs: patienceMs.settling }))
      report(`${left} is left in the table`);
    for (const problem of await lasting(() => waitingIn(service, traders), patienceMs.resting, 30_000))
      report(problem);
    for (const problem of await lasting(() => problemsOfViews(service, traders), patienceMs.agreeing))
      report(problem);
    show("reading");
    const shown = await readTrade(service, traders, report);
    const { noteSigned } = target;
    const nodes = await readNodes(chains, sol, wallets, { before, moved, noteSigned });
    const buys = buysIn(traders, shown, nodes, spenders);
    for (const buy of buys) for (const problem of problemsOfBuy(buy)) report(problem);
    for (const problem of problemsOfHeld(heldIn(buys, nodes))) report(problem);
    return {
      ...options,
      users,
      outcomes,
      buys,
      kills,
      waits: {
        calm: waitsOf(traders, buys, (filledAtMs) => filledAtMs < killingSinceMs),
        killing: waitsOf(traders, buys, (filledAtMs) => filledAtMs >= killingSinceMs),
      },
      seconds: (Date.now() - startedAt) / 1000,
      problems: [...problems],
    };
  } finally {
    isOver = true;
    for (const { follower } of traders) follower?.stop();
  }
}

const sentBy = ({ trader, address }: TraderWallet): number =>
  [...trader.sent.values()].filter(({ wallet }) => wallet.address === address).length;

const isBusy = (wallet: TraderWallet): boolean =>
  openOrdersOf(wallet).filter(({ side }) => side === "buy").length > 1;

/** Finds limits that have not filled, and exits that wait for buys. */
async function waitingIn(service: Service, traders: readonly Trader[]): Promise<string[]> {
  const waiting: string[] = [];
  await forEachConcurrently(traders, { concurrency: 6 }, async (trader) => {
    const answer = await service.send(trader, "GET", "/api/v2/orders?status=resting");
    if (answer?.status !== 200) throw new Error(`status=resting was answered with ${answer?.status}`);
    const { orders } = (answer.json as { data: { orders: Order[] } }).data;
    for (const { orderId, side, stage } of orders)
      if (side === "buy" || stage !== "resting") waiting.push(`${orderId} of ${trader.id} is still ${stage}`);
  });
  return waiting;
}

/** Formats the outcomes of buys, the kills, and how long exits took to rest. */
export function exitsReportOf(report: ExitsReport): string {
  const { buys, kills, outcomes, waits, users, seconds, seed, orders, problems } = report;
  const answers = [...outcomes].flatMap(([action, own]) =>
    [...own].map(([outcome, count]) => [`${action}: ${outcome}`, count] as const),
  );
  const ends = buys.map(
    ({ order }) => `${order.chain} ${order.type} ${order.status} ${order.reasonCode ?? ""}`,
  );
  const filled = buys.filter(({ fills }) => fills.length > 0);
  const exits = filled.flatMap((buy) => buy.exits);
  const rowsOf = Object.entries(waits).flatMap(([when, ofChains]) =>
    [...ofChains].map(([chain, own]) => [
      `${chain}, ${when}`,
      ...[own.length, ...[50, 95, 100].map((percent) => percentile(own, percent) / 1000)].map(figure),
    ]),
  );
  return [
    countTable(["answers", "count"], new Map(answers)),
    countTable(["buys ended", "count"], counted(ends)),
    countTable(["processes killed", "times"], kills),
    textTable(["from a fill's block to its exits", "buys", "p50, s", "p95", "most"], rowsOf),
    [
      `${buys.length} buys (${orders} asked for) of ${users} users in ${seconds.toFixed(0)} s, seed ${seed}`,
      `${filled.length} filled, with ${exits.length} exits, ${exits.filter(({ stage }) => stage === "resting").length} of which rest`,
      `${filled.filter(({ held }) => held !== undefined).length} were spent in part in the block of their fill`,
      `${problems.length} problems`,
    ].join("\n"),
  ].join("\n\n");
}
