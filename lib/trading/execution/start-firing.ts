import type { LaneKey } from "../../orders/intent.ts";
import type { FireRequest } from "../../orders/resting/hand-over.ts";
import type { Table } from "../../table/table.ts";
import { hasReader } from "../items/reader-leases.ts";
import { readHandOvers } from "../items/resting-records.ts";

type OnFault = (error: unknown) => void;

/**
 * Makes a function that starts the watch over prices, unless a run is alive. It never throws: the schedule starts a run
 * within a minute.
 */
export const startTriggersOf =
  (table: Table, startWatch: (event: object) => Promise<void>, onFault: OnFault) =>
  async (): Promise<void> => {
    try {
      if (!(await hasReader(table, "triggers"))) await startWatch({});
    } catch (error) {
      onFault(error);
    }
  };

/**
 * Makes a function that hands all of a user's resting orders of a wallet over to fireOrders, which finds that the
 * wallet is retired. It never throws: a repeated request hands them over again.
 */
export const endRestingOf =
  (table: Table, fire: (request: FireRequest) => Promise<void>, onFault: OnFault) =>
  async (userID: string, lane: LaneKey): Promise<void> => {
    try {
      for (const request of await readHandOvers(table, userID, lane)) await fire(request);
    } catch (error) {
      onFault(error);
    }
  };
