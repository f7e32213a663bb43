import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type OperationName, operations } from "../../../lib/operations/operations.ts";
import type { Operation } from "../../../lib/operations/types.ts";
import { afterSights } from "../../../lib/orders/resting/life.ts";
import { shownResting } from "../../../lib/orders/resting/shown.ts";
import { storedAfter, triggerOf } from "../../../lib/orders/resting/stored.ts";
import { readChange } from "../../../lib/realtime/read-change.ts";
import type { Write } from "../../../lib/table/step.ts";
import { queryRange, type Table } from "../../../lib/table/table.ts";
import { write } from "../../../lib/table/write.ts";
import { packed } from "../../../lib/trading/items/items.ts";
import {
  restingKey,
  restingOf,
  triggerKey,
  triggerParts,
  triggersOf,
} from "../../../lib/trading/items/keys.ts";
import { storedOrder } from "../../orders/resting/fixtures.ts";
import { type Engine, engineStart, startTable } from "../../support/dynamodb.ts";
import { gatedTable } from "../../support/gated-table.ts";
import { itemsNamed, putItems } from "../../support/items.ts";
import { streamRecord } from "../../support/stream.ts";
import { access, roleOf, tableArn } from "./roles.ts";

const order = storedOrder();
const key = restingKey(order.mandate);
const trigger = triggerKey(order.mandate);
const items = [
  { ...key, ...(packed(order) as object) },
  { ...trigger, ...(packed(triggerOf(order)) as object) },
];

let engine: Engine;
let table: Table;
beforeAll(async () => {
  engine = await startTable();
  table = await engine.newTable();
  await putItems(table, items);
}, engineStart);
afterAll(() => engine.stop());

/** Opens the table as a function's code reaches it. */
const tableOf = (name: OperationName) =>
  gatedTable(
    engine,
    table,
    { name: roleOf(name), access, tableArn },
    { leadingKeys: "each-part", onDenial: () => undefined },
  );

const withTable = Object.entries<Operation>(operations).filter(([, row]) => row.table.length > 0);
const names = withTable.map(([name]) => name as OperationName);

const canceling = ["cancelOrder", "cancelOrders", "deleteKey"];
const attacks: readonly [string, readonly string[], Exclude<Write, { kind: "check" }>][] = [
  [
    "changes the prices of a resting order",
    ["placeOrder", "cancelOrders", "deleteKey", "fireOrders"],
    { kind: "change", key, set: { legs: [] } },
  ],
  ["ends a resting order unseen", [...canceling, "fireOrders"], { kind: "remove", key }],
  [
    "changes a trigger",
    ["placeOrder", "cancelOrders", "deleteKey", "fireOrders"],
    { kind: "change", key: trigger, set: { legs: [] } },
  ],
  ["removes a trigger", [...canceling, "fireOrders"], { kind: "remove", key: trigger }],
];

describe("resting orders, if a function is taken over", () => {
  it.each(attacks)(
    "denies a function that %s, except %j, alone or in a transaction",
    async (_, mayDo, single) => {
      for (const name of names.filter((each) => !mayDo.includes(each)))
        for (const step of [single, [single]])
          await expect(write(tableOf(name), step), name).rejects.toThrow(/not authorized/);
      expect(await itemsNamed(table, "")).toHaveLength(items.length);
    },
  );

  it("shows prices to no function but those that place, fire, end or show resting orders", async () => {
    const readers = ["placeOrder", "fireOrders", ...canceling, "retireWallet", "listOrders", "getOrder"];
    const parts = Array.from({ length: triggerParts }, (_, part) => triggersOf("base", part));
    for (const name of names) {
      const read = () => queryRange(tableOf(name), restingOf("alice"));
      if (!readers.includes(name)) await expect(read(), name).rejects.toThrow(/not authorized/);
      if (["watchTriggers", "fireOrders"].includes(name)) continue;
      for (const range of parts)
        await expect(queryRange(tableOf(name), range), name).rejects.toThrow(/not authorized/);
    }
  });

  it("announces an order that placeOrder plants without a record, to its user", () => {
    const [planted] = items;
    expect(readChange(streamRecord(planted))).toMatchObject({
      of: "execution",
      userID: "alice",
      execution: shownResting(order),
    });
  });

  it("announces each order that fireOrders or a cancellation ends and leaves in place", () => {
    const end = { nowMs: 0, isCancelled: true, isRetired: false, isVoid: false, isSettled: true };
    const ended = afterSights(order, () => ({ is: "out" }), end);
    const item = { ...key, ...(packed(storedAfter(order, ended, order.facts, 0)) as object) };
    expect(readChange(streamRecord(item, items[0]))).toMatchObject({ execution: { status: "cancelled" } });
  });
});
