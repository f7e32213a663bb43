import type { LaneKey } from "../core/intent.ts";
import type { Performers } from "./run-procedure.ts";

/**
 * Wakes a lane by starting executeOrders, without waiting for it.
 *
 * @param onFault Receives the error that kept it from starting. The next sweep starts it again.
 */
export const wakeEffect = (
  startExecution: (lane: LaneKey) => Promise<void>,
  onFault: (error: unknown) => void,
) =>
  ({
    wake: ({ lane: { chain, wallet } }) =>
      startExecution({ chain, wallet }).then(undefined, onFault) as Promise<undefined>,
  }) satisfies Performers;
