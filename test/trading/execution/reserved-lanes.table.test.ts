import { randomUUID } from "node:crypto";
import { DeleteCommand } from "@aws-sdk/lib-dynamodb";
import { afterEach, describe, expect, it } from "vitest";
import type { Effects } from "../../../lib/orders/effects.ts";
import { waitingFor } from "../../../lib/orders/lane-reservation.ts";
import { walletKey } from "../../../lib/table/wallet-keys.ts";
import { runProcedure } from "../../../lib/trading/execution/run-procedure.ts";
import { tradingStopKey } from "../../../lib/trading/items/keys.ts";
import { readLane } from "../../../lib/trading/items/views.ts";
import type { PlaceAnswer } from "../../../lib/trading/procedures/placing.ts";
import { type RunStart, workIfNotBegun, workLane } from "../../../lib/trading/procedures/work-lane.ts";
import { tableForTests } from "../../support/dynamodb.ts";
import { interceptedTable } from "../../support/intercepted-table.ts";
import { putItems } from "../../support/items.ts";
import { setupName } from "../../support/place-request.ts";
import { wideLimits } from "../../support/trading.ts";
import { LaneBench } from "./support/lane-bench.ts";

const db = tableForTests();

/** Opens the bench of a wallet without a lane, and places an order there. */
async function placed(): Promise<{ bench: LaneBench; orderId: string; start: RunStart }> {
  const bench = await new LaneBench(db.table).open();
  const request = bench.request();
  await bench.place(request);
  return { bench, orderId: request.orderId, start: bench.start };
}

/** Runs the event that was started without the queue. */
const direct = (bench: LaneBench, start: RunStart, effects = bench.effects()) =>
  runProcedure(workLane(bench.lane, randomUUID(), wideLimits, setupName, start), effects);

/** Runs the event that came by the queue. */
const queued = (bench: LaneBench, start: RunStart) =>
  runProcedure(
    workIfNotBegun(bench.lane, start, (own) =>
      workLane(bench.lane, randomUUID(), wideLimits, setupName, own),
    ),
    bench.effects(),
  );

const viewOf = ({ lane }: LaneBench) => readLane(db.table, { lane, day: "2026-11-21" });
const orderOf = async (bench: LaneBench) => (await bench.ordersOf([bench.userID]))[0];
const sent = ({ chain, lane }: LaneBench) => chain.belongings(lane.wallet).pending;

/** Records the effects of all participants. */
function recorded(bench: LaneBench): (keyof Effects)[] {
  const names: (keyof Effects)[] = [];
  bench.wrap = (performers) =>
    Object.fromEntries(
      Object.entries(performers).map(([name, perform]) => [
        name,
        (ask: never) => {
          names.push(name as keyof Effects);
          return (perform as (ask: never) => unknown)(ask);
        },
      ]),
    );
  return names;
}

