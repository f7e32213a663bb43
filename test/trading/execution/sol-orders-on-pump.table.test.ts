import { graduate } from "trading-terminal-devnet/sol/graduation";
import type { PumpPool } from "trading-terminal-devnet/sol/pump-deployment";
import { beforeEach, describe, expect, it } from "vitest";
import { pumpPoolOf, pumpVolumeOfUser } from "../../../lib/chains/sol/calls/pump-addresses.ts";
import type { PlaceOrderRequest } from "../../../lib/orders/trade-request.ts";
import { tableForTests } from "../../support/dynamodb.ts";
import { coins, expectChainAgrees, placeAt } from "../../support/sol-agreement.ts";
import { openSolDesk, type SolDesk, tooOldMs } from "../../support/sol-desk.ts";
import { solDeskForTests } from "../../support/sol-reader.ts";

const db = tableForTests();
const { chain, hosts } = solDeskForTests();

/** Restores curves and pools, so that each test knows their prices. */
beforeEach(async () => {
  const { BRIM } = chain.deployment.pump.curves;
  await chain.setAccount(await pumpPoolOf(BRIM.mint), 0n);
  await Promise.all(
    chain.deployment.accounts.map(({ address, lamports, owner, data }) =>
      chain.setAccount(address, BigInt(lamports), owner, data),
    ),
  );
});

const open = () =>
  openSolDesk(
    { table: db.table, chain, hosts },
    { configuration: { pumpTable: chain.deployment.pump.table } },
  );

async function filled(desk: SolDesk, asked: Partial<PlaceOrderRequest>): Promise<string> {
  const orderId = await placeAt(desk, asked);
  await desk.work();
  await desk.settle();
  return orderId;
}

/** Buys all that a curve has left, like a stranger. */
async function complete(token: string): Promise<void> {
  await filled(await open(), { token, amount: "2", maxPriceImpact: 90 });
}

const rentOf = async (bytes: number) =>
  BigInt((await chain.request("getMinimumBalanceForRentExemption", [bytes])) as number);

const request = (method: string, params: unknown[]) => chain.request(method, params);

