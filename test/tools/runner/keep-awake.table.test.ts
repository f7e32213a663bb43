import { expect, it, onTestFinished, vi } from "vitest";
import { restingStep } from "../../../lib/orders/resting/resting-step.ts";
import { keepAwake } from "../../../lib/tools/runner/keep-awake.ts";
import { changeReaderLease } from "../../../lib/trading/items/reader-leases.ts";
import { writeStep } from "../../../lib/trading/items/write-step.ts";
import { storedOrder } from "../../orders/resting/fixtures.ts";
import { tableForTests } from "../../support/dynamodb.ts";

const db = tableForTests();

it("makes blocks on chains with resting orders while a run watches them", async () => {
  const chains = (["base", "eth"] as const).map((chain) => ({ chain, wake: vi.fn() }));
  const [base, eth] = chains;
  await writeStep(db.table, restingStep(storedOrder(), "absent"));
  const keeper = keepAwake({ table: db.table, chains, onFailure: vi.fn() });
  onTestFinished(() => keeper.stop());
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(base?.wake).not.toHaveBeenCalled();
  const set = { run: "r", epoch: 1, build: "b", startedAtMs: 0, heartbeatMs: Date.now() };
  await changeReaderLease(db.table, { chain: "triggers", when: undefined, set });
  await expect.poll(() => base?.wake.mock.calls.length, { timeout: 5000 }).toBeGreaterThan(1);
  expect(eth?.wake).not.toHaveBeenCalled();
});
