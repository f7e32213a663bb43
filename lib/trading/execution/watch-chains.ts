import { setTimeout as delay } from "node:timers/promises";
import type { Table } from "../../table/table.ts";
import { ChainUnavailable, RpcRefusal } from "../chains/host-fault.ts";
import type { Effects } from "../core/effects.ts";
import type { TradingChain } from "../core/trading-chain.ts";
import { type Watcher, watchReceipts } from "../core/waking.ts";
import { takeWatch } from "../items/watcher-records.ts";
import { type Performers, runProcedure } from "./run-procedure.ts";

type ChainSnapshot = Required<Performers>["chainSnapshot"];

export type WatchDeps = {
  table: Table;
  effects: Performers & { chainSnapshot: ChainSnapshot };
  /** Receives errors. The run goes on. */
  onFault: (error: unknown) => void;
  /** Receives the first error of each outage in which no host of a chain answers. */
  onSilence: (error: unknown) => void;
  nowMs?: () => number;
  pause?: (ms: number) => Promise<unknown>;
};

export type WatchTimes = {
  /** Sorts after the leases of earlier runs. */
  lease: string;
  untilMs: number;
};

/** The time between two rounds of a chain. */
const roundMs = 1000;

/** The interval at which a run checks whether a newer one has taken over. */
const leaseCheckMs = 5000;

/** Watches chains at the same time, each until a newer run takes over. */
export async function watchChains(
  deps: WatchDeps,
  chains: readonly TradingChain[],
  times: WatchTimes,
): Promise<void> {
  await Promise.all(chains.map((chain) => watchChain(deps, chain, times)));
}

async function watchChain(
  { table, effects, onFault, onSilence, nowMs = Date.now, pause = delay }: WatchDeps,
  chain: TradingChain,
  { lease, untilMs }: WatchTimes,
): Promise<void> {
  const watcher: Watcher = { wokenMs: new Map() };
  const performers = {
    ...effects,
    chainSnapshot: reportingSilence(effects.chainSnapshot, onSilence),
    now: nowMs,
  };
  let checkedMs = Number.NEGATIVE_INFINITY;
  for (; nowMs() < untilMs; await pause(roundMs)) {
    try {
      if (nowMs() - checkedMs >= leaseCheckMs) {
        if (!(await takeWatch(table, chain, lease))) return;
        checkedMs = nowMs();
      }
      await runProcedure(watchReceipts(chain, watcher), performers);
    } catch (error) {
      onFault(error);
    }
  }
}

/** Reports the first failure of a chain that does not answer. Lanes that are due are woken all the same. */
function reportingSilence(chainSnapshot: ChainSnapshot, onSilence: (error: unknown) => void): ChainSnapshot {
  let isSilent = false;
  return async (ask: Effects["chainSnapshot"]["ask"]) => {
    try {
      const answer = await chainSnapshot(ask);
      isSilent = false;
      return answer;
    } catch (error) {
      if (!(error instanceof ChainUnavailable || error instanceof RpcRefusal)) throw error;
      if (!isSilent) onSilence(error);
      isSilent = true;
      return undefined;
    }
  };
}
