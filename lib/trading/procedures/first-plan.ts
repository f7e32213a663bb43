import { laneCoreOf } from "../../chains/families/lane.ts";
import type { LaneView, PlacingView } from "../../orders/effects.ts";
import type { FamilyTypes, SlotTerms } from "../../orders/family.ts";
import { afterStep } from "../../orders/lane-steps.ts";
import type { ItemWrite, Job } from "../../orders/table-step.ts";
import type { TradeOrder } from "../../orders/trade-order.ts";

/** An order that its placing has planned, and the slots of the plan. */
export type FirstPlan = { order: TradeOrder; slots: readonly SlotTerms[] };

/** Maximum number of a run's writes that a plan may consist of. Families need at most one. */
const mostWrites = 3;

/** True for a write that the transaction of the placing contains, or can contain. */
const isOfPlan = ({ kind, of }: ItemWrite): boolean =>
  (kind === "check" && of === "lane") || (kind === "put" && (of === "order" || of === "slot"));

/**
 * Computes the plan that the order's first run would write, from the facts that its job has for that run. Undefined
 * unless that run would have a transaction signed next. The wallet must have no lane.
 */
export function firstPlan(
  order: TradeOrder,
  job: Job,
  { view: known, setup, nowMs }: { view: PlacingView; setup: FamilyTypes["setup"]; nowMs: number },
): FirstPlan | undefined {
  const { chain, wallet, userID } = job;
  const core = laneCoreOf(chain);
  const holder = "";
  let view: LaneView = {
    lane: { chain, wallet, jobs: 1, holder },
    jobs: [job],
    slots: [],
    orders: [order],
    // Leaves out what no first plan depends on: books, and the gas price of later attempts.
    books: [],
    maxGasPrices: new Map(),
    retired: new Set(),
    cancelled: new Set(),
    limits: new Map([[userID, known.limits]]),
    bytes: new Map(),
    isStopped: known.isStopped,
  };
  const { limits: chainLimits } = setup;
  const run = {
    rules: core.rules,
    holder,
    nowMs,
    sendings: new Map(),
    isPatient: true,
    chainLimits,
    arePlaced: true,
  };
  const snapshots = core.placedSnapshots({ ...run, view }, setup.name);
  if (snapshots === undefined) return undefined;
  for (let writes = 0; writes <= mostWrites; writes++) {
    const move = core.nextMove({ ...run, view, snapshots });
    const [planned = order] = view.orders;
    if (move.kind === "sign") return { order: unrevised(planned, order), slots: view.slots };
    if (move.kind !== "write" || !move.step.every(isOfPlan)) return undefined;
    view = afterStep(view, move.step);
  }
  return undefined;
}

/** Keeps an order's first version, because no earlier one is stored, and no run has touched it. */
const unrevised = (planned: TradeOrder, { revision, version, updatedAt }: TradeOrder): TradeOrder => ({
  ...planned,
  revision,
  version,
  updatedAt,
});
