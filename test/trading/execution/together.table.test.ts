import { QueryCommand } from "@aws-sdk/lib-dynamodb";
import { startDynamoDbProxy } from "cdk-local-runner/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Evm } from "../../../lib/chains/evm/rules/family.ts";
import type { Effects } from "../../../lib/orders/effects.ts";
import type { TradeOrder } from "../../../lib/orders/trade-order.ts";
import { openPolicy, type WalletPolicy } from "../../../lib/orders/wallet-policy.ts";
import { getItems } from "../../../lib/table/batch-get.ts";
import { openTable, queryRange, type Table } from "../../../lib/table/table.ts";
import { isTransient } from "../../../lib/table/transient.ts";
import { jobsAndSlotsOf, laneKey } from "../../../lib/trading/items/keys.ts";
import { homeShard } from "../../../lib/trading/items/lane-places.ts";
import { type Engine, engineStart, startTable } from "../../support/dynamodb.ts";
import { interceptedTable } from "../../support/intercepted-table.ts";
import { putPolicy } from "../../support/placed-orders.ts";
import { coinsAtStart, LaneBench, tokensAtStart } from "./support/lane-bench.ts";

let engine: Engine;
let proxy: Awaited<ReturnType<typeof startDynamoDbProxy>>;
/** Opens the table with a client that causes conflicts. */
let table: Table;
const faults: unknown[] = [];

beforeAll(async () => {
  engine = await startTable();
  const { endpoint } = engine.connection;
  proxy = await startDynamoDbProxy({
    endpoint,
    conflicts: true,
    holdMs: [1, 8],
    onFault: (error) => faults.push(error),
  });
  table = openTable(engine.table.name, {
    ...engine.connection,
    endpoint: proxy.endpoint,
    requestHandler: {},
  });
}, engineStart);
afterAll(async () => {
  table.client.destroy();
  await proxy.stop();
  await engine.stop();
  expect(faults).toEqual([]);
});

/** Computes the balances that follow from the orders. */
function balanceBy(orders: readonly TradeOrder<Evm>[]) {
  let [coins, tokens] = [coinsAtStart, tokensAtStart];
  for (const { intent, life } of orders) {
    const [spent, received] = [life.spent, life.received ?? 0n];
    coins += (intent.side === "buy" ? -spent : received) - life.networkFee;
    tokens += intent.side === "buy" ? received : -spent;
  }
  return { coins, tokens };
}

async function expectSettled(bench: LaneBench, orders: readonly TradeOrder<Evm>[]): Promise<void> {
  for (const { life } of orders) expect(life).toMatchObject({ settled: true, stage: "done" });
  const { coins, tokens } = bench.chain.belongings(bench.lane.wallet);
  expect({ coins, tokens: tokens.get("MOON") }).toEqual(balanceBy(orders));
  expect(await queryRange(engine.table, jobsAndSlotsOf(bench.lane))).toEqual([]);
  expect(await getItems(engine.table, [laneKey(bench.lane, homeShard(bench.lane))])).toEqual([]);
}

/** Ignores failures that concurrent requests and runs can cause. */
const unlessContended = (work: Promise<unknown>) =>
  work.catch((error) => {
    if (!isTransient(error)) throw error;
  });

