import type { LaneKey } from "../../orders/intent.ts";
import type { JobName, MissedToken } from "../../orders/table-step.ts";
import type { Performers } from "./run-procedure.ts";

/** Event of executeOrders: a lane, with a job that the lane should contain or a token that the wallet may have lost. */
export type WakeEvent = LaneKey & {
  job?: JobName;
  missed?: MissedToken;
  /** Id of the order for whose first run its placing may have reserved the lane. */
  reservation?: string;
  /** Present if another run was started for the same reason. This run then works only if that one has not begun. */
  ifNotBegun?: true;
};

/**
 * Wakes a lane by starting executeOrders, without waiting for it.
 *
 * @param startAtOnce Also starts a run without the queue. The run may be lost: the queued one then does the work.
 * @param onFault Receives the error if executeOrders could not be started. The next sweep tries again.
 */
export const wakeEffect = (
  startExecution: (event: WakeEvent) => Promise<void>,
  onFault: (error: unknown) => void,
  startAtOnce?: (event: WakeEvent) => void,
) =>
  ({
    wake: ({ lane: { chain, wallet }, job, missed, reservation }) => {
      const event: WakeEvent = {
        chain,
        wallet,
        ...(job && { job }),
        ...(missed && { missed }),
        ...(reservation !== undefined && { reservation }),
      };
      startAtOnce?.(event);
      const queued = startExecution(startAtOnce === undefined ? event : { ...event, ifNotBegun: true });
      return queued.then(undefined, onFault) as Promise<undefined>;
    },
  }) satisfies Performers;
