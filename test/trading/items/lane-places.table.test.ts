import { describe, expect, it } from "vitest";
import type { Evm } from "../../../lib/chains/evm/rules/family.ts";
import type { LaneKey } from "../../../lib/orders/intent.ts";
import { takeStep } from "../../../lib/orders/lane-steps.ts";
import type { ItemWrite } from "../../../lib/orders/table-step.ts";
import type { TradeOrder } from "../../../lib/orders/trade-order.ts";
import { queryRange, type Table } from "../../../lib/table/table.ts";
import { jobsAndSlotsOf } from "../../../lib/trading/items/keys.ts";
import { homeShard } from "../../../lib/trading/items/lane-places.ts";
import { readLane, readLanes, readPlacing } from "../../../lib/trading/items/views.ts";
import { writeStep } from "../../../lib/trading/items/write-step.ts";
import { tableForTests } from "../../support/dynamodb.ts";
import { laneOf, newOrder, placing } from "../../support/placed-orders.ts";

const db = tableForTests();

const day = "2026-11-21";

/** Returns the table of a process with this number of shards, before the process has recorded that number. */
const tableWith = (laneShards: number): Table => ({ ...db.table, laneShards });

/** Creates an order of a new wallet whose lane belongs to a different shard when the number of shards changes. */
function orderThatMoves(from: number, to: number): TradeOrder<Evm> {
  const order = newOrder();
  const { wallet } = order.intent;
  const moves = homeShard({ wallet }, { laneShards: from }) !== homeShard({ wallet }, { laneShards: to });
  return moves ? order : orderThatMoves(from, to);
}

const lanesNow = async ({ chain, wallet }: LaneKey, table: Table = db.table) =>
  (await readLanes(table, chain)).filter((each) => each.wallet === wallet);

/** Places an order on the existing lane or a new one. Tries again whenever another process is faster. */
async function place(table: Table, order: TradeOrder<Evm>): Promise<void> {
  const lane = laneOf(order);
  for (let isWritten = false; !isWritten; ) {
    const { jobs } = await readPlacing(table, { lane, day, userID: order.intent.userID });
    const when = jobs === undefined ? "absent" : { jobs };
    const change: ItemWrite = { kind: "change", of: "lane", item: lane, add: { jobs: 1 }, when };
    isWritten = await writeStep(table, [...placing(order).filter(({ of }) => of !== "lane"), change]);
  }
}

/** Takes a lane, removes its jobs, and finally the lane itself. Returns the number of jobs. */
async function settleAll(table: Table, lane: LaneKey, holder: string): Promise<number> {
  if (!(await writeStep(table, takeStep(lane, holder, Date.now())))) return 0;
  for (let settled = 0; ; ) {
    const view = await readLane(table, { lane, day });
    const [job] = view.jobs;
    if (view.lane?.holder !== holder || job === undefined) return settled;
    const { jobs } = view.lane;
    const ending: ItemWrite =
      jobs === 1
        ? { kind: "remove", of: "lane", item: lane, when: { holder, jobs } }
        : { kind: "change", of: "lane", item: lane, add: { jobs: -1 }, when: { holder } };
    const { orderId } = job;
    const removal: ItemWrite = { kind: "remove", of: "job", item: { ...lane, orderId }, when: { orderId } };
    if (await writeStep(table, [ending, removal])) settled++;
  }
}

describe("a lane", () => {
  it.each([
    [2, 16],
    [16, 2],
    [5, 1],
  ])(
    "finds a lane after the number of shards changes from %i to %i, even in processes with the old number",
    async (from, to) => {
      const order = orderThatMoves(from, to);
      const lane = laneOf(order);
      const [before, after] = [tableWith(from), tableWith(to)];
      await place(before, order);
      expect(await lanesNow(lane, after)).toEqual([{ ...lane, jobs: 1 }]);
      await place(after, newOrder(lane));
      await place(before, newOrder(lane));
      expect(await lanesNow(lane, before)).toEqual([{ ...lane, jobs: 3 }]);
      expect(await settleAll(after, lane, "me")).toBe(3);
      await place(after, newOrder(lane));
      // A process with the old number still finds a lane created with the new one.
      expect(await lanesNow(lane, tableWith(from))).toEqual([{ ...lane, jobs: 1 }]);
      expect((await readLane(before, { lane, day })).lane).toEqual({ ...lane, jobs: 1 });
      expect(await settleAll(before, lane, "you")).toBe(1);
      expect(await lanesNow(lane)).toEqual([]);
      expect(await queryRange(db.table, jobsAndSlotsOf(lane))).toEqual([]);
    },
  );

  it("keeps one lane per wallet while processes with different numbers of shards work at the same time", async () => {
    const numbers = [1, 2, 3, 16];
    const lane = laneOf(newOrder());
    const rounds = [1, 2, 3];
    const settled: number[] = [];
    const writers = numbers.map(async (number) => {
      for (const _ of rounds) {
        await place(tableWith(number), newOrder(lane));
        settled.push(await settleAll(tableWith(number), lane, `run of ${number}`));
      }
    });
    await Promise.all(writers);
    settled.push(await settleAll(db.table, lane, "last run"));
    expect(settled.reduce((sum, each) => sum + each)).toBe(rounds.length * numbers.length);
    expect(await lanesNow(lane)).toEqual([]);
    expect(await queryRange(db.table, jobsAndSlotsOf(lane))).toEqual([]);
  });
});