describe("a lane", () => {
  it("executes each order of two users once, despite concurrent runs, clients and cancellations", async () => {
    const bench = await new LaneBench(table).open();
    const other = `${bench.userID}'s friend`;
    await bench.addUser(other);
    const validUntil = bench.nowMs / 1000 + 600;
    const requests = ["buy", "sell", "buy", "sell"].map((side, index) =>
      bench.request({
        side: side as "buy" | "sell",
        amount: side === "buy" ? 500n : 900n,
        key: `key ${index}`,
        userID: index < 2 ? bench.userID : other,
        validUntil,
      }),
    );
    const placeAll = () => Promise.all(requests.map((request) => unlessContended(bench.place(request))));
    // Each client repeats its request immediately.
    await Promise.all([placeAll(), placeAll(), bench.work().catch(() => undefined)]);
    for (let round = 0; round < 40 && !bench.isDone; round++) {
      if (round < 3) await placeAll();
      const [, second] = requests;
      const cancelled =
        round === 1 && second !== undefined ? bench.cancel(second.orderId, second.userID) : undefined;
      const runs = [bench.work(), bench.work(), ...(cancelled ? [cancelled] : [])];
      await Promise.all(runs.map(unlessContended));
      bench.nowMs += 31_000;
      bench.mine(round % 3 === 2 ? 5 : 1);
    }
    expect(bench.isDone).toBe(true);
    const orders = await bench.ordersOf([bench.userID, other]);
    expect(orders).toHaveLength(4);
    expect(new Set(orders.map(({ intent }) => intent.orderId))).toEqual(
      new Set(requests.map(({ orderId }) => orderId)),
    );
    await expectSettled(bench, orders);
    expect(orders.filter(({ life }) => life.status === "filled").length).toBeGreaterThanOrEqual(3);
  });

  it.each<[string, keyof Effects, number, number]>([
    ["planned a transaction", "sign", 1, 0],
    ["a signature that is not recorded", "write", 1, 0],
    ["a signed transaction", "send", 1, 0],
    ["sent a transaction", "write", 2, 1],
  ])("continues in another run when a run that has %s loses its lease", async (_, name, number, sent) => {
    const bench = await new LaneBench(engine.table).open();
    const request = bench.request();
    await bench.place(request);
    const late = bench.stopAt(name, number);
    const stopped = bench.work();
    await late.reached;
    // The first run still holds the lane.
    await bench.work();
    expect(bench.chain.belongings(bench.lane.wallet).pending).toBe(sent);
    bench.nowMs += 31_000;
    await bench.work();
    expect(bench.chain.belongings(bench.lane.wallet).pending).toBe(1);
    bench.mine();
    await bench.work();
    late.goOn();
    await stopped;
    bench.mine(5);
    await bench.work();
    expect(bench.isDone).toBe(true);
    const orders = await bench.ordersOf([bench.userID]);
    expect(orders).toMatchObject([{ life: { status: "filled", spent: 500n } }]);
    await expectSettled(bench, orders);
  });

  it("keeps other runs off a lane while its holder reads it", async () => {
    const bench = await new LaneBench(engine.table).open();
    await bench.place(bench.request({ key: "k-1" }));
    await bench.place(bench.request({ key: "k-2" }));
    await bench.work();
    // The second order waits, so that the lane continues after the first is settled.
    bench.mine();
    bench.chain.setBaseFee(1000n);
    await bench.work();
    bench.mine(5);
    let isTorn = false;
    const torn = interceptedTable(
      engine.table,
      () => {},
      async (command) => {
        if (!(command instanceof QueryCommand) || isTorn) return;
        isTorn = true;
        await bench.work();
      },
    );
    await bench.work(torn);
    await bench.work();
    const [first] = await bench.ordersOf([bench.userID]);
    expect(first?.life).toMatchObject({ status: "filled", settled: true });
  });
});

/** Opens a lane with two buys of 500 each, placed before their user set a policy, and a sale between them. */
async function openLimited(changes: Partial<WalletPolicy>) {
  const bench = await new LaneBench(engine.table).open();
  const validUntil = bench.nowMs / 1000 + 600;
  for (const [index, side] of (["buy", "sell", "buy"] as const).entries())
    await bench.place(
      bench.request({ side, amount: side === "buy" ? 500n : 900n, key: `key ${index}`, validUntil }),
    );
  const { lane, userID } = bench;
  await putPolicy(engine.table, { ...lane, userID, policy: { ...openPolicy, ...changes }, revision: 1 });
  return bench;
}

async function outcomes(bench: LaneBench) {
  for (let runs = 0; runs < 20 && !bench.isDone; runs++) {
    await bench.work();
    bench.mine(4);
  }
  const orders = await bench.ordersOf([bench.userID]);
  return orders
    .toSorted((a, b) => (String(a.placed.clientOrderId) < String(b.placed.clientOrderId) ? -1 : 1))
    .map(({ life: { status, reasonCode } }) => [status, reasonCode].join(" ").trim());
}

describe("a lane whose user has a policy", () => {
  it.each<[string, Partial<WalletPolicy>, string[]]>([
    ["the rest of a day's limit", { maxPerDay: 3_000_000n }, ["filled", "filled", "rejected POLICY_LIMIT"]],
    ["only sales", { tokens: [] }, ["rejected POLICY_LIMIT", "filled", "rejected POLICY_LIMIT"]],
    ["nothing", { tradingEnabled: false }, Array(3).fill("rejected POLICY_LIMIT")],
  ])("executes %s that the policy allows, in the order of placement", async (_, changes, wanted) => {
    expect(await outcomes(await openLimited(changes))).toEqual(wanted);
  });

  /** Opens a lane whose user forbids all buys just before its first run processes the first buy. */
  async function forbiddenBefore(effect: keyof Effects) {
    const bench = await openLimited({});
    const { lane, userID } = bench;
    const late = bench.stopAt(effect, 1);
    const stopped = bench.work();
    await late.reached;
    const policy = { ...openPolicy, tokens: [] };
    await putPolicy(engine.table, { ...lane, userID, policy, revision: 2 });
    return { bench, late, stopped };
  }

  it("lets an earlier run end orders that the signer will not sign", async () => {
    const { bench, late, stopped } = await forbiddenBefore("sign");
    late.goOn();
    await stopped;
    expect(await outcomes(bench)).toEqual(["rejected POLICY_LIMIT", "filled", "rejected POLICY_LIMIT"]);
  });

  it("clears a buy that was forbidden between signing and sending, and continues with the sale", async () => {
    const { bench, late, stopped } = await forbiddenBefore("send");
    // Ends the first run's lease.
    bench.nowMs += 31_000;
    expect(await outcomes(bench)).toEqual(["expired NOT_INCLUDED", "filled", "rejected POLICY_LIMIT"]);
    late.goOn();
    await stopped;
  });
});
