import { describe, expect, it } from "vitest";
import type { LaneKey } from "../../lib/orders/intent.ts";
import { afterFiring } from "../../lib/orders/resting/life.ts";
import { restingStep } from "../../lib/orders/resting/resting-step.ts";
import { statusOf } from "../../lib/orders/resting/shown.ts";
import { storedAfter } from "../../lib/orders/resting/stored.ts";
import { endProgramKey } from "../../lib/programs/end-program-key.ts";
import type { Table } from "../../lib/table/table.ts";
import { readParent } from "../../lib/trading/items/resting-records.ts";
import { readOrder } from "../../lib/trading/items/views.ts";
import { writeStep } from "../../lib/trading/items/write-step.ts";
import { mandateHash, nowMs, storedOrder } from "../orders/resting/fixtures.ts";
import { tableForTests } from "../support/dynamodb.ts";
import { interceptedTable } from "../support/intercepted-table.ts";
import { putItems } from "../support/items.ts";
import { laneOf, newOrder, placing } from "../support/placed-orders.ts";
import { programKeyItem } from "../support/program-keys.ts";
import { shortPausesForTests } from "../support/short-pauses.ts";
import { keyId, tradingKey } from "../support/trading-keys.ts";

const db = tableForTests();
shortPausesForTests();

const other = "pk_another_key_of_the_user";

let count = 0;
const idOf = () => `01KAMZ3Q5T9WJ2M4N6P8K${String(++count).padStart(5, "0")}`;

type By = { by?: string };

/** Opens a user with orders of a key, of another key and of the user. */
async function opened() {
  const userID = `user ${idOf()}`;
  await putItems(db.table, [programKeyItem(tradingKey({ userID }))]);
  const lanes: LaneKey[] = [];

  async function place(by: By) {
    const order = newOrder({ userID, orderId: idOf(), ...by });
    lanes.push(laneOf(order));
    await writeStep(db.table, placing(order));
    return order.intent.orderId;
  }

  /** Lets an order rest. With `isOut`, it has a child out. */
  async function rest(by: By, isOut = false) {
    const order = storedOrder({ userID, orderId: idOf(), ...by });
    const { orderId, chain, wallet, token } = order.mandate;
    await writeStep(db.table, restingStep(order, "absent"));
    if (!isOut) return { orderId, child: undefined };
    const parent = { orderId, mandate: mandateHash, leg: 0, n: 1 };
    const child = newOrder({ userID, chain, wallet, token, orderId: idOf(), parent, ...by });
    const out = { orderId: child.intent.orderId, leg: 0, validUntil: nowMs / 1000 + 60 };
    const fired = afterFiring(order, { ...out, price: "2", block: 1 });
    const stored = storedAfter(order, fired, order.facts, nowMs);
    lanes.push({ chain, wallet });
    await writeStep(db.table, [...placing(child), ...restingStep(stored, order)]);
    return { orderId, child: child.intent.orderId };
  }

  const own = { by: keyId };
  const orders = [await place(own), await place(own)];
  const [alone, firing] = [await rest(own), await rest(own, true)];
  const others = [await place({}), await place({ by: other })];
  const restingOthers = [await rest({}), await rest({ by: other })];
  const woken: string[] = [];

  const lifeOf = async (orderId: string) =>
    (await readOrder(db.table, userID, orderId)).order?.life.status ?? "gone";
  const restOf = async (orderId: string) => {
    const found = await readParent(db.table, userID, orderId);
    if (found === undefined) return "gone";
    return statusOf(found) === "open" && found.isCancelling ? "cancelling" : statusOf(found);
  };
  return {
    userID,
    woken,
    remove: (table: Table = db.table, owner = userID) =>
      endProgramKey(
        {
          table,
          wake: ({ lane }) => void woken.push(lane.wallet),
          nowMs: () => nowMs,
          lanesOf: async () => [...new Map(lanes.map((lane) => [lane.wallet, lane])).values()],
        },
        { userID: owner, keyId },
        new Date(nowMs),
      ),
    states: async () => ({
      own: await Promise.all([...orders, firing.child ?? ""].map(lifeOf)),
      resting: await Promise.all([alone.orderId, firing.orderId].map(restOf)),
      others: await Promise.all(others.map(lifeOf)),
      restingOthers: await Promise.all(restingOthers.map(({ orderId }) => restOf(orderId))),
    }),
  };
}

const done = {
  own: ["cancelled", "cancelled", "cancelled"],
  resting: ["cancelled", "cancelling"],
  others: ["open", "open"],
  restingOthers: ["open", "open"],
};

describe("endProgramKey", () => {
  it("revokes a key, and cancels its open and resting orders, and nothing else", async () => {
    const { remove, states, woken } = await opened();
    expect(await remove()).toMatchObject({ keyId, revokedAt: new Date(nowMs).toISOString() });
    expect(await states()).toEqual(done);
    expect(woken).toHaveLength(3);
    expect(new Set(woken).size).toBe(3);
    expect(await remove()).toMatchObject({ revokedAt: new Date(nowMs).toISOString() });
    expect(await states()).toEqual(done);
  });

  it("finds no key of another user, and cancels nothing", async () => {
    const { remove, states, userID } = await opened();
    const stranger = remove(db.table, `friend of ${userID}`);
    await expect(stranger).rejects.toMatchObject({ code: "KEY_NOT_FOUND" });
    expect((await states()).own).toEqual(["open", "open", "open"]);
  });

  it("finishes what a crashed request has left", async () => {
    for (let crashAt = 1, hasCrashed = true; hasCrashed; crashAt *= 2) {
      const { remove, states } = await opened();
      let calls = 0;
      hasCrashed = false;
      const table = interceptedTable(db.table, () => {
        if (++calls < crashAt) return;
        hasCrashed = true;
        throw new Error("killed");
      });
      await remove(table).catch(() => undefined);
      await remove();
      expect(await states()).toEqual(done);
    }
  });
});
