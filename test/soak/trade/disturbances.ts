import { startTrading, stopTrading } from "../../../lib/trading/items/stops.ts";
import { createChance } from "../chance.ts";
import { planPhases } from "../phases.ts";
import type { Service } from "../service.ts";
import type { ChainAccess } from "./chain-access.ts";
import type { ForeignPrograms } from "./foreign-programs.ts";
import { signedPartsIn } from "./read-trade.ts";
import type { SolAccess } from "./sol/sol-access.ts";
import { startSolPrograms } from "./sol/sol-programs.ts";
import { applySolWeather, planSolWeather } from "./sol/sol-weather.ts";
import type { Report, Trader } from "./traders.ts";
import { applyWeather, clearSky, planWeather, type Sky } from "./weather.ts";

/** Faults of AWS, each lasting for some orders. */
const faults = {
  calm: {},
  "table throttled": { "dynamodb.throttled": 0.15 },
  "table conflicting": { "dynamodb.conflicting": 0.2 },
  "table failing": { "dynamodb.failed": 0.1 },
  "KMS failing": { "kms.failed": 0.4 },
  "functions killed": { "lambda.killed": 0.06 },
  "invocations throttled": { "lambda.throttled": 0.2 },
  "pushes refused": { "connections.throttled": 0.3, "connections.failed": 0.1 },
  "everything at once": {
    "dynamodb.throttled": 0.05,
    "dynamodb.conflicting": 0.05,
    "dynamodb.failed": 0.03,
    "kms.failed": 0.1,
    "lambda.killed": 0.02,
    "lambda.throttled": 0.05,
    "connections.throttled": 0.1,
  },
} as const;

type FaultPhase = keyof typeof faults;

/** Faults of AWS and chains, which begin and end as a clock advances. */
export type Disturbances = {
  /** Begins and ends all that is planned up to a time. */
  advance(clock: number): void;
  /** Resolves once no fault is beginning or ending. */
  settled(): Promise<void>;
  /** Ends all faults. */
  end(): Promise<void>;
  readonly phase: string;
  readonly crashes: number;
  readonly spells: Map<string, number>;
};

export type DisturbedStage = {
  service: Service;
  chains: readonly ChainAccess[];
  sol: SolAccess;
  /** Eras of the Solana chain, which ends in each crash. */
  eras: { audit(): Promise<void>; begin(): Promise<void> };
  traders: readonly Trader[];
  foreign: ForeignPrograms;
  report: Report;
  noteSigned(parts: string[]): void;
};

/**
 * Plans the faults of a run.
 *
 * @param plan.stretch Length of a fault of AWS.
 * @param plan.without Parts of the names of spells that the run leaves out.
 */
export function planDisturbances(
  { service, chains, sol, eras, traders, foreign, report, noteSigned }: DisturbedStage,
  plan: { length: number; seed: number; stretch?: number; without?: string },
): Disturbances {
  const { length, seed, stretch = 25, without } = plan;
  const isKept = ({ spell }: { spell: string }) => without === undefined || !spell.includes(without);
  const phases = planPhases(
    length,
    createChance(`phase ${seed}`),
    Object.keys(faults) as FaultPhase[],
    stretch,
  );
  const weather = planWeather(length, createChance(`weather ${seed}`)).filter(isKept);
  const solWeather = planSolWeather(length, createChance(`weather of sol ${seed}`)).filter(isKept);
  const spells = new Map<string, number>();
  const sky: Sky = { chance: createChance(`sky ${seed}`), foreign, setStopped: stopper(service) };
  const wallets = traders.flatMap((trader) => trader.wallets);
  const programs = startSolPrograms(wallets, createChance(`programs on sol ${seed}`));
  const solSky = { ...sky, chance: createChance(`sky of sol ${seed}`), programs };
  let phase: FaultPhase = "calm";
  let crashes = 0;
  let changing: Promise<void> = Promise.resolve();

  /** Runs disturbances one after another, so that a crash finds chains known to the runner. */
  const disturb = (act: () => Promise<void>, what: string) => {
    changing = changing.then(act).catch((error: Error) => report(`${what} failed: ${error.message}`));
  };
  const change = (next: FaultPhase | "crash") =>
    disturb(async () => {
      if (next !== "crash") {
        await service.setFaults(faults.calm);
        noteSigned(signedPartsIn(await service.scan()));
        await service.setFaults(faults[next]);
        phase = next;
        return;
      }
      crashes++;
      await eras.audit();
      await service.restart();
      await eras.begin();
    }, next);
  const count = ({ spell, isEnd }: { spell: string; isEnd: boolean }) => {
    if (!isEnd) spells.set(spell, (spells.get(spell) ?? 0) + 1);
  };

  return {
    advance(clock) {
      while (phases[0] !== undefined && phases[0].after <= clock)
        change((phases.shift() as { phase: FaultPhase }).phase);
      while (weather[0] !== undefined && weather[0].after <= clock) {
        const turn = weather.shift() as (typeof weather)[number];
        const access = chains.find(({ chain }) => chain === turn.chain) as ChainAccess;
        count(turn);
        disturb(() => applyWeather(turn, access, sky), turn.spell);
      }
      while (solWeather[0] !== undefined && solWeather[0].after <= clock) {
        const turn = solWeather.shift() as (typeof solWeather)[number];
        count(turn);
        disturb(() => applySolWeather(turn, sol, solSky), turn.spell);
      }
    },
    settled: () => changing,
    async end() {
      await changing;
      await service.setFaults(faults.calm);
      for (const access of [...chains, sol]) await clearSky(access, sky);
      phase = "calm";
    },
    get phase() {
      return phase;
    },
    get crashes() {
      return crashes;
    },
    spells,
  };
}

const stopper =
  (service: Service): Sky["setStopped"] =>
  async (chain, isStopped) => {
    const table = await service.table();
    await (isStopped ? stopTrading(table, [chain], new Date()) : startTrading(table, [chain]));
  };
