import { localAddresses } from "trading-terminal-devnet/evm/deployment";
import { startTestChain, type TestChain } from "trading-terminal-devnet/evm/test-chain";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { snapshotOfEvm } from "../../../lib/chains/evm/looks/snapshot-of-host.ts";
import type { EvmRouteFacts } from "../../../lib/chains/evm/rules/host-snapshot.ts";
import type { RpcHost } from "../../../lib/chains/hosts/rpc-host.ts";
import { coinUnitsFrom } from "../../../lib/orders/decimal-text.ts";
import {
  writesOfBuy,
  writesOfCredit,
  writesOfExit,
  writesOfLimit,
  writesOfTurn,
} from "../../../lib/tools/documents/assumptions.ts";
import { readListed } from "../../../lib/trading/items/listed-executions.ts";
import { placeResting } from "../../../lib/trading/place-resting.ts";
import { tableForTests } from "../../support/dynamodb.ts";
import { openRestingDesk } from "../../support/resting-desk.ts";
import { type Caller, openDesk, type TradingDesk } from "../../support/trading-desk.ts";
import { countingUnits, type UnitCounter } from "./support/write-units.ts";

const db = tableForTests();
const userID = "alice";

let chain: TestChain;
let desk: TradingDesk;

beforeAll(async () => {
  chain = await startTestChain();
  desk = await openDesk(db.table, chain, { userID });
});
afterAll(() => chain.close());

describe("an order on a real chain", () => {
  it("buys the quoted amount, sells all of it, and reports both to the unit", async () => {
    const { orderId: buy } = await desk.place({ amount: "0.5" });
    expect(await desk.watchAndWork()).toBe(true);
    expect(await desk.watchAndWork()).toBe(false);
    await desk.settle();
    expect(await desk.read(buy)).toMatchObject({
      order: { status: "filled", settled: true, stage: "done", receivedAmount: "4960.273038901078125544" },
      attempts: [{ purpose: "swap", nonce: 0, submission: "public", outcome: "mined" }],
      report: { spent: { token: "native", amount: "0.5" }, slippage: 0, approvalLeft: "0" },
    });
    expect(await desk.held()).toBe(4_960_273_038_901_078_125_544n);

    const before = await desk.coins();
    const { orderId: sell } = await desk.place({ side: "sell", percent: 100 });
    await desk.watchAndWork();
    await desk.settle();
    const sold = await desk.read(sell);
    expect(sold).toMatchObject({
      order: { status: "filled", settled: true, percent: 100, filledAmount: "4960.273038901078125544" },
      attempts: [
        { purpose: "approve", nonce: 1, outcome: "mined" },
        { purpose: "swap", nonce: 2, outcome: "mined" },
      ],
      report: { approvalLeft: "0" },
    });
    expect(await desk.held()).toBe(0n);
    const wei = (text = "") => coinUnitsFrom("eth", text, "amount");
    const { receivedAmount, networkFee } = sold.order;
    expect((await desk.coins()) - before).toBe(wei(receivedAmount) - wei(networkFee));
    const { executions } = await readListed(db.table, { userID, kind: "position" }, { filter: {}, limit: 9 });
    expect(executions).toMatchObject([{ status: "closed", settled: true, amount: "0", cost: "0" }]);
    // The sale has two transactions, and the first one counts.
    const times = [buy, sell].map(() => ({ chain: "eth", broadcastMs: expect.any(Number) }));
    expect(desk.broadcasts).toEqual(times);
    for (const { broadcastMs } of desk.broadcasts) expect(broadcastMs).toBeGreaterThan(0);
  });
});

