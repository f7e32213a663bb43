import type { LaneKey } from "../../orders/intent.ts";
import type { JobName, MissedToken } from "../../orders/table-step.ts";
import type { Performers } from "./run-procedure.ts";

/** Event of executeOrders: a lane, with a job that the lane should contain or a token that the wallet may have lost. */
export type WakeEvent = LaneKey & { job?: JobName; missed?: MissedToken };

/**
 * Wakes a lane by starting executeOrders, without waiting for it.
 *
 * @param onFault Receives the error if executeOrders could not be started. The next sweep tries again.
 */
export const wakeEffect = (
  startExecution: (event: WakeEvent) => Promise<void>,
  onFault: (error: unknown) => void,
) =>
  ({
    wake: ({ lane: { chain, wallet }, job, missed }) =>
      startExecution({ chain, wallet, ...(job && { job }), ...(missed && { missed }) }).then(
        undefined,
        onFault,
      ) as Promise<undefined>,
  }) satisfies Performers;
