import { DeleteCommand, GetCommand, TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import * as v from "valibot";
import { beforeEach, describe, expect, it } from "vitest";
import type { Evm } from "../../../lib/chains/evm/rules/family.ts";
import { evmSlots } from "../../../lib/chains/evm/rules/slot-rules.ts";
import { cancelling } from "../../../lib/orders/cancelling.ts";
import { raisedByOne, raisedTo, unchangedCutoffs } from "../../../lib/orders/cutoffs.ts";
import type { LaneView } from "../../../lib/orders/effects.ts";
import { executionIn, type StoredExecution } from "../../../lib/orders/execution.ts";
import type { LaneKey } from "../../../lib/orders/intent.ts";
import { leaveStep, settleStep, takeStep } from "../../../lib/orders/lane-steps.ts";
import { restingStep } from "../../../lib/orders/resting/resting-step.ts";
import { triggerTerms } from "../../../lib/orders/resting/schemas.ts";
import { shownResting } from "../../../lib/orders/resting/shown.ts";
import { triggerOf } from "../../../lib/orders/resting/stored.ts";
import type { SlotRules } from "../../../lib/orders/slot-rules.ts";
import { type CutoffScope, type Items, type TradeStep, unchanged } from "../../../lib/orders/table-step.ts";
import { shownOrder, type TradeOrder } from "../../../lib/orders/trade-order.ts";
import { earnedKey } from "../../../lib/rewards/item-keys.ts";
import type { Key } from "../../../lib/table/keys.ts";
import { type Item, queryRange } from "../../../lib/table/table.ts";
import { runProcedure } from "../../../lib/trading/execution/run-procedure.ts";
import { tableEffects } from "../../../lib/trading/execution/table-effects.ts";
import { contentOf, unpacked } from "../../../lib/trading/items/items.ts";
import {
  cancellationKey,
  cutoffKey,
  cutoffPartKeys,
  executionKey,
  laneKey,
  listedExecutionKey,
  restingKey,
  restingOf,
  tradeKey,
  triggerKey,
  triggerParts,
  triggersOf,
} from "../../../lib/trading/items/keys.ts";
import { homeShard } from "../../../lib/trading/items/lane-places.ts";
import { laneOrdersOf } from "../../../lib/trading/items/lane-records.ts";
import { readListed } from "../../../lib/trading/items/listed-executions.ts";
import { readOrder } from "../../../lib/trading/items/views.ts";
import { writeStep } from "../../../lib/trading/items/write-step.ts";
import { storedOrder } from "../../orders/resting/fixtures.ts";
import { tableForTests } from "../../support/dynamodb.ts";
import { interceptedTable } from "../../support/intercepted-table.ts";
import { putItems } from "../../support/items.ts";
import { attempt, laneView } from "../../support/lane-states.ts";
import { jobOf, laneOf, newOrder, placing, putWallet } from "../../support/placed-orders.ts";
import { slot } from "../../support/trading.ts";

const db = tableForTests();

/** Creates an order of a separate wallet, so that tests do not interfere. */
let order: TradeOrder<Evm>;
let lane: LaneKey;

const write = (...step: TradeStep) => writeStep(db.table, step);

const someLane = { chain: "eth", wallet: "0x0" } as const;

const get = async (Key: Key) =>
  (await db.table.client.send(new GetCommand({ TableName: db.table.name, Key, ConsistentRead: true }))).Item;

const shown = ({ intent: { userID, orderId } }: TradeOrder<Evm>) =>
  get(executionKey(userID, "order", orderId));

beforeEach(() => {
  order = newOrder();
  lane = laneOf(order);
});

describe("writeStep", () => {
  it("writes a whole step, or nothing if a condition fails", async () => {
    expect(await write(...placing(order))).toBe(true);
    const other = newOrder(lane);
    const again = { kind: "put", of: "job", item: jobOf(order), when: "absent" } as const;
    expect(await write(...placing(other).slice(0, 2), again)).toBe(false);
    expect(await shown(other)).toBeUndefined();
    expect(await laneOrdersOf(db.table, lane)).toEqual([order]);
  });

  it("writes a resting order, its trigger and its record, and at its end leaves the record and the order", async () => {
    const resting = storedOrder({ userID: "rester" });
    const { mandate } = resting;
    const keys = {
      resting: restingKey(mandate),
      trigger: triggerKey(mandate),
      shown: executionKey(mandate.userID, "order", mandate.orderId),
      listed: listedExecutionKey(
        mandate.userID,
        "order",
        new Date(resting.placed.createdAt),
        mandate.orderId,
      ),
      rested: tradeKey(mandate.userID, mandate.orderId),
    };
    const stored = async (name: keyof typeof keys) => {
      const item = await get(keys[name]);
      return item && unpacked(item);
    };
    expect(await write(...restingStep(resting, "absent"))).toBe(true);
    expect(await write(...restingStep(resting, "absent"))).toBe(false);
    expect(await stored("resting")).toEqual({ ...keys.resting, ...resting });
    expect(await queryRange(db.table, restingOf("rester"))).toMatchObject([keys.resting]);
    const parts = Array.from({ length: triggerParts }, (_, part) => triggersOf("base", part));
    const triggers = await Promise.all(parts.map((part) => queryRange(db.table, part)));
    expect(triggers.flat()).toMatchObject([keys.trigger]);
    expect(v.parse(triggerTerms, contentOf("trigger", (await get(keys.trigger)) as Item))).toEqual(
      triggerOf(resting),
    );
    for (const name of ["shown", "listed"] as const) {
      const item = await get(keys[name]);
      expect(item).not.toHaveProperty("expiresAt");
      expect(executionIn(item as StoredExecution)).toMatchObject({
        ...shownResting(resting),
        lane: "base#0xf39F",
      });
    }

    const end = { status: "cancelled", reasonCode: "CANCELLED_BY_USER" } as const;
    const done = { ...resting, state: "done", end, revision: 2, version: 2 } as const;
    expect(await write(...restingStep(done, { revision: 2, version: 1 }))).toBe(false);
    expect(await write(...restingStep(done, resting))).toBe(true);
    expect(await stored("resting")).toBeUndefined();
    expect(await stored("trigger")).toBeUndefined();
    expect(await stored("rested")).toEqual({ ...keys.rested, ...done });
    for (const name of ["shown", "listed"] as const)
      expect(await get(keys[name])).toMatchObject({ status: "cancelled", version: 2 });
  });

  it("records repeated cancellations only once", async () => {
    await write(...placing(order));
    const { userID, orderId } = order.intent;
    const effects = {
      ...tableEffects(db.table),
      now: () => Date.parse("2026-11-21T20:00:00.000Z"),
      wake: () => undefined,
    };
    const cancel = () => runProcedure(cancelling(userID, orderId), effects);
    expect(await cancel()).toMatchObject({ order: { life: { status: "cancelled" } } });
    const key = cancellationKey(order.intent);
    const noted = { ...key, userID, orderId };
    expect(await get(key)).toEqual(noted);
    // Restores the cancelled order, as an attacker with write access could.
    await write({ kind: "put", of: "order", item: order, when: {} });
    expect(await cancel()).toMatchObject({ order: { life: { status: "cancelled" } } });
    expect(await get(key)).toEqual(noted);
  });

  it.each<Omit<CutoffScope, "userID">>([{}, { chain: "eth" }])(
    "raises all parts of a user's cutoff with one transaction, or none: %o",
    async (chain) => {
      const userID = `raiser ${newOrder().intent.userID}`;
      const scope = { userID, ...chain };
      const field = chain.chain ?? "before";
      const parts = () => Promise.all(cutoffPartKeys(userID).map(get));
      const each = (time: number) => cutoffPartKeys(userID).map((key) => ({ ...key, userID, [field]: time }));
      const sent: string[] = [];
      const watched = interceptedTable(
        db.table,
        (command) => void sent.push(String(command?.constructor.name)),
      );
      expect(await writeStep(watched, [raisedTo(scope, 5)])).toBe(true);
      expect(sent).toEqual(["TransactWriteCommand"]);
      expect(await parts()).toEqual(each(5));
      expect(await write(raisedByOne(scope))).toBe(true);
      expect(await parts()).toEqual(each(6));
      const [, ahead] = each(9);
      if (ahead) await putItems(db.table, [ahead]);
      const before = await parts();
      expect(await write(raisedTo(scope, 8))).toBe(false);
      expect(await parts()).toEqual(before);
    },
  );

  it("checks items for two lanes of a user that differ unless the lanes have the same part", async () => {
    const { userID } = order.intent;
    const lanes = Array.from({ length: 100 }, (_, at) => ({ chain: "eth", wallet: `0x${at}` }) as const);
    const parts = new Set<string>();
    for (const other of lanes) {
      const { SK } = cutoffKey({ userID, lane: other });
      const checked: Key[] = [];
      const watched = interceptedTable(db.table, (command) => {
        if (!(command instanceof TransactWriteCommand)) return;
        for (const { ConditionCheck } of command.input.TransactItems ?? [])
          if (ConditionCheck) checked.push(ConditionCheck.Key as Key);
      });
      expect(await writeStep(watched, unchangedCutoffs({ ...other, userID }, {}))).toBe(true);
      expect(checked).toEqual([cutoffKey({ userID, lane: other }), cutoffKey({ userID, ...other })]);
      parts.add(SK);
    }
    expect(parts.size).toBeGreaterThan(24);
    expect(cutoffPartKeys(userID).map((key) => key.SK)).toEqual(expect.arrayContaining([...parts]));
    const { wallet } = lane;
    expect(cutoffKey({ userID, lane: { chain: "base", wallet } })).not.toEqual(cutoffKey({ userID, lane }));
  });

  it("publishes and lists only the public part of an order", async () => {
    await write(...placing(order));
    const { userID, orderId } = order.intent;
    expect(await shown(order)).toEqual({
      ...executionKey(userID, "order", orderId),
      ...shownOrder(order),
      userID,
      lane: `eth#${lane.wallet}`,
    });
    const list = await readListed(db.table, { userID, kind: "order" }, { filter: {}, limit: 5 });
    expect(list.executions).toEqual([expect.objectContaining(shownOrder(order))]);
    expect(JSON.stringify(await shown(order))).not.toContain(order.mac);
    expect(await get(tradeKey(userID, orderId))).toMatchObject({ mac: "mac" });
  });

  it("publishes an order again only if its version has changed", async () => {
    await write(...placing(order));
    const unseen = { ...order, approveNonces: [1], revision: 2 };
    const seen = { ...order, amount: 1n, revision: 3, version: 2 };
    expect(await write({ kind: "put", of: "order", item: unseen, when: unchanged(order) })).toBe(true);
    expect(await shown(order)).toMatchObject({ version: 1, amount: "0.5" });
    expect(await readOrder(db.table, order.intent.userID, order.intent.orderId)).toMatchObject({
      order: unseen,
    });
    expect(await write({ kind: "put", of: "order", item: seen, when: unchanged(unseen) })).toBe(true);
    expect(await shown(order)).toMatchObject({ version: 2, amount: "0.000000000000000001" });
  });

  it("moves a position in its lists if its first fill moves to another block", async () => {
    const userID = "mover";
    const position = {
      positionId: "p1",
      userID,
      ...lane,
      symbol: "MOON/ETH",
      status: "open",
      amount: "1",
      averageEntryPrice: "1",
      realizedPnl: "0",
      openedAt: "2026-11-21T20:00:01.000Z",
      updatedAt: "2026-11-21T20:00:02.000Z",
      version: 1,
    } as const;
    const moved = { ...position, openedAt: "2026-11-21T20:00:13.000Z", version: 2 };
    const { version, openedAt } = position;
    await write({ kind: "put", of: "position", item: position, when: "absent" });
    const again = { kind: "put", of: "position", item: moved, when: { version, openedAt } } as const;
    expect(await write(again)).toBe(true);
    expect(await write(again)).toBe(false);
    const { executions } = await readListed(db.table, { userID, kind: "position" }, { filter: {}, limit: 9 });
    expect(executions).toEqual([expect.objectContaining(moved)]);
    expect(await get(executionKey(userID, "position", "p1"))).toMatchObject(moved);
  });

  it("never overwrites another engine's order", async () => {
    const { userID, orderId } = order.intent;
    await putItems(db.table, [{ ...executionKey(userID, "order", orderId), version: 9 }]);
    expect(await write({ kind: "put", of: "order", item: order, when: "absent" })).toBe(false);
  });

  it.each<[string, Items["lane"], boolean]>([
    ["has these values", { ...someLane, holder: "me", jobs: 1 }, true],
    ["has another value", { ...someLane, holder: "you", jobs: 1 }, false],
    ["lacks a value", { ...someLane, jobs: 1 }, false],
    ["has a value that must be absent", { ...someLane, holder: "me", leaseUntilMs: 5, jobs: 1 }, false],
  ])("checks whether an item %s", async (_, item, holds) => {
    const own = { ...item, ...lane };
    await write({ kind: "put", of: "lane", item: own, when: "absent" });
    const when = { holder: "me", leaseUntilMs: undefined };
    expect(await write({ kind: "check", of: "lane", item: own, when })).toBe(holds);
  });

  it("finds no values in a missing item", async () => {
    const when = { leaseUntilMs: undefined };
    expect(await write({ kind: "check", of: "lane", item: lane, when })).toBe(false);
    expect(await write({ kind: "remove", of: "lane", item: lane, when })).toBe(false);
  });

  it("creates a lane, counts its jobs, and changes its holder", async () => {
    const add = { kind: "change", of: "lane", item: lane, add: { jobs: 1 } } as const;
    await write(add);
    await write(add);
    const taken = { holder: "me", leaseUntilMs: 7 };
    expect(
      await write({
        kind: "change",
        of: "lane",
        item: lane,
        set: taken,
        when: { holder: undefined, jobs: 2 },
      }),
    ).toBe(true);
    expect(await get(laneKey(lane, homeShard(lane)))).toMatchObject({ ...lane, ...taken, jobs: 2 });
    const watch = { jobs: 2, blocks: { "0x1": "" } };
    const leave = {
      kind: "change",
      of: "lane",
      item: lane,
      set: { watch, holder: undefined, leaseUntilMs: undefined },
      when: { holder: "me" },
    } as const;
    expect(await write({ ...leave, when: { holder: "you" } })).toBe(false);
    expect(await write(leave)).toBe(true);
    expect(await get(laneKey(lane, homeShard(lane)))).toEqual({
      ...laneKey(lane, homeShard(lane)),
      ...lane,
      jobs: 2,
      watch,
    });
    expect(await write({ kind: "remove", of: "lane", item: lane, when: { jobs: 2 } })).toBe(true);
    expect(await get(laneKey(lane, homeShard(lane)))).toBeUndefined();
  });

  it.each([
    ["the user has", {}, true],
    ["is retired", { retiredAt: "2026-11-21T20:00:00.000Z" }, false],
  ])("checks whether a wallet %s", async (_, changes, holds) => {
    const check = {
      kind: "check",
      of: "wallet",
      item: { ...lane, userID: "u" },
      when: { retiredAt: undefined },
    } as const;
    expect(await write(check)).toBe(false);
    await putWallet(db.table, lane, "u", changes);
    expect(await write(check)).toBe(holds);
  });

  /** Loses the first response, so that the SDK repeats the call. */
  async function losingAnAnswer(act: () => Promise<void>): Promise<void> {
    let sent = 0;
    const { client } = db.table;
    const name = { name: "loseFirstAnswer", step: "deserialize", priority: "high" } as const;
    client.middlewareStack.add(
      (next) => async (args) => {
        const isFirst = ++sent === 1;
        const output = await next(args);
        if (isFirst) throw Object.assign(new Error("broken off"), { code: "ECONNRESET" });
        return output;
      },
      name,
    );
    try {
      await act();
    } finally {
      client.middlewareStack.remove(name.name);
    }
    expect(sent).toBeGreaterThan(1);
  }

  it("adds a value only once if the SDK repeats a step after a lost response", async () => {
    await losingAnAnswer(async () => {
      expect(await write({ kind: "change", of: "lane", item: lane, add: { jobs: 1 } })).toBe(true);
    });
    expect(await get(laneKey(lane, homeShard(lane)))).toMatchObject({ jobs: 1 });
  });

  it("gives a lane to the run whose first response was lost, and to no other", async () => {
    await write({ kind: "change", of: "lane", item: lane, add: { jobs: 1 } });
    await losingAnAnswer(async () => expect(await write(...takeStep(lane, "me", 5))).toBe(true));
    expect(await get(laneKey(lane, homeShard(lane)))).toMatchObject({ holder: "me" });
    expect(await write(...takeStep(lane, "you", 6))).toBe(false);
  });

  it("leaves a lane only once if the first response was lost, although the repetition is refused", async () => {
    await write({ kind: "change", of: "lane", item: lane, add: { jobs: 1 } });
    await write(...takeStep(lane, "me", 5));
    const view = { lane: { ...lane, jobs: 1 }, jobs: [], slots: [], orders: [] } as unknown as LaneView<Evm>;
    const leaving = leaveStep({ view, rules: evmSlots, holder: "me", nowMs: 6 });
    await losingAnAnswer(async () => expect(await write(...leaving)).toBe(false));
    expect(await get(laneKey(lane, homeShard(lane)))).toEqual({
      ...laneKey(lane, homeShard(lane)),
      ...lane,
      jobs: 1,
      watch: expect.anything(),
    });
    expect(await write(...takeStep(lane, "you", 7))).toBe(true);
  });

  it("records once what a fill has earned if the first response was lost or the step is repeated", async () => {
    const block = { number: 9, hash: "0xb9", time: Date.parse("2026-11-21T20:00:12.000Z") / 1000 };
    const life = { ...order.life, status: "filled", stage: "done", spent: 7n, received: 9n } as const;
    const filled = { ...order, life };
    const fee = { gasUsed: 1n, gasPrice: 1n, l1Fee: 0n, fee: 1n };
    const receipt = { hash: "0x1", block, ...fee, status: "ok", spent: 7n, received: 9n } as const;
    const mined = slot({ state: "mined", attempts: [attempt()], receipt }, order.intent);
    await write(...placing(filled), { kind: "put", of: "slot", item: mined, when: "absent" });
    await write(...takeStep(lane, "me", 5));
    const view = laneView(filled, { lane: { ...lane, jobs: 1 }, slots: [mined] }) as LaneView;
    const run = { view, rules: evmSlots as SlotRules, holder: "me", nowMs: 6 };
    const step = settleStep(run, filled, life);
    await losingAnAnswer(async () => expect(await write(...step)).toBe(true));
    const { userID, orderId, token } = order.intent;
    const at = "1970-01-01T00:00:00.006Z";
    const key = earnedKey(userID, at, orderId);
    const row = { kind: "fill", userID, orderId, chain: "eth", token, side: "buy", coinUnits: "7" };
    expect(await get(key)).toEqual({ ...key, ...row, filledAt: "2026-11-21T20:00:12.000Z", at });
    // A credit has removed the row meanwhile.
    await db.table.client.send(new DeleteCommand({ TableName: db.table.name, Key: key }));
    expect(await write(...step)).toBe(false);
    expect(await get(key)).toBeUndefined();
  });

  it("throws instead of returning false if the outcome of a step is unknown", async () => {
    const broken = interceptedTable(
      db.table,
      () => {},
      (command) => {
        if (command instanceof TransactWriteCommand) throw new Error("no answer");
      },
    );
    await expect(
      writeStep(broken, [{ kind: "change", of: "lane", item: lane, add: { jobs: 1 } }]),
    ).rejects.toThrow("no answer");
  });
});
