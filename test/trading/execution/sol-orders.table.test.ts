import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { forEachConcurrently } from "../../../lib/core/concurrency.ts";
import type { Position } from "../../../lib/orders/execution.ts";
import { listExecutions } from "../../../lib/trading/list-executions.ts";
import { tableForTests } from "../../support/dynamodb.ts";
import { coins, expectChainAgrees, placeAt } from "../../support/sol-agreement.ts";
import { openSolDesk, type SolDesk } from "../../support/sol-desk.ts";
import { solDeskForTests } from "../../support/sol-reader.ts";
import { failOne, faultsOf, isChanging, survives } from "./support/effect-faults.ts";

const db = tableForTests();
const { FULL } = process.env;

const { chain, hosts } = solDeskForTests();

const open = (options?: Parameters<typeof openSolDesk>[1]) =>
  openSolDesk({ table: db.table, chain, hosts }, options);

/** Buys a token. If a run dies, continues after its lease has ended. */
async function play(desk: SolDesk): Promise<string> {
  // All these orders share a pool, so they need a wide slippage.
  const orderId = await placeAt(desk, { amount: "0.01", slippage: 10 });
  for (const endMs = Date.now() + 60_000; Date.now() < endMs; await pause(100)) {
    if (!(await survives(() => desk.watchAndWork()))) desk.aheadMs += 31_000;
    if (await desk.isDone()) return orderId;
  }
  throw new Error("The order did not end");
}

describe("orders on a real Solana chain and table", () => {
  it("buys and sells on sol, and accounts for every lamport", async () => {
    const desk = await open();
    const buy = await placeAt(desk, { amount: "1" });
    await desk.work();
    await desk.settle();
    const sale = await placeAt(desk, { side: "sell", percent: 100 });
    await desk.work();
    await desk.settle();
    const [bought, sold] = await expectChainAgrees(desk, [buy, sale]);
    expect([bought?.order.status, sold?.order.status]).toEqual(["filled", "filled"]);
    const { executions } = await listExecutions<Position>(
      db.table,
      { userID: desk.userID, kind: "position" },
      { limit: "50" },
    );
    expect(executions).toMatchObject([{ status: "closed", amount: "0", cost: "0", settled: true }]);
    const [{ realizedPnl, networkFees } = {}] = executions;
    const [spent, received] = [bought?.order.filledAmount, sold?.order.receivedAmount].map(coins);
    expect(coins(realizedPnl)).toBe((received ?? 0n) - (spent ?? 0n));
    expect(coins(networkFees)).toBe(coins(bought?.order.networkFee) + coins(sold?.order.networkFee));
    expect(await desk.units()).toBe(0n);
    expect(bought?.report).toMatchObject({ networkFee: { total: "0.000205" }, rent: "0.00293712" });
    expect(sold?.attempts).toMatchObject([{ purpose: "swap", outcome: "mined", tip: "0" }]);
    expect(desk.landings).toEqual(Array(2).fill({ path: "public", signed: 1, landed: 1 }));
  });

  it("shrinks and closes positions when tokens leave the wallet for good", async () => {
    const desk = await open();
    await placeAt(desk, { amount: "1" });
    await desk.work();
    await desk.settle();
    const read = async () => {
      const owner = { userID: desk.userID, kind: "position" } as const;
      return (await listExecutions<Position>(db.table, owner, { limit: "50" })).executions[0];
    };
    const units = await desk.units();
    await desk.workMissed();
    expect(await read()).toMatchObject({ status: "open", cost: "1" });
    for (const left of [units / 2n, 0n]) {
      await desk.keepUnits(left);
      const isNoted = async () => {
        await desk.workMissed();
        return (await read())?.cost !== (left === 0n ? "0.5" : "1");
      };
      await expect.poll(isNoted, { timeout: 20_000, interval: 200 }).toBe(true);
      expect(await desk.isDone()).toBe(true);
    }
    expect(await read()).toMatchObject({
      status: "closed",
      reason: "MOVED_OUT",
      amount: "0",
      cost: "0",
      realizedPnl: "0",
      settled: true,
    });
  });

  it("cancels an order by a clear that competes with its message", async () => {
    const desk = await open();
    const orderId = await placeAt(desk, { amount: "1" });
    await desk.work();
    await desk.cancel(orderId);
    await desk.settle();
    const [shown] = await expectChainAgrees(desk, [orderId]);
    expect(["cancelled", "filled"]).toContain(shown?.order.status);
  });

  it("ends an order once if any state-changing effect fails", async () => {
    const whole = await open();
    const names = failOne(whole, undefined);
    await expectChainAgrees(whole, [await play(whole)]);
    const faults = names.flatMap((name, index) =>
      faultsOf(name)
        .filter((how) => FULL || (isChanging(name) && how === "died after"))
        .map((how) => ({ number: index + 1, how })),
    );
    const broken = new Set(faults.map(({ number }) => names[number - 1]));
    expect([...broken]).toEqual(expect.arrayContaining(["write", "sign", "send"]));
    await forEachConcurrently(faults, { concurrency: 8 }, async (fault) => {
      const desk = await open();
      failOne(desk, fault);
      try {
        const [shown] = await expectChainAgrees(desk, [await play(desk)]);
        expect([shown?.order.status, shown?.order.reasonCode]).toEqual(["filled", undefined]);
        // A run that dies right after settling the order leaves its messages uncounted.
        expect(desk.landings.length).toBeLessThanOrEqual(1);
      } catch (error) {
        throw new Error(`${names[fault.number - 1]}, effect ${fault.number}, ${fault.how}`, { cause: error });
      }
    });
  });
});
