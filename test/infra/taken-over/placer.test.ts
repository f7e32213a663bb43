import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Slot } from "../../../lib/trading/core/evm/slot.ts";
import { type Intent, swapBy } from "../../../lib/trading/core/intent.ts";
import { type Engine, engineStart, startTable } from "../../support/dynamodb.ts";
import { putPolicy } from "../../support/placed-orders.ts";
import { Theft } from "../../support/signed-bytes.ts";
import { slot, v2 } from "../../support/trading.ts";
import { Random } from "../../trading/model/random.ts";
import { dai, policyOfAlice, SigningDesk } from "./desk.ts";
import { Intruder } from "./intruder.ts";

let engine: Engine;
let desk: SigningDesk;

beforeAll(async () => {
  engine = await startTable();
  desk = await SigningDesk.open(engine.table);
}, engineStart);
afterAll(() => engine.stop());

const { userID, chain, wallet } = policyOfAlice;
const own = { userID, chain, wallet, token: dai, routes: [v2] };

/** The orders that an intruder in placeOrder invents, each with a transaction. */
const inventions: Record<string, [Partial<Intent>, (intent: Intent) => Slot["call"]]> = {
  "a sale of all tokens for next to nothing": [
    { side: "sell", amount: 10n ** 24n, minAmountOut: 1n, quotedOut: 1n },
    (intent) => swapBy(intent, v2, intent.amount),
  ],
  "an approval of one unit": [
    { side: "sell", amount: 1n, minAmountOut: 1n, quotedOut: 1n, approvalGas: 90_000n },
    ({ token, amount }) => ({ purpose: "approve", token, router: v2.router, amount }),
  ],
  "a small buy": [{ amount: 1n, minAmountOut: 1n }, (intent) => swapBy(intent, v2, intent.amount)],
};

const idOf = (name: string) => name.toUpperCase().replaceAll(" ", "").padEnd(26, "0").slice(0, 26);

describe("a placeOrder that was taken over", () => {
  it.each(Object.entries(inventions))(
    "gets no signature of a frozen wallet for %s",
    async (name, invention) => {
      const [changes, callFor] = invention;
      const intruder = new Intruder(desk, () => true, new Random(1));
      const order = await desk.forge({ ...own, ...changes, orderId: idOf(name) });
      const planned = slot({ call: callFor(order.intent), isPrivate: false }, order.intent);
      const policy = { ...policyOfAlice.policy, tradingEnabled: false };
      await putPolicy(desk.table, { ...policyOfAlice, policy });
      expect(await intruder.askWith(order, planned)).toEqual({
        later: "the policy forbids it: tradingEnabled",
      });
      // It would, if the wallet were not frozen.
      await putPolicy(desk.table, policyOfAlice);
      await expect(intruder.askWith(order, planned)).rejects.toThrow(Theft);
    },
  );
});
