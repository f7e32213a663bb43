import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { markerOf } from "../../../lib/chains/sol/calls/addresses.ts";
import type { Sol } from "../../../lib/chains/sol/rules/family.ts";
import { forEachConcurrently } from "../../../lib/core/concurrency.ts";
import type { Position } from "../../../lib/orders/execution.ts";
import { type StoredResting, triggerOf } from "../../../lib/orders/resting/stored.ts";
import type { Ledger } from "../../../lib/orders/table-step.ts";
import { contentOf } from "../../../lib/trading/items/items.ts";
import { listExecutions } from "../../../lib/trading/list-executions.ts";
import { tableForTests } from "../../support/dynamodb.ts";
import { itemsNamed } from "../../support/items.ts";
import { limitAt, reached, restingOf, stopAt, twoSlices, unreached } from "../../support/resting-desk.ts";
import { openKeys } from "../../support/signing.ts";
import { coins, expectChainAgrees, placeAt } from "../../support/sol-agreement.ts";
import { openSolDesk, type SolDesk } from "../../support/sol-desk.ts";
import { scaling, solChainsOf, solDeskForTests } from "../../support/sol-reader.ts";
import { solKey } from "../../support/sol-terms.ts";
import { addPool } from "../../support/sol-tokens.ts";
import { causedBy, failOne, faultsOf, isChanging, survives } from "./support/effect-faults.ts";

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

/** Opens a desk whose user holds MOON, and has orders of it that rest. */
async function openResting() {
  const keys = openKeys();
  const desk = await open({ keys });
  const buy = await placeAt(desk, { amount: "1" });
  await desk.settle();
  const { mint: token } = chain.deployment.tokens.MOON;
  const market = {
    chains: await solChainsOf(chain, hosts),
    token,
    placed: { symbol: "MOON/SOL", decimals: 6 },
    terms: { amount: 10n ** 9n, feesLimit: 10n ** 8n, feesStop: 10n ** 8n },
  };
  const part = restingOf({ table: db.table, keys }, desk, market);
  return Object.assign(desk, part, {
    buy,
    /** Reads the price some times, the last one now, and returns the child that is out then. */
    async fireAfter(orderId: string, readings: number): Promise<string> {
      const { n: before } = (await part.resting(orderId)) as StoredResting;
      for (let left = readings; left-- > 0; ) {
        expect(await part.resting(orderId)).toMatchObject({ n: before });
        await part.fire([orderId], { nowMs: () => Date.now() - left * 2700 });
      }
      const { n, out } = (await part.resting(orderId)) as StoredResting;
      expect(n).toBe(before + 1);
      return out.at(-1)?.orderId ?? "";
    },
    /** Pays lamports into an order's marker, as anybody may. */
    async deposit(orderId: string): Promise<void> {
      await chain.setAccount(await markerOf(desk.wallet, orderId), 897_840n);
    },
  });
}

