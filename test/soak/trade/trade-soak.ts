import { randomBytes } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { type EvmChain, isEvmChain } from "../../../lib/core/chain-facts.ts";
import { type Chance, createChance } from "../chance.ts";
import { createService, type Service, type Target } from "../service.ts";
import { accessChains, type ChainAccess } from "./chain-access.ts";
import { planDisturbances } from "./disturbances.ts";
import type { Balances, ChainFacts, ShownOrder } from "./facts.ts";
import { type ForeignPrograms, startForeignPrograms } from "./foreign-programs.ts";
import { readBalances, readChain } from "./read-chain.ts";
import { problemsOfStreams, readTrade, type ShownTrade } from "./read-trade.ts";
import { settleAll } from "./settle.ts";
import { accessSol, type SolAccess } from "./sol/sol-access.ts";
import { type SolEras, solEras } from "./sol/sol-eras.ts";
import type { SolFacts } from "./sol/sol-facts.ts";
import {
  newMarketBody,
  type TradeActionName,
  type TradeWorld,
  tradeActions,
  tradeWeights,
} from "./trade-actions.ts";
import { problemsOfTrade } from "./trade-audit.ts";
import { followTrader, makeTraders, openOrdersOf, type Trader, type TraderWallet } from "./traders.ts";
import { beUnkind } from "./unkind-hosts.ts";

export type TradeTarget = Target & {
  /** Port of the chain eth. Other chains use the following ports. */
  chainPort: number;
  /** Records parts of signed bytes that no log or response may contain. The table and the chains may contain them. */
  noteSigned(parts: string[]): void;
};

export type TradeSoakOptions = {
  orders: number;
  wallets: number;
  seed: number;
  /** Number of concurrent requests. */
  atOnce?: number;
  mostValidSeconds?: number;
  /** Makes hosts as unreliable as real ones. */
  unkind?: boolean;
  /** Milliseconds after the faults within which orders must end and settle. */
  patienceMs?: number;
  onProgress?: (orders: number, phase: string) => void;
};

export type TradeReport = TradeSoakOptions & {
  seconds: number;
  settledAfterSeconds: number;
  crashes: number;
  /** Outcome counts of each action. */
  outcomes: Map<string, Map<string, number>>;
  spells: Map<string, number>;
  unkindnesses: ReadonlyMap<string, number>;
  shown: ShownTrade;
  chains: ReadonlyMap<EvmChain, ChainFacts>;
  /** The Solana chain since the last crash, and the number of orders compared before crashes. */
  sol: { chain: SolFacts; compared: number };
  streams: { count: number; messages: number; connections: number };
  /** Broken promises of the service. Empty for a passing run. */
  problems: string[];
};

/** Maximum number of open orders of a wallet in this run. The service allows 20. */
const mostOpen = 4;

/** Fraction of an order that an action without an order counts in the clock that starts and ends faults. */
const idleShare = 0.2;

/** Milliseconds without a placed order after which the run counts as stuck. */
const stuckMs = 180_000;

/** Trades with many wallets under faults of every kind, then compares what users saw with the chains. */
export async function tradeSoak(target: TradeTarget, options: TradeSoakOptions): Promise<TradeReport> {
  const { wallets: count, seed, patienceMs = 180_000 } = options;
  const service = createService(target);
  const chains = accessChains(target.chainPort);
  const sol = await accessSol(target.chainPort);
  const problems = new Set<string>();
  const report = (problem: string) => void problems.add(problem);
  const traders = await makeTraders(
    service,
    { chains, sol },
    { wallets: count, run: randomBytes(4).toString("hex") },
  );
  const wallets = traders.flatMap((trader) => trader.wallets);
  const before = await balancesOf(chains, wallets);
  const foreign = startForeignPrograms(wallets, createChance(`foreign ${seed}`));
  for (const trader of traders) followTrader(service, trader, report);
  const outcomes: TradeReport["outcomes"] = new Map();
  const { noteSigned } = target;
  const eras = solEras(sol, traders, { report, noteSigned });
  const stage: Stage = { service, chains, sol, eras, traders, foreign, report, noteSigned, outcomes };
  try {
    const startedAt = Date.now();
    const load = await runLoad(stage, options);
    const endedAt = Date.now();
    const settle = () => settleAll(service, chains, traders, { patienceMs });
    const stuck = await settle();
    const settledAt = Date.now();
    const shown = await readTrade(service, traders, report);
    // Settles again, because reading positions makes lanes look for tokens that other programs moved.
    const leftovers = stuck.length > 0 ? stuck : await settle();
    const facts = new Map(
      await Promise.all(
        chains.map(async (access) => {
          const own = before.get(access) as ReadonlyMap<string, Balances>;
          const { sent } = foreign;
          return [access.chain, await readChain(access, { before: own, foreign: sent, noteSigned })] as const;
        }),
      ),
    );
    const isOnEvm = ({ chain }: { chain: string }) => isEvmChain(chain as never);
    const ofEvm = {
      ...shown,
      orders: shown.orders.filter(({ order }) => isOnEvm(order)) as ShownOrder[],
      positions: shown.positions.filter(isOnEvm),
      leftovers,
      chains: facts,
    };
    for (const problem of problemsOfTrade(ofEvm)) report(problem);
    const ofSol = await eras.auditLast(shown);
    for (const problem of await lastingProblems(() => problemsOfStreams(traders, shown))) report(problem);
    const followers = traders.flatMap(({ follower }) => follower?.counts ?? []);
    return {
      ...options,
      ...load,
      seconds: (endedAt - startedAt) / 1000,
      settledAfterSeconds: (settledAt - endedAt) / 1000,
      outcomes,
      shown,
      chains: facts,
      sol: { chain: ofSol, compared: eras.compared },
      streams: {
        count: followers.length,
        messages: followers.reduce((sum, { messages }) => sum + messages, 0),
        connections: followers.reduce((sum, { connections }) => sum + connections, 0),
      },
      problems: [...problems],
    };
  } finally {
    for (const { follower } of traders) follower?.stop();
  }
}