describe("the placing of an order for a wallet without a lane", () => {
  it("reserves the lane for five seconds, and plans the order's first transaction", async () => {
    const { bench, orderId, start } = await placed();
    const { lane, jobs, slots, orders } = await viewOf(bench);
    expect(start.reservation).toBe(orderId);
    expect(lane).toMatchObject({ holder: waitingFor(orderId), leaseUntilMs: bench.nowMs + 5000, jobs: 1 });
    expect(jobs).toHaveLength(1);
    expect(slots).toMatchObject([{ state: "planned", place: 0, attempts: [], revision: 1 }]);
    expect(orders).toMatchObject([{ swapNonce: 0, revision: 1, version: 1 }]);
    expect(orders[0]?.updatedAt).toBe(orders[0]?.placed.createdAt);
  });

  it("plans an approval first where a sale needs one", async () => {
    const bench = await new LaneBench(db.table).open();
    await bench.place(bench.request({ side: "sell" }));
    const { slots, orders } = await viewOf(bench);
    expect(slots).toMatchObject([{ state: "planned", call: { purpose: "approve" } }]);
    expect(orders).toMatchObject([{ approveNonces: [0], revision: 1 }]);
    await bench.work();
    expect(sent(bench)).toBe(1);
  });

  it("leaves the lane free and unplanned if the hosts' facts are too old by then", async () => {
    const bench = await new LaneBench(db.table).open();
    const request = bench.request();
    bench.nowMs += 2001;
    await bench.place(request);
    const { lane, slots } = await viewOf(bench);
    expect(bench.start.reservation).toBeUndefined();
    expect([lane?.holder, slots]).toEqual([undefined, []]);
    await bench.work();
    expect(sent(bench)).toBe(1);
  });

  it("reserves nothing for a second order, even if both are placed at once", async () => {
    const bench = await new LaneBench(db.table).open();
    const events: Effects["wake"]["ask"][] = [];
    bench.wrap = (performers) => ({
      ...performers,
      wake: (ask) => void events.push(ask) as undefined,
    });
    const requests = ["k-1", "k-2"].map((key) => bench.request({ key }));
    const answers = await Promise.all(requests.map((request) => bench.place(request)));
    expect(answers.every((answer: PlaceAnswer) => "order" in answer)).toBe(true);
    expect(events.filter(({ reservation }) => reservation !== undefined)).toHaveLength(1);
    expect((await viewOf(bench)).slots).toHaveLength(1);
    for (const { job, reservation } of events) await direct(bench, { job, reservation });
    for (let runs = 0; runs < 20 && !bench.isDone; runs++) {
      bench.mine(4);
      await direct(bench, {});
    }
    const orders = await bench.ordersOf([bench.userID]);
    expect(orders.map(({ life }) => life.status)).toEqual(["filled", "filled"]);
  });
});

describe("the first run of an order", () => {
  it("takes the lane while reading it, and asks the signer next", async () => {
    const { bench, start } = await placed();
    const names = recorded(bench);
    await direct(bench, start);
    expect(names.slice(0, names.indexOf("readSigning"))).toEqual(["now", "beginLane", "now", "sign", "now"]);
    expect(names).not.toContain("hostSnapshot");
    expect(sent(bench)).toBe(1);
  });

  it("needs six commands of DynamoDB, with those of the placing, until the signer is asked", async () => {
    const commands: string[] = [];
    const table = interceptedTable(db.table, (command) =>
      commands.push((command as object).constructor.name),
    );
    const bench = await new LaneBench(table).open();
    commands.length = 0;
    await bench.place(bench.request());
    expect(commands).toEqual(["BatchGetCommand", "TransactWriteCommand"]);
    const { start } = bench;
    const stopped = direct(bench, start, { ...bench.effects(), sign: () => ({ later: "not now" }) });
    await stopped;
    expect(commands.slice(2).toSorted()).toEqual([
      "BatchGetCommand",
      "QueryCommand",
      // Takes the lane, and leaves it in the end.
      "UpdateCommand",
      "UpdateCommand",
    ]);
  });

  it("is one run, however often it is started at once", async () => {
    const { bench, start } = await placed();
    const names = recorded(bench);
    await Promise.all([direct(bench, start), direct(bench, start), queued(bench, start)]);
    expect(names.filter((name) => name === "sign")).toHaveLength(1);
    expect(sent(bench)).toBe(1);
    const attempts = (await bench.slots()).flatMap((slot) => slot.attempts);
    expect(attempts).toHaveLength(1);
  });

  it("begins at once from the queue if the other start was lost", async () => {
    const { bench, start } = await placed();
    await queued(bench, start);
    expect(sent(bench)).toBe(1);
  });

  it("does nothing after its twin has begun, has ended, or has settled the order", async () => {
    const { bench, start } = await placed();
    const late = bench.stopAt("sign", 1);
    const first = direct(bench, start);
    await late.reached;
    bench.wrap = (same) => same;
    const names = recorded(bench);
    await direct(bench, start);
    await queued(bench, start);
    late.goOn();
    await first;
    await direct(bench, start);
    await queued(bench, start);
    expect(names).not.toContain("sign");
    for (let runs = 0; runs < 20 && !bench.isDone; runs++) {
      bench.mine(4);
      await direct(bench, {});
    }
    await direct(bench, start);
    await queued(bench, start);
    expect((await viewOf(bench)).lane).toBeUndefined();
    expect(await orderOf(bench)).toMatchObject({ life: { status: "filled" } });
  });

  it("leaves the lane to others five seconds after the placing if it never starts", async () => {
    const { bench } = await placed();
    bench.nowMs += 4999;
    await direct(bench, {});
    expect(sent(bench)).toBe(0);
    bench.nowMs += 1;
    await direct(bench, {});
    expect(sent(bench)).toBe(1);
  });

  it("takes the lane even after these five seconds, unless another run has", async () => {
    const { bench, start } = await placed();
    bench.nowMs += 60_000;
    await direct(bench, start);
    expect(sent(bench)).toBe(1);
  });

  it("is started by a repeated request, but not twice", async () => {
    const bench = await new LaneBench(db.table).open();
    const request = bench.request();
    await bench.place(request);
    const { start } = bench;
    const again = await bench.place({ ...request, orderId: "another" });
    expect(again).toMatchObject({ isReplayed: true, order: { intent: { orderId: request.orderId } } });
    await direct(bench, bench.start);
    expect(sent(bench)).toBe(1);
    const names = recorded(bench);
    await direct(bench, start);
    await queued(bench, start);
    expect(names).not.toContain("sign");
  });

  it("is started at once by a repeated request if placeOrder ended between the transaction and the event", async () => {
    const bench = await new LaneBench(db.table).open();
    const request = bench.request();
    bench.wrap = (performers) => ({
      ...performers,
      wake() {
        throw new Error("killed");
      },
    });
    await expect(bench.place(request)).rejects.toThrow("killed");
    bench.wrap = (same) => same;
    expect(await bench.place({ ...request, orderId: "another" })).toMatchObject({ isReplayed: true });
    await direct(bench, bench.start);
    expect(sent(bench)).toBe(1);
  });

  it("keeps the lane although an event names the run in place of an order", async () => {
    const { bench, start } = await placed();
    const late = bench.stopAt("sign", 1);
    const first = direct(bench, start);
    await late.reached;
    bench.wrap = (same) => same;
    const { lane } = await viewOf(bench);
    const names = recorded(bench);
    const forged = { ...start, reservation: lane?.holder };
    await direct(bench, forged);
    await queued(bench, forged);
    expect(names).not.toContain("sign");
    expect((await viewOf(bench)).lane?.holder).toBe(lane?.holder);
    late.goOn();
    await first;
    expect(sent(bench)).toBe(1);
  });
});