describe("resting orders on a real Solana chain and table", () => {
  it("fire a stop after four readings, and fill although somebody has paid into the marker", async () => {
    const desk = await openResting();
    const id = await desk.rest([stopAt(unreached)]);
    await desk.deposit(id);
    const child = await desk.fireAfter(id, 4);
    expect(await desk.resting(id)).toMatchObject({ state: "firing", n: 1, firings: [{ leg: "stop" }] });
    await desk.deposit(id);
    await desk.settle();
    await desk.fire([id]);
    await expectChainAgrees(desk, [desk.buy, child]);
    expect(await desk.read(id)).toMatchObject({
      order: { status: "filled", settled: true },
      firings: [{ outcome: "filled" }],
    });
  });

  it("let an exit of a market order rest from its fill on, and sell its share", async () => {
    const desk = await openResting();
    const exits = [{ percent: 50, takeProfit: { price: "0.0000001" } }];
    const placed = await desk.ask({ amount: "0.5", exits });
    if (!("order" in placed)) return expect.fail("It was not placed");
    const [{ orderId: id } = { orderId: "" }] = placed.order.exits ?? [];
    await desk.fire([id]);
    expect(await desk.resting(id)).toMatchObject({ state: "pending" });
    await desk.settle();
    await desk.fire([id]);
    const { entry } = (await desk.resting(id)) as StoredResting;
    const { order } = await desk.read(placed.order.orderId);
    expect(entry).toMatchObject({ spent: 500_000_000n, amount: (entry?.received ?? 0n) / 2n });
    expect(coins(order.receivedAmount)).toBe((entry?.received ?? 0n) * 1000n);
    await desk.fire([id]);
    await desk.settle();
    await desk.fire([id]);
    const { order: exit, firings = [] } = await desk.read(id);
    expect(exit).toMatchObject({ status: "filled", settled: true, filledAmount: exit.amount });
    await expectChainAgrees(desk, [desk.buy, placed.order.orderId, firings[0]?.orderId ?? ""]);
  });

  it("fill slice by slice, each with a marker of its own", async () => {
    const desk = await openResting();
    const { terms, beforeSecond } = twoSlices();
    const id = await desk.rest([{ kind: "slice", worst: reached }], terms);
    const first = await desk.fireAfter(id, 1);
    await desk.settle();
    await desk.fire([id], { nowMs: beforeSecond });
    expect(await desk.read(id)).toMatchObject({ order: { status: "partially_filled", slicesDone: 1 } });
    const { dueAt } = triggerOf((await desk.resting(id)) as StoredResting);
    await pause(Number(dueAt) * 1000 - Date.now());
    const second = await desk.fireAfter(id, 1);
    await desk.settle();
    await desk.fire([id]);
    await expectChainAgrees(desk, [desk.buy, first, second]);
    expect(await desk.read(id)).toMatchObject({ order: { status: "filled", settled: true, slicesDone: 2 } });
  });

  it("fill one of two children that are out at once, and end the other one as replaced", async () => {
    const desk = await openResting();
    const id = await desk.rest([limitAt(reached), stopAt({ coins: 5n, tokens: 100n })]);
    const children = [await desk.fireAfter(id, 2)];
    await desk.deposit(id);
    // The price falls to a tenth for both hosts.
    for (const host of hosts) host.lie = scaling(chain.deployment.tokens.MOON.vaults.coin, 100n);
    children.push(await desk.fireAfter(id, 4));
    for (const host of hosts) host.lie = (_, result) => result;
    expect(await desk.resting(id)).toMatchObject({ out: [{ leg: 0 }, { leg: 1 }] });
    // Sends no message before both are signed.
    const raws = new Set<string>();
    desk.wrap = ({ send, ...effects }) => ({
      ...effects,
      async send(ask) {
        if (raws.add(ask.raw).size === 2) for (const raw of raws) await send?.({ ...ask, raw });
        return "reached" as const;
      },
    });
    await desk.settle();
    const shown = await expectChainAgrees(desk, [desk.buy, ...children]);
    const ends = shown
      .slice(1)
      .map(({ order: { status, reasonCode, settled } }) => ({ status, reasonCode, settled }));
    expect(ends.toSorted((a, b) => a.status.localeCompare(b.status))).toEqual([
      { status: "expired", reasonCode: "REPLACED", settled: true },
      { status: "filled", reasonCode: undefined, settled: true },
    ]);
    expect(desk.landings.slice(1)).toMatchObject([
      { signed: 1, landed: 1 },
      { signed: 1, landed: 1 },
    ]);
    await desk.fire([id]);
    const { order, firings } = await desk.read(id);
    expect(order).toMatchObject({ status: "filled", settled: true });
    expect(firings?.map(({ outcome }) => outcome).toSorted()).toEqual(["filled", "replaced"]);
  });
});

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
    expect(bought?.report).toMatchObject({ networkFee: { total: "0.000165" }, rent: "0.00214376" });
    expect(sold?.attempts).toMatchObject([{ purpose: "swap", outcome: "mined", tip: "0" }]);
    expect(desk.landings).toEqual(Array(2).fill({ path: "public", signed: 1, landed: 1 }));
    expect(desk.broadcasts).toEqual(Array(2).fill({ chain: "sol", broadcastMs: expect.any(Number) }));
  });

  it("buys and sells in a pool that only the requests name, and only there", async () => {
    const desk = await open();
    const { mint } = chain.deployment.tokens.MOON;
    const { address } = solKey("pool at an address of its own");
    const pool = await addPool(chain, { mint, address, coins: 500n * 10n ** 9n, tokens: 5n * 10n ** 12n });
    const orders: string[] = [];
    for (const asked of [{ amount: "1" }, { side: "sell", percent: 100 }] as const) {
      orders.push(await placeAt(desk, { ...asked, pool }));
      await desk.work();
      await desk.settle();
    }
    for (const { order, report } of await expectChainAgrees(desk, orders)) {
      expect(order.status).toBe("filled");
      expect(report?.route).toMatchObject([{ venue: "raydium-cpmm", pool }]);
    }
    await expect(desk.ask({ amount: "1", pool: desk.wallet })).rejects.toMatchObject({
      code: "INVALID_REQUEST",
      details: { field: "pool" },
    });
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

  it("limits the coin that a thief with an access token can burn by orders in a day", async () => {
    // The count starts over at midnight UTC, so a test that crossed it would burn the limits of two days.
    const leftMs = 86_400_000 - (Date.now() % 86_400_000);
    if (leftMs < 60_000) await pause(leftMs);
    const desk = await open({ configuration: { maxNetworkFee: "0.005", maxNetworkFeesPerDay: "0.012" } });
    const orderIds: string[] = [];
    const refusals: { code: string; details: { resetsAt: string } }[] = [];
    const isRefused = async (asked: Parameters<SolDesk["ask"]>[0]) => {
      const asking = placeAt(desk, { amount: "0.01", slippage: 10, ...asked });
      const orderId = await asking.catch((refusal) => void refusals.push(refusal));
      if (orderId === undefined) return true;
      orderIds.push(orderId);
      await desk.work();
      await desk.settle();
      return false;
    };
    // Once expensive orders are refused, cheap ones still use up coin as rents.
    for (const priorityFee of [0.005, 0]) while (orderIds.length < 6 && !(await isRefused({ priorityFee })));
    const shown = await expectChainAgrees(desk, orderIds);
    const burnt = shown.reduce((sum, { order }) => sum + coins(order.networkFee) + coins(order.rent), 0n);
    const ledgers = (await itemsNamed(db.table, "SIGNED#"))
      .filter((item) => "messages" in item)
      .map((item) => contentOf("ledger", item) as Ledger<Sol>)
      .filter(({ wallet }) => wallet === desk.wallet);
    const fees = ledgers.flatMap(({ messages }) => messages.map(({ mostFeeLamports }) => mostFeeLamports));
    const rents = BigInt(ledgers.length) * (897_840n + 2_248_080n);
    const signed = fees.reduce((sum, fee) => sum + fee, rents);
    expect(burnt).toBeLessThanOrEqual(signed);
    expect(signed).toBeLessThanOrEqual(coins("0.012"));
    expect(signed).toBeGreaterThan(coins("0.009"));
    const details = {
      rule: "networkFeesPerDay",
      limit: "0.012",
      requested: expect.stringMatching(/^0\.01[2-9]\d/),
      resetsAt: expect.stringMatching(/T00:00:00\.000Z$/),
    };
    expect(refusals).toMatchObject(Array(2).fill({ code: "POLICY_LIMIT", details }));
    const resetsAt = new Date(refusals[0]?.details.resetsAt ?? "");
    expect(await desk.ask({ amount: "0.01", priorityFee: 0.005 }, "next day", resetsAt)).toHaveProperty(
      "order",
    );
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
        throw causedBy(names, fault, error);
      }
    });
  });
});