/** Milliseconds within which streams must reach the final state. */
const streamsMs = 75_000;

export async function lastingProblems(find: () => string[]): Promise<string[]> {
  for (const deadline = Date.now() + streamsMs; find().length > 0 && Date.now() < deadline; )
    await pause(200);
  return find();
}

type Stage = {
  service: Service;
  chains: readonly ChainAccess[];
  sol: SolAccess;
  eras: SolEras;
  traders: readonly Trader[];
  foreign: ForeignPrograms;
  report(problem: string): void;
  noteSigned(parts: string[]): void;
  outcomes: TradeReport["outcomes"];
};

export async function balancesOf(chains: readonly ChainAccess[], wallets: readonly TraderWallet[]) {
  const all = chains.map(async (access) => {
    const own = [
      ...new Set(wallets.filter(({ chain }) => chain === access.chain).map(({ address }) => address)),
    ];
    const balances = own.map(async (address) => [address, await readBalances(access, address)] as const);
    return [access, new Map(await Promise.all(balances))] as const;
  });
  return new Map(await Promise.all(all));
}

async function runLoad(
  stage: Stage,
  { orders, seed, atOnce = 12, mostValidSeconds = 60, unkind = false, onProgress }: TradeSoakOptions,
) {
  const { service, chains, sol, traders, report, outcomes } = stage;
  const wallets = traders.flatMap((trader) => trader.wallets);
  const disturbances = planDisturbances(stage, { length: orders, seed });
  await using hosts = beUnkind(unkind ? [...chains, sol] : [], seed);
  let placed = 0;
  /** Counts orders. Actions that place none advance it slowly, so that every fault ends. */
  let clock = 0;
  let lastPlacedAt = Date.now();

  const worker = async (own: readonly TraderWallet[], chance: Chance) => {
    const newBody = (wallet: TraderWallet) => newMarketBody(chance, wallet, mostValidSeconds);
    const world: TradeWorld = { service, chance, report, newBody, count: counter(outcomes) };
    while (placed < orders && Date.now() - lastPlacedAt < stuckMs) {
      await disturbances.settled();
      const awake = own.filter(({ restsUntil }) => restsUntil <= Date.now());
      if (awake.length === 0) {
        await pause(50);
        continue;
      }
      const wallet = chance.pick(awake);
      const isFull = openOrdersOf(wallet).length >= mostOpen;
      const name: TradeActionName = isFull ? chance.pick(["cancel", "look"]) : chance.weighted(tradeWeights);
      // A wallet with the maximum number of open orders rests longer, because it only cancels orders or looks for
      // events that its stream missed.
      wallet.restsUntil = Date.now() + (isFull ? 700 : 0);
      const more = await tradeActions[name](world, wallet);
      placed += more;
      clock += more === 0 ? idleShare : more;
      disturbances.advance(clock);
      if (more === 0) continue;
      lastPlacedAt = Date.now();
      onProgress?.(placed, disturbances.phase);
    }
  };
  const workers = Math.min(atOnce, wallets.length);
  await Promise.all(
    Array.from({ length: workers }, (_, index) =>
      worker(
        wallets.filter((_, of) => of % workers === index),
        createChance(`worker ${index} ${seed}`),
      ),
    ),
  );
  if (placed < orders) report(`only ${placed} of ${orders} orders could be placed`);
  await disturbances.end();
  const { crashes, spells } = disturbances;
  return { crashes, spells, unkindnesses: hosts.counts };
}

export const counter = (outcomes: TradeReport["outcomes"]) => (action: string, outcome: string) => {
  const own = outcomes.get(action) ?? new Map<string, number>();
  outcomes.set(action, own.set(outcome, (own.get(outcome) ?? 0) + 1));
};