/** Changes that come between the placing and the first run. */
const changes: Record<string, [(bench: LaneBench, orderId: string) => Promise<unknown>, string]> = {
  "its user has cancelled the order": [(bench, orderId) => bench.cancel(orderId), "CANCELLED_BY_USER"],
  "its user has retired the wallet": [
    ({ lane: { chain, wallet }, userID }) =>
      putItems(db.table, [{ ...walletKey(userID, chain, wallet), retiredAt: "2026-11-21T20:00:00.000Z" }]),
    "WALLET_RETIRED",
  ],
  "an operator has stopped trading": [() => putItems(db.table, [tradingStopKey("eth")]), "TRADING_DISABLED"],
};

describe("a first run that begins late", () => {
  afterEach(async () => {
    await db.table.client.send(new DeleteCommand({ TableName: db.table.name, Key: tradingStopKey("eth") }));
  });

  it.each(Object.entries(changes))(
    "removes the plan and signs nothing if %s",
    async (_, [change, reason]) => {
      const { bench, orderId, start } = await placed();
      await change(bench, orderId);
      const names = recorded(bench);
      await direct(bench, start);
      expect(names).not.toContain("sign");
      expect(await orderOf(bench)).toMatchObject({ life: { reasonCode: reason, settled: true } });
      expect(await bench.slots()).toEqual([]);
      expect(bench.isDone).toBe(true);
    },
  );

  it.each(Object.entries(changes))(
    "gets no signature if it has read before %s",
    async (_, [change, reason]) => {
      const { bench, orderId, start } = await placed();
      const late = bench.stopAt("sign", 1);
      const run = direct(bench, start);
      await late.reached;
      await change(bench, orderId);
      late.goOn();
      await run;
      expect(sent(bench)).toBe(0);
      bench.wrap = (same) => same;
      await direct(bench, {});
      expect(await orderOf(bench)).toMatchObject({ life: { reasonCode: reason } });
      expect(await bench.slots()).toEqual([]);
    },
  );
});