describe("orders on Pump's curves and PumpSwap", () => {
  it("buys and sells on a curve, and accounts for every lamport", async () => {
    const { BEND } = chain.deployment.pump.curves;
    const desk = await open();
    const buy = await filled(desk, { token: BEND.mint, amount: "1" });
    const sale = await filled(desk, { token: BEND.mint, side: "sell", percent: 100 });
    const [bought, sold] = await expectChainAgrees(desk, [buy, sale], BEND);
    const route = [{ venue: "pump", pool: BEND.curve, feeBps: 123 }];
    expect(bought).toMatchObject({ order: { status: "filled" }, report: { route, slippage: 0 } });
    expect(sold).toMatchObject({ order: { status: "filled" }, report: { route, slippage: 0 } });
    // The marker, the token account with two extensions and the account of volumes, or the marker alone.
    const [marker, token, volume] = await Promise.all([1, 170, 137].map(rentOf));
    expect(coins(bought?.order.rent)).toBe((marker ?? 0n) + (token ?? 0n) + (volume ?? 0n));
    expect(coins(sold?.order.rent)).toBe(marker);
    expect(await desk.units(BEND)).toBe(0n);
  });

  it.each(["curve", "pool"] as const)(
    "accounts for every lamport of a trade on a %s if a stranger has paid a part of the rents",
    async (market) => {
      const { curves, pools } = chain.deployment.pump;
      const token = market === "curve" ? curves.BEND : pools.GRAD;
      const desk = await open();
      await chain.setAccount(await pumpVolumeOfUser(market, desk.wallet), await rentOf(0));
      const [shown] = await expectChainAgrees(
        desk,
        [await filled(desk, { token: token.mint, amount: "1" })],
        token,
      );
      expect(shown?.order.status).toBe("filled");
    },
  );

  it("buys and sells on PumpSwap, and accounts for every lamport", async () => {
    const { GRAD } = chain.deployment.pump.pools;
    const desk = await open();
    const buy = await filled(desk, { token: GRAD.mint, amount: "1" });
    const sale = await filled(desk, { token: GRAD.mint, side: "sell", percent: 100 });
    const shown = await expectChainAgrees(desk, [buy, sale], GRAD);
    for (const { order, report } of shown) {
      expect(order.status).toBe("filled");
      expect(report).toMatchObject({ route: [{ venue: "pumpswap", pool: GRAD.pool }], slippage: 0 });
    }
    expect(await desk.units(GRAD)).toBe(0n);
  });

  it.each(["curve", "pool"] as const)(
    "signs the first message of a buy and a sale on a %s from the facts of the placing",
    async (market) => {
      const { curves, pools } = chain.deployment.pump;
      const token = market === "curve" ? curves.BEND.mint : pools.GRAD.mint;
      const desk = await open();
      const { wrap } = desk;
      for (const asked of [{ amount: "1" }, { side: "sell", percent: 100 }] as const) {
        const order = await placeAt(desk, { token, ...asked });
        const { createdAt } = (await desk.read(order)).order;
        desk.aheadMs = Date.parse(createdAt) - Date.now();
        desk.wrap = (effects) => ({
          ...effects,
          hostSnapshot: () => Promise.reject(new Error("The run asks the hosts")),
        });
        await desk.work();
        expect((await desk.read(order)).attempts).toMatchObject([{ purpose: "swap" }]);
        desk.wrap = wrap;
        await desk.settle();
        expect((await desk.read(order)).order.status).toBe("filled");
      }
    },
  );

  it("buys what a curve has left for less than the amount, and sells it in the pool that follows", async () => {
    const { BRIM } = chain.deployment.pump.curves;
    const desk = await open();
    const buy = await filled(desk, { token: BRIM.mint, amount: "2", maxPriceImpact: 90 });
    const pool = await graduate(request, BRIM);
    const sale = await filled(desk, { token: BRIM.mint, side: "sell", percent: 100 });
    const [bought, sold] = await expectChainAgrees(desk, [buy, sale], BRIM);
    expect(bought).toMatchObject({ order: { status: "filled" }, report: { route: [{ venue: "pump" }] } });
    expect(coins(bought?.order.filledAmount)).toBeLessThan(coins("1.1"));
    expect(sold?.report?.route).toMatchObject([{ venue: "pumpswap", pool: pool?.pool }]);
  });

  it("makes the message on the pool if the token has moved there since the quote", async () => {
    const { BRIM } = chain.deployment.pump.curves;
    const desk = await open();
    const order = await placeAt(desk, { token: BRIM.mint, amount: "0.1", slippage: 50 });
    desk.aheadMs = tooOldMs;
    await complete(BRIM.mint);
    const pool = await graduate(request, BRIM);
    await desk.work();
    await desk.settle();
    const [shown] = await expectChainAgrees(desk, [order], BRIM);
    expect(shown).toMatchObject({
      order: { status: "filled" },
      report: { route: [{ venue: "pumpswap", pool: pool?.pool }] },
    });
  });

  it("rejects an order if its curve is complete but the pool does not exist yet, and spends nothing", async () => {
    const { BRIM } = chain.deployment.pump.curves;
    const desk = await open();
    const order = await placeAt(desk, { token: BRIM.mint, amount: "0.1", slippage: 50 });
    desk.aheadMs = tooOldMs;
    await complete(BRIM.mint);
    await desk.work();
    await desk.settle();
    const [shown] = await expectChainAgrees(desk, [order], BRIM);
    expect(shown?.order).toMatchObject({ status: "rejected", reasonCode: "NO_ROUTE" });
    await expect(desk.ask({ token: BRIM.mint, amount: "0.1" })).rejects.toMatchObject({ code: "NO_ROUTE" });
  });

  it("fails an order whose curve completes before the block, which costs only its fee, and then trades in the pool", async () => {
    const { BRIM } = chain.deployment.pump.curves;
    const desk = await open();
    let pool: PumpPool | undefined;
    desk.wrap = (effects) => ({
      ...effects,
      async send(ask) {
        if (pool === undefined) {
          await complete(BRIM.mint);
          pool = await graduate(request, BRIM);
        }
        return (await effects.send?.(ask)) ?? "unreached";
      },
    });
    const orders: string[] = [];
    for (let count = 0; count < 2; count++)
      orders.push(await filled(desk, { token: BRIM.mint, amount: "0.1" }));
    const [failed, next] = await expectChainAgrees(desk, orders, BRIM);
    expect(failed?.order).toMatchObject({ status: "rejected", reasonCode: "REVERTED", filledAmount: "0" });
    expect(failed?.attempts).toMatchObject([{ outcome: "reverted" }]);
    expect(next?.order.status).toBe("filled");
    expect(next?.report?.route).toMatchObject([{ venue: "pumpswap", pool: pool?.pool }]);
  });

  it("does not trade there without a lookup table", async () => {
    const desk = await openSolDesk({ table: db.table, chain, hosts });
    const { BEND } = chain.deployment.pump.curves;
    await expect(desk.ask({ token: BEND.mint, amount: "1" })).rejects.toMatchObject({ code: "NO_ROUTE" });
  });
});
