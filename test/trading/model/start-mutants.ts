import { swapBy } from "../../../lib/chains/evm/rules/intent.ts";
import { waitingFor } from "../../../lib/orders/lane-reservation.ts";
import { localV2, slot } from "../../support/trading.ts";
import { inWrites, rewritten } from "./rewrites.ts";
import { type System, theSystem } from "./system.ts";

/** Starts a queued run without a look at what the first run has done. */
const startsBlindly: System = { ...theSystem, twin: (_, start, work) => work(start) };

/** Reserves lanes for runs without an end. */
const reservesForever: System = {
  ...theSystem,
  place: (request) =>
    rewritten(
      theSystem.place(request),
      inWrites((write) => {
        if (write.kind !== "change" || write.set?.holder === undefined) return [write];
        return [{ ...write, set: { ...write.set, leaseUntilMs: Number.MAX_SAFE_INTEGER } }];
      }),
    ),
};

/** Takes a lane by a reservation that stays valid. */
const keepsReservation: System = {
  ...theSystem,
  work: (lane, holder, limits, setup, start) =>
    theSystem.work(
      lane,
      start?.reservation === undefined ? holder : waitingFor(start.reservation),
      limits,
      setup,
      start,
    ),
};

/** Plans the next transaction of a lane when an order is announced. */
const plansEarly: System = {
  ...theSystem,
  async prepare(event, around) {
    await theSystem.prepare(event, around);
    const [order] = around.table.all("order");
    if (order === undefined) return;
    const { intent } = order;
    const planned = slot({ place: 1000, call: swapBy(intent, localV2, intent.amount) }, intent);
    around.table.write([{ kind: "put", of: "slot", item: planned, when: "absent" }]);
  },
};

/** Systems with one fault each in how runs of new orders are started. */
export const startMutants: Readonly<Record<string, () => System>> = {
  "starts a queued run without a look": () => startsBlindly,
  "reserves a lane without an end": () => reservesForever,
  "lets two runs take a lane by one reservation": () => keepsReservation,
  "plans when an order is announced": () => plansEarly,
};
