import { expect, it, vi } from "vitest";
import { restingStep } from "../../../lib/orders/resting/resting-step.ts";
import { endRestingOf, startTriggersOf } from "../../../lib/trading/execution/start-firing.ts";
import { changeReaderLease } from "../../../lib/trading/items/reader-leases.ts";
import { writeStep } from "../../../lib/trading/items/write-step.ts";
import { storedOrder } from "../../orders/resting/fixtures.ts";
import { tableForTests } from "../../support/dynamodb.ts";

const db = tableForTests();
const broken = new Error("throttled");

it("starts the watch over prices unless a run is alive, and throws nothing", async () => {
  const [start, onFault] = [vi.fn(async () => undefined), vi.fn()];
  const startTriggers = startTriggersOf(db.table, start, onFault);
  await startTriggers();
  expect(start).toHaveBeenCalledTimes(1);
  start.mockRejectedValueOnce(broken);
  await startTriggers();
  expect(onFault.mock.calls).toEqual([[broken]]);
  const set = { run: "r", epoch: 1, build: "b", startedAtMs: 1, heartbeatMs: Date.now() };
  await changeReaderLease(db.table, { chain: "triggers", when: undefined, set });
  await startTriggers();
  expect(start).toHaveBeenCalledTimes(2);
});

it("hands over all resting orders of a user's wallet by token, and throws nothing", async () => {
  const rest = async (changes: Parameters<typeof storedOrder>[0]) =>
    writeStep(db.table, restingStep(storedOrder(changes), "absent"));
  for (const [index, token] of ["0xa", "0xa", "0xb"].entries()) await rest({ orderId: `O${index}`, token });
  await rest({ orderId: "O3", wallet: "0xother" });
  await rest({ orderId: "O4", userID: "bob" });
  const lane = { chain: "base", wallet: "0xf39F" } as const;
  const [fire, onFault] = [vi.fn(async () => undefined), vi.fn()];
  const endResting = endRestingOf(db.table, fire, onFault);
  await endResting("alice", lane);
  const orders = (...ids: string[]) =>
    ids.map((orderId) => ({ orderId, userID: "alice", wallet: lane.wallet }));
  expect(fire.mock.calls).toEqual([
    [{ chain: "base", token: "0xa", orders: orders("O0", "O1") }],
    [{ chain: "base", token: "0xb", orders: orders("O2") }],
  ]);
  fire.mockRejectedValueOnce(broken);
  await endResting("alice", lane);
  expect(onFault.mock.calls).toEqual([[broken]]);
});
