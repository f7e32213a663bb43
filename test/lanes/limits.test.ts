import { describe, expect, it } from "vitest";
import { openPolicy, type WalletPolicy } from "../../lib/domain/trading/wallet-policy.ts";
import { tableForTests } from "../support/dynamodb.ts";
import { putPolicy } from "../support/placed-orders.ts";
import { LaneBench } from "./support/lane-bench.ts";

const db = tableForTests();

/** A lane with two buys of 500 each, placed before their user had a policy, and a sale between them. */
async function open(changes: Partial<WalletPolicy>) {
  const bench = await new LaneBench(db.table).open();
  const validUntil = bench.nowMs / 1000 + 3600;
  for (const [index, side] of (["buy", "sell", "buy"] as const).entries())
    await bench.place(
      bench.request({ side, amount: side === "buy" ? 500n : 900n, key: `key ${index}`, validUntil }),
    );
  const { lane, userID } = bench;
  await putPolicy(db.table, { ...lane, userID, policy: { ...openPolicy, ...changes }, revision: 1 });
  return bench;
}

async function outcomes(bench: LaneBench) {
  for (let runs = 0; runs < 20 && !bench.isDone; runs++) {
    await bench.work();
    bench.mine(4);
  }
  const orders = await bench.ordersOf([bench.userID]);
  return orders
    .toSorted((a, b) => (a.placed.clientOrderId < b.placed.clientOrderId ? -1 : 1))
    .map(({ life: { status, reasonCode } }) => [status, reasonCode].join(" ").trim());
}

describe("executeOrders", () => {
  it.each<[string, Partial<WalletPolicy>, string[]]>([
    ["what is left of a day", { maxPerDay: 999n }, ["filled", "filled", "rejected POLICY_LIMIT"]],
    [
      "nothing but sales",
      { tradingEnabled: false },
      ["rejected POLICY_LIMIT", "filled", "rejected POLICY_LIMIT"],
    ],
  ])("executes %s, in the order of placing, and every sale", async (_, changes, wanted) => {
    expect(await outcomes(await open(changes))).toEqual(wanted);
  });

  it("lets a run that began before end what the signer will not sign", async () => {
    const bench = await open({});
    const { lane, userID } = bench;
    const late = bench.stopAt("sign", 1);
    const stopped = bench.work();
    await late.reached;
    await putPolicy(db.table, {
      ...lane,
      userID,
      policy: { ...openPolicy, tradingEnabled: false },
      revision: 2,
    });
    late.goOn();
    await stopped;
    expect(await outcomes(bench)).toEqual(["rejected POLICY_LIMIT", "filled", "rejected POLICY_LIMIT"]);
  });
});
