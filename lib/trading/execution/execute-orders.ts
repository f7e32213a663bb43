import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import type { TradingConfiguration } from "../../chains/families/configuration.ts";
import { limitsIn } from "../../chains/families/limits.ts";
import { type Landings, landingsIn } from "../../chains/sol/rules/landings.ts";
import { isBelowMinimum, solOrdersSettledBy } from "../../chains/sol/rules/settled-orders.ts";
import { ServiceError } from "../../core/service-error.ts";
import type { SignAnswer, SignRequest } from "../../orders/effects.ts";
import { setupName } from "../../orders/requests.ts";
import type { ItemWrite, TradeStep } from "../../orders/table-step.ts";
import { ensureReader } from "../procedures/reader-lease.ts";
import { type RunStart, workIfNotBegun, workLane } from "../procedures/work-lane.ts";
import { type Broadcast, FirstBroadcasts } from "./first-broadcasts.ts";
import { type Performers, runProcedure } from "./run-procedure.ts";
import type { WakeEvent } from "./wake-effect.ts";

/**
 * True if the write removes the lane. The core holds the lane while it writes, so each step either keeps or removes the
 * lane.
 */
const removesLane = ({ kind, of }: ItemWrite) => kind === "remove" && of === "lane";

/** Signs transactions. Records their bytes before it returns them. */
export type Signer = (request: SignRequest) => Promise<SignAnswer>;

export type ExecutionDeps = {
  effects: Performers;
  signer: Signer;
  trading: TradingConfiguration;
  /** True if fills earn their users something. Otherwise nothing credits the rows that record them. */
  recordsEarnings?: boolean;
  /** Starts readChains without waiting for it. */
  startReader: () => Promise<void>;
  /**
   * Receives an error that prevented a reader from being started (the sweep starts one later), and each fill below the
   * minimum, with its order.
   */
  onFault: (error: unknown, details?: object) => void;
  /** Receives the counts of each settled order on Solana once. If a run breaks off, its counts may be lost. */
  onLandings: (landings: Landings) => void;
  /** Receives each order's first broadcast once, under the same condition. */
  onBroadcast: (broadcast: Broadcast) => void;
  nowMs?: () => number;
};

/**
 * Does everything that is possible now for the orders of a wallet, unless another run holds the wallet's lane. Also
 * makes sure that a reader follows the chain. After a check of a wallet without orders, a reader is needed only if a
 * lane is left.
 */
export async function executeOrders(
  {
    effects,
    signer,
    trading,
    recordsEarnings,
    startReader,
    onFault,
    onLandings,
    onBroadcast,
    nowMs = Date.now,
  }: ExecutionDeps,
  { chain, wallet, job, missed, reservation, ifNotBegun }: WakeEvent,
): Promise<void> {
  const configuration = trading[chain];
  const { readLane, beginLane, write } = effects;
  const broadcasts = new FirstBroadcasts();
  let hasLane = false;
  const setup = configuration ? setupName(configuration) : "";

  function noteWritten(step: TradeStep): void {
    landingsIn(step).forEach(onLandings);
    broadcasts.in(step).forEach(onBroadcast);
    for (const { intent } of solOrdersSettledBy(step).filter(isBelowMinimum)) {
      const { userID, orderId } = intent;
      // Reports that Jupiter's program did not enforce the minimum output, although its instruction states it.
      onFault(new ServiceError("Too little arrived", { code: "FILL_BELOW_MINIMUM" }), { userID, orderId });
    }
  }

  const performers: Performers = {
    ...effects,
    ...(readLane && {
      async readLane(ask) {
        const view = await readLane(ask);
        broadcasts.see(view);
        return view;
      },
    }),
    ...(beginLane && {
      async beginLane(ask) {
        const view = await beginLane(ask);
        if (view !== undefined) broadcasts.see(view);
        return view;
      },
    }),
    ...(write && {
      async write(ask) {
        const step = recordsEarnings ? ask.step : ask.step.filter(({ of }) => of !== "earned");
        const isWritten = await write({ ...ask, step });
        if (isWritten) {
          hasLane = !step.some(removesLane);
          noteWritten(step);
        }
        return isWritten;
      },
    }),
    now: nowMs,
    pause: ({ ms }) => pause(ms),
    sign: ({ request }) => signer(request),
    startReader: () => startReader() as Promise<undefined>,
  };
  const readerEnsured = () => runProcedure(ensureReader(chain), performers).catch(onFault);
  // Starts the reader at once, because orders wait for blocks even if the run takes long or fails.
  const early = missed === undefined ? readerEnsured() : undefined;
  try {
    const lane = { chain, wallet };
    const work = (start: RunStart) =>
      workLane(lane, randomUUID(), limitsIn(trading, chain), setup, { ...start, missed });
    const start = { job, reservation };
    await runProcedure(ifNotBegun ? workIfNotBegun(lane, start, work) : work(start), performers);
  } finally {
    await (early ?? (hasLane ? readerEnsured() : undefined));
  }
}