describe("a buy on a real chain", () => {
  it("uses as many write units as docs/costs.md bills", async () => {
    const placeOrder = countingUnits(db.table);
    const executeOrders = countingUnits(db.table);
    const signTransaction = countingUnits(db.table);
    const tables: Partial<Record<Caller, UnitCounter>> = { placeOrder, executeOrders, signTransaction };
    const tableOf = (caller: Caller) => tables[caller]?.table ?? db.table;
    // A user id as long as Cognito's.
    const desk = await openDesk(db.table, chain, { userID: "a".repeat(36), tableOf });
    const unitsOfRun = async () => {
      await desk.work();
      return executeOrders.take();
    };
    await desk.place({ amount: "0.5" });
    const swap = await unitsOfRun();
    await chain.mine();
    const fill = await unitsOfRun();
    const nothingNew = await unitsOfRun();
    await chain.mine(4);
    // Leaves out the row of a trade that earns, which the costs list separately.
    const end = (await unitsOfRun()) - writesOfCredit.executeOrders;
    expect({
      placeOrder: placeOrder.take(),
      executeOrders: { swap, fill, nothingNew, end },
      signTransaction: signTransaction.take(),
    }).toEqual(writesOfBuy);
    const pair = { percent: 30, takeProfit: { percent: 100 }, stopLoss: { percent: -50 } };
    await desk.place({ amount: "0.5", exits: [pair, pair, pair] });
    expect(placeOrder.take()).toBe(writesOfBuy.placeOrder + writesOfTurn + 3 * writesOfExit);
  });
});

describe("a limit on a real chain", () => {
  it("uses as many write units as docs/costs.md bills, until its buy is final", async () => {
    const counters = {
      placeOrder: countingUnits(db.table),
      fireOrders: countingUnits(db.table),
      executeOrders: countingUnits(db.table),
      signTransaction: countingUnits(db.table),
    };
    const tables: Partial<Record<Caller, UnitCounter>> = counters;
    const tableOf = (caller: Caller) => tables[caller]?.table ?? db.table;
    const desk = await openRestingDesk(db.table, chain, { userID: "b".repeat(36), tableOf });
    const terms = { type: "limit", side: "buy", amount: "0.5", price: "1" } as const;
    const body = { ...desk.lane, ...terms, token: localAddresses.moon };
    const placed = await placeResting(desk.placing, {
      userID: desk.userID,
      now: new Date(),
      signedInAt: undefined,
      key: "limit",
      body,
    });
    if (!("order" in placed)) throw new Error("It was not placed");
    const fire = async () => {
      await desk.fire([placed.order.orderId], { table: { ...counters.fireOrders.table, id: "table" } });
    };
    const placing = counters.placeOrder.take();
    await fire();
    const firing = counters.fireOrders.take();
    await desk.work();
    await chain.mine();
    await desk.work();
    await fire();
    await chain.mine(4);
    await desk.settle();
    await fire();
    expect({
      placeOrder: placing,
      fireOrders: { firing, filled: counters.fireOrders.take() },
      executeOrders: counters.executeOrders.take() - writesOfCredit.executeOrders,
      signTransaction: counters.signTransaction.take(),
    }).toEqual(writesOfLimit);
  });
});

describe("a sale on a real chain with a host that lies about routes", () => {
  it("holds a sale back while a host lies about its routes, and fills it afterwards", async () => {
    const lies: ((best: EvmRouteFacts | undefined, minimum: bigint) => readonly EvmRouteFacts[])[] = [
      (best, amountOut) => (best ? [{ ...best, feeBps: 5, amountOut }] : []),
      () => [],
    ];
    let lie: (typeof lies)[0] | undefined;
    const hosts: RpcHost[] = [];
    const desk = await openDesk(db.table, chain, {
      async see(host, reader, question) {
        if (!hosts.includes(host)) hosts.push(host);
        const seen = await snapshotOfEvm(host, reader, question);
        const [intent] = question.orders;
        const facts = seen?.orders.get(intent?.orderId ?? "");
        if (seen === undefined || intent === undefined || facts === undefined) return seen;
        if (lie === undefined || host !== hosts[1]) return seen;
        const routes = lie(facts.routes[0], intent.minAmountOut);
        return { ...seen, orders: new Map([[intent.orderId, { ...facts, routes }]]) };
      },
    });
    await desk.place({ amount: "0.5" });
    await desk.work();
    await desk.settle();
    const { orderId } = await desk.place({ side: "sell", percent: 50 });
    for (lie of lies) {
      await desk.workLate();
      await chain.mine();
    }
    expect(await desk.read(orderId)).toMatchObject({
      order: { status: "open", stage: "waiting", reasonCode: "CHAIN_UNAVAILABLE", networkFee: "0" },
      attempts: [],
    });
    lie = undefined;
    await desk.work();
    await desk.settle();
    expect(await desk.read(orderId)).toMatchObject({ order: { status: "filled" } });
    expect(hosts).toHaveLength(2);
  });
});
