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
import { type SweepMemory, sweepLanes } from "../procedures/reading.ts";
import { type Performers, runProcedure } from "./run-procedure.ts";
import { WakeQueue } from "./wake-queue.ts";

/** A problem for operators. The service goes on. */
export type Trouble = {
  error: ServiceError;
  chain: TradingChain;
  wallet?: string;
};

/** `READER_MISSING`: no run of readChains has read a chain with lanes for long. */
const troubleError = (code: LaneTrouble | "READER_MISSING") => new ServiceError(`Trouble: ${code}`, { code });

export type SweepDeps = {
  table: Table;
  /** The next sweep asks for less if it has the same memory. */
  chains: ReadonlyMap<TradingChain, AgreeingHosts & { memory: SweepMemory }>;
  effects: Required<Pick<Performers, "readLanes" | "readReaderLease" | "wake" | "look" | "minedIn">>;
  onTrouble: (trouble: Trouble) => void;
  /** Receives the error that kept it from looking at a chain. The lanes are woken instead. */
  onFault: (error: unknown) => void;
  nowMs?: () => number;
};

/** Wakes the lanes of all chains that need it, and reports problems. A failing chain does not delay the others. */
export async function sweepChains(deps: SweepDeps): Promise<void> {
  const chains = [...deps.chains];
  const swept = await Promise.allSettled([
    ...chains.map(([chain, { memory }]) => sweepChain(deps, chain, memory)),
    ...chains.map(([chain]) => reportSilence(deps, chain)),
    ...chains.map(([chain]) => checkHeld(deps, chain)),
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

/** Has lanes check the tokens of positions, because tokens may have left a wallet that nobody reads. */
async function checkHeld(
  { table, effects, nowMs = Date.now }: SweepDeps,
  chain: TradingChain,
): Promise<void> {
  const now = nowMs();
  const held = await readHeld(table, chain, now);
  const ofWallets = Map.groupBy(held, ({ wallet }) => wallet).values();
  // A lane checks one token per run, and a different one each turn.
  const chosen = [...ofWallets].flatMap((each) => each[heldTurnAt(now) % each.length] ?? []);
  await Promise.all(
    chosen.map(({ wallet, userID, token }) =>
      effects.wake({ lane: { chain, wallet }, missed: { userID, token } }),
    ),
  );
}

/** Answers nothing if an effect fails, since looks must not keep lanes from being woken. Silence is reported elsewhere. */
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
  // The last run has not seen the newest order, so its state does not show how long that order has waited.
  const idleMs = hasUnseenOrder(lane)
    ? idleSinceMs(await laneOrdersOf(table, lane), [], () => false)
    : lane.watch?.idleSinceMs;
  const trouble = troubleOf(lane, idleMs, nowMs());
  if (trouble !== undefined) onTrouble({ chain, wallet: lane.wallet, error: troubleError(trouble) });
}

/**
 * Asks for the facts that placing an order needs: the same block from two hosts. On a chain without orders, nothing
 * else would notice an outage.
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
