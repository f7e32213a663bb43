import { type AgreeingHosts, agreeOnHead } from "../../chains/families/agree.ts";
import { ChainUnavailable, RpcRefusal } from "../../chains/hosts/host-fault.ts";
import type { TradingChain } from "../../core/chain-facts.ts";
import { ServiceError } from "../../core/service-error.ts";
import { hasUnseenOrder, idleSinceMs, type LaneTrouble, troubleOf } from "../../orders/lane-trouble.ts";
import type { Lane } from "../../orders/table-step.ts";
import type { Table } from "../../table/table.ts";
import { heldTurnAt } from "../items/keys.ts";
import { laneOrdersOf } from "../items/lane-records.ts";
import { readHeld } from "../items/views.ts";
import { isReaderMissing } from "../procedures/reader-lease.ts";
import { type SweepMemory, sweepLanes } from "../procedures/reading.ts";
import { type Performers, runProcedure } from "./run-procedure.ts";
import { WakeQueue } from "./wake-queue.ts";

/** A problem that operators must know about. The service continues. */
export type Trouble = {
  error: ServiceError;
  /** The chain, or the watch over resting orders. */
  chain: TradingChain | "triggers";
  wallet?: string;
};

/** `READER_MISSING`: for a long time, no run has read a chain that has lanes, or watched the orders that rest. */
const troubleError = (code: LaneTrouble | "READER_MISSING") => new ServiceError(`Trouble: ${code}`, { code });

export type SweepDeps = {
  table: Table;
  /** Hosts of each chain. If the next sweep uses the same memory, it needs to ask for less. */
  chains: ReadonlyMap<TradingChain, AgreeingHosts & { memory: SweepMemory }>;
  effects: Required<Pick<Performers, "readLanes" | "readReaderLease" | "wake" | "look" | "minedIn">>;
  onTrouble: (trouble: Trouble) => void;
  /** Receives the error that prevented a look at a chain. In that case, the chain's lanes are woken. */
  onFault: (error: unknown) => void;
  nowMs?: () => number;
};

/** On all chains, wakes the lanes that need it and reports problems. A failing chain does not delay the others. */
export async function sweepChains(deps: SweepDeps): Promise<void> {
  const chains = [...deps.chains];
  const swept = await Promise.allSettled([
    ...chains.map(([chain, { memory }]) => sweepChain(deps, chain, memory)),
    ...chains.map(([chain]) => reportSilence(deps, chain)),
    ...chains.map(([chain]) => checkHeld(deps, chain)),
    reportUnwatched(deps),
  ]);
  const failed = swept.find(({ status }) => status === "rejected");
  if (failed?.status === "rejected") throw failed.reason;
}

async function sweepChain(deps: SweepDeps, chain: TradingChain, memory: SweepMemory): Promise<void> {
  const { effects, onTrouble, onFault, nowMs = Date.now } = deps;
  const wakes = new WakeQueue(async (lane) => effects.wake({ lane }));
  const { lanes, isReaderMissing } = await runProcedure(sweepLanes(chain, memory), {
    ...effects,
    look: orNothing(effects.look, onFault),
    minedIn: orNothing(effects.minedIn, onFault),
    now: nowMs,
    wake: ({ lane }) => {
      wakes.add(lane);
      return undefined;
    },
  });
  if (isReaderMissing) onTrouble({ chain, error: troubleError("READER_MISSING") });
  await wakes.emptied();
  for (const lane of lanes) await reportTrouble(deps, chain, lane);
}

/** Reports a run of watchTriggers that nobody has replaced. A run that ends because no order rests says so. */
async function reportUnwatched({ effects, onTrouble, nowMs = Date.now }: SweepDeps): Promise<void> {
  const lease = await effects.readReaderLease({ chain: "triggers" });
  if (lease !== undefined && !lease.isEnded && isReaderMissing(lease, nowMs()))
    onTrouble({ chain: "triggers", error: troubleError("READER_MISSING") });
}

/** Makes lanes check the tokens of positions, because otherwise nobody may notice that tokens have left a wallet. */
async function checkHeld(
  { table, effects, nowMs = Date.now }: SweepDeps,
  chain: TradingChain,
): Promise<void> {
  const now = nowMs();
  const held = await readHeld(table, chain, now);
  const ofWallets = Map.groupBy(held, ({ wallet }) => wallet).values();
  // Chooses one token for each lane, because a run checks only one. In each turn, the token is a different one.
  const chosen = [...ofWallets].flatMap((each) => each[heldTurnAt(now) % each.length] ?? []);
  await Promise.all(
    chosen.map(({ wallet, userID, token }) =>
      effects.wake({ lane: { chain, wallet }, missed: { userID, token } }),
    ),
  );
}

/**
 * Returns nothing if an effect fails, because a failed look must not keep lanes from being woken. Outages are reported
 * elsewhere.
 */
const orNothing =
  <Ask, Answer>(act: (ask: Ask) => Answer | Promise<Answer>, onFault: SweepDeps["onFault"]) =>
  async (ask: Ask): Promise<Answer | undefined> => {
    try {
      return await act(ask);
    } catch (error) {
      if (!(error instanceof ChainUnavailable)) onFault(error);
      return undefined;
    }
  };

async function reportTrouble(
  { table, onTrouble, nowMs = Date.now }: SweepDeps,
  chain: TradingChain,
  lane: Lane,
): Promise<void> {
  // If the last run has not seen the newest order, computes the idle time from the orders, because the run's state does
  // not show how long that order has waited.
  const idleMs = hasUnseenOrder(lane)
    ? idleSinceMs(await laneOrdersOf(table, lane), [], () => false)
    : lane.watch?.idleSinceMs;
  const trouble = troubleOf(lane, idleMs, nowMs());
  if (trouble !== undefined) onTrouble({ chain, wallet: lane.wallet, error: troubleError(trouble) });
}

/**
 * Asks two hosts for the same block, as is done when an order is placed. On a chain without orders, an outage would
 * otherwise go unnoticed.
 */
async function reportSilence({ chains, onTrouble }: SweepDeps, chain: TradingChain): Promise<void> {
  try {
    const reader = chains.get(chain);
    if (reader !== undefined) await agreeOnHead(reader);
  } catch (error) {
    const isRefused = error instanceof RpcRefusal;
    if (!isRefused && !(error instanceof ChainUnavailable)) throw error;
    onTrouble({ chain, error: isRefused ? new ChainUnavailable(error.message, { cause: error }) : error });
  }
}
