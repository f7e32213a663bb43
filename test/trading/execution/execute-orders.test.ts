import { describe, expect, it, vi } from "vitest";
import type { Sol } from "../../../lib/chains/sol/rules/family.ts";
import type { Landings } from "../../../lib/chains/sol/rules/landings.ts";
import { defaultSol } from "../../../lib/infra/default-chains.ts";
import type { LaneView } from "../../../lib/orders/effects.ts";
import { afterStep } from "../../../lib/orders/lane-steps.ts";
import type { TradeStep } from "../../../lib/orders/table-step.ts";
import { type ExecutionDeps, executeOrders } from "../../../lib/trading/execution/execute-orders.ts";
import type { WakeEvent } from "../../../lib/trading/execution/wake-effect.ts";
import {
  bothHosts,
  filled,
  heightAt,
  nowMs,
  orderOf,
  seen,
  slotOf,
  viewOf,
} from "../../chains/sol/fixtures.ts";

const lane = { chain: "sol", wallet: "A1" } as const;
const receipt = filled("a");
const final = bothHosts({
  ...heightAt(300),
  receipts: seen([receipt]),
  markers: new Map([["order1", true]]),
});

const settles = (step: TradeStep) => step.some(({ kind, of }) => kind === "remove" && of === "job");

type Table = { view: LaneView<Sol> };

/** Creates a table with an order whose only message is in a final block. */
const tableWithFill = (): Table => ({
  view: viewOf({ slots: [slotOf({ state: "mined", receipts: [receipt] })] }),
});

/** Writes a step while the lane exists. */
function writeTo(table: Table, step: TradeStep): boolean {
  if (table.view.lane === undefined) return false;
  const [taken] = step;
  const holder = taken?.kind === "change" ? taken.set?.holder : undefined;
  const view = afterStep(table.view, step);
  table.view =
    holder === undefined || view.lane === undefined ? view : { ...view, lane: { ...view.lane, holder } };
  return true;
}

/** Runs executeOrders and returns the counts that it reports. The run may fail midway. */
async function run(
  table: Table,
  write = writeTo,
  {
    hosts = final,
    onFault = (() => undefined) as ExecutionDeps["onFault"],
    recordsEarnings,
  }: { hosts?: typeof final; onFault?: ExecutionDeps["onFault"]; recordsEarnings?: boolean } = {},
): Promise<Landings[]> {
  const landings: Landings[] = [];
  const deps: ExecutionDeps = {
    effects: {
      readLane: () => table.view,
      hostSnapshot: ({ host }) => hosts[host],
      write: ({ step }) => write(table, step),
    },
    signer: async () => ({ later: "no order needs it" }),
    trading: { sol: defaultSol },
    ...(recordsEarnings && { recordsEarnings }),
    startReader: async () => undefined,
    onFault,
    onLandings: (each) => void landings.push(each),
    onBroadcast: () => undefined,
    nowMs: () => nowMs,
  };
  await executeOrders(deps, lane).catch(() => undefined);
  return landings;
}

/** Runs executeOrders on a chain without a reader. */
async function runUnread(
  effects: Partial<ExecutionDeps["effects"]>,
  startReader: () => void,
  more: Pick<WakeEvent, "missed" | "ifNotBegun"> = {},
): Promise<void> {
  const deps: ExecutionDeps = {
    effects: { readReaderLease: () => undefined, ...effects },
    signer: async () => ({ later: "no order needs it" }),
    trading: { sol: defaultSol },
    startReader: async () => startReader(),
    onFault: expect.fail,
    onLandings: () => undefined,
    onBroadcast: () => undefined,
    nowMs: () => nowMs,
  };
  await executeOrders(deps, { ...lane, ...more });
}

/** Settles an order that received this amount, and returns the faults reported for the order. */
async function faultsOf(received: bigint) {
  const short = filled("a", { received });
  const hosts = bothHosts({
    ...heightAt(300),
    receipts: seen([short]),
    markers: new Map([["order1", true]]),
  });
  const faults: unknown[] = [];
  const table = { view: viewOf({ slots: [slotOf({ state: "mined", receipts: [short] })] }) };
  const onFault = (error: unknown, order?: object) => {
    if (order !== undefined) faults.push([(error as Error).name, order]);
  };
  await run(table, writeTo, { hosts, onFault });
  expect(table.view.orders).toEqual([]);
  return faults;
}

const once = [{ path: "public", signed: 1, landed: 1 }];

