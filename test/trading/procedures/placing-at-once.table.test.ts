import { expect, it } from "vitest";
import type { RestingRequest } from "../../../lib/orders/resting/request.ts";
import { restingStep } from "../../../lib/orders/resting/resting-step.ts";
import { runProcedure } from "../../../lib/trading/execution/run-procedure.ts";
import { readResting } from "../../../lib/trading/items/resting-records.ts";
import { readPlacing } from "../../../lib/trading/items/views.ts";
import { writeStep } from "../../../lib/trading/items/write-step.ts";
import { placingResting } from "../../../lib/trading/procedures/placing-resting.ts";
import { storedOrder } from "../../orders/resting/fixtures.ts";
import { tableForTests } from "../../support/dynamodb.ts";
import { placeRequest, tradeFacts } from "../../support/place-request.ts";
import { putWallet } from "../../support/placed-orders.ts";
import { shortPausesForTests } from "../../support/short-pauses.ts";
import { token } from "./support/placing.ts";

const db = tableForTests();
shortPausesForTests();

const userID = "crowd";
const nowMs = Date.now();
const idOf = (n: number) => `01KAMZ3Q5T9WJ2M4N6P8R${String(n).padStart(5, "0")}`;
const facts = tradeFacts({ held: { coins: 10n ** 20n, tokens: 0n } });

/** Places a buy with three exits, each with another wallet. */
async function place(n: number) {
  const wallet = `0xcrowd${n}`;
  await putWallet(db.table, { chain: "eth", wallet }, userID);
  const { trade, ...plain } = placeRequest({
    orderId: idOf(n),
    userID,
    wallet,
    token,
    side: "buy",
    amount: 1000n,
    maxGasPrice: 2n,
    nowMs,
    gasPreset: "medium",
    isPrivate: true,
    validUntil: nowMs / 1000 + 120,
    slippage: 1,
    key: `key ${n}`,
    fingerprint: "body",
  });
  const { validForSeconds: _, maxPriceImpact: __, ...terms } = trade;
  const exits = [10, 20, 30].map((percent) => ({ percent, takeProfit: { percent } }));
  const body = { chain: "eth", wallet, type: "limit", price: "1", exits } as const;
  const request = { ...plain, trade: { ...terms, ...body } as RestingRequest };
  return runProcedure(placingResting(request), {
    readPlacing: (ask) => readPlacing(db.table, ask),
    write: ({ step }) => writeStep(db.table, step),
    quote: () => [facts, facts],
    makeMandateMac: () => "mac",
    startTriggers: () => undefined,
  });
}

it("lets twelve requests at the same moment exceed the limit of all resting orders by at most ten", async () => {
  for (let n = 0; n < 96; n++) {
    const order = storedOrder({ userID, orderId: idOf(1000 + n), token: `0x${n}` });
    await writeStep(db.table, restingStep(order, "absent"));
  }
  const answers = await Promise.all(Array.from({ length: 12 }, (_, n) => place(n)));
  const count = (await readResting(db.table, userID)).length;
  expect(count).toBe(96 + 4 * answers.filter((each) => "order" in each).length);
  expect(count).toBeGreaterThanOrEqual(100);
  expect(count).toBeLessThanOrEqual(110);
  for (const each of answers)
    if ("refused" in each) expect(each.refused).toMatchObject({ code: "TOO_MANY_RESTING" });
});