describe("executeOrders when an order on sol settles", () => {
  it("reports a fill below the minimum together with its order", async () => {
    expect(await faultsOf(80n)).toEqual([]);
    expect(await faultsOf(79n)).toEqual([["FillBelowMinimum", { userID: "alice", orderId: "order1" }]]);
  });

  it("records its fill if fills earn something, and settles it either way", async () => {
    for (const recordsEarnings of [true, false]) {
      const earned: string[] = [];
      const table = tableWithFill();
      const noting: typeof writeTo = (each, step) => {
        earned.push(...step.flatMap((write) => (write.of === "earned" ? [write.item.orderId] : [])));
        return writeTo(each, step);
      };
      await run(table, noting, { recordsEarnings });
      expect(table.view.orders).toEqual([]);
      expect(earned).toEqual(recordsEarnings ? ["order1"] : []);
    }
  });

  it("counts an order's messages once, however often it runs", async () => {
    const table = tableWithFill();
    expect(await run(table)).toEqual(once);
    expect(table.view.orders).toEqual([]);
    expect(await run(table)).toEqual([]);
  });

  it("counts an order's messages in the run whose write succeeds", async () => {
    const table = tableWithFill();
    expect(await run(table, (each, step) => !settles(step) && writeTo(each, step))).toEqual([]);
    expect(await run(table)).toEqual(once);
  });

  it("leaves an order's messages uncounted if the write's response is lost, so that none counts twice", async () => {
    const table = tableWithFill();
    const losing: typeof writeTo = (each, step) => {
      const isWritten = writeTo(each, step);
      if (settles(step)) throw new Error("the answer is lost");
      return isWritten;
    };
    expect(await run(table, losing)).toEqual([]);
    expect(table.view.orders).toEqual([]);
    expect(await run(table)).toEqual([]);
  });
});

describe("executeOrders on a chain without a reader", () => {
  it("starts a reader without waiting for the lane's hosts", async () => {
    const started = Promise.withResolvers<void>();
    const table = tableWithFill();
    const effects: ExecutionDeps["effects"] = {
      readLane: () => table.view as unknown as LaneView,
      hostSnapshot: async ({ host }) => {
        await started.promise;
        return final[host];
      },
      write: ({ step }) => writeTo(table, step),
    };
    await runUnread(effects, started.resolve);
    expect(table.view.orders).toEqual([]);
  });

  it("starts a reader even if the run cannot work on the lane", async () => {
    const startReader = vi.fn();
    const failing = () => Promise.reject(new Error("no table"));
    await expect(runUnread({ write: failing }, startReader)).rejects.toThrow("no table");
    expect(startReader).toHaveBeenCalledOnce();
  });

  const missed = { userID: "alice", token: "MOON" };
  const idle = viewOf({ lane: undefined, orders: [], slots: [], jobs: [] });

  /** Checks a token of a wallet without a lane, and returns the number of readers started. */
  async function checkIdle(failure?: Error): Promise<number> {
    const startReader = vi.fn();
    let view = idle;
    const effects: ExecutionDeps["effects"] = {
      write: ({ step: [first, ...rest] }) => {
        if (first?.kind === "change" && view.lane === undefined) return false;
        if (first?.kind === "put" && first.of === "lane") view = { ...view, lane: first.item };
        view = afterStep(view, first === undefined ? [] : [first, ...rest]);
        return true;
      },
      readLane: () => view as unknown as LaneView,
      hostSnapshot: ({ host }) => {
        if (failure !== undefined) throw failure;
        return final[host];
      },
    };
    const run = runUnread(effects, startReader, { missed });
    if (failure === undefined) await run;
    else await expect(run).rejects.toThrow(failure);
    expect(view.lane === undefined).toBe(failure === undefined);
    return startReader.mock.calls.length;
  }

  it("starts no reader to check an idle wallet, unless a lane remains afterwards", async () => {
    expect(await checkIdle()).toBe(0);
    expect(await checkIdle(new Error("no host"))).toBe(1);
  });
});

describe("executeOrders after a run that was started without the queue", () => {
  /** Runs the queued event on this lane, and returns whether it took the lane. */
  async function takes(view: LaneView<Sol>): Promise<boolean> {
    const write = vi.fn(() => false);
    const readLane = () => view as unknown as LaneView;
    await runUnread({ readLane, write }, () => undefined, { ifNotBegun: true });
    return write.mock.calls.length > 0;
  }

  const left = { ...lane, jobs: 1 };

  it("works if that run has not begun", async () => {
    expect(await takes(viewOf({ lane: left }))).toBe(true);
    expect(await takes(viewOf({ lane: { ...left, holder: "ended", leaseUntilMs: nowMs } }))).toBe(true);
  });

  it("writes nothing while that run holds the lane", async () => {
    const held = { ...left, holder: "other", leaseUntilMs: nowMs + 1 };
    expect(await takes(viewOf({ lane: held }))).toBe(false);
  });

  it("writes nothing if that run has changed the order, or has settled all", async () => {
    expect(await takes(viewOf({ lane: left, orders: [orderOf({ revision: 2 })] }))).toBe(false);
    expect(await takes(viewOf({ lane: undefined, orders: [], jobs: [] }))).toBe(false);
  });

  it("works if one of several orders is unchanged", async () => {
    const orders = [orderOf({ revision: 2 }), orderOf()];
    expect(await takes(viewOf({ lane: left, orders }))).toBe(true);
  });
});
