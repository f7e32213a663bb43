import { graduate } from "trading-terminal-devnet/sol/graduation";
import { setAccount } from "trading-terminal-devnet/sol/made-accounts";
import type { CurveToken, PumpPool } from "trading-terminal-devnet/sol/pump-deployment";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { tokenAccountOf } from "../../../lib/chains/sol/calls/addresses.ts";
import { tableForTests } from "../../support/dynamodb.ts";
import { coins, expectChainAgrees, placeAt } from "../../support/sol-agreement.ts";
import { openSolDesk, type SolDesk } from "../../support/sol-desk.ts";
import { solDeskForTests } from "../../support/sol-reader.ts";

const db = tableForTests();
const { chain, hosts } = solDeskForTests();

let bend: CurveToken;
let brim: CurveToken;
let grad: PumpPool;
beforeAll(() => {
  ({
    curves: { BEND: bend, BRIM: brim },
    pools: { GRAD: grad },
  } = chain.deployment.pump);
});

const open = () =>
  openSolDesk(
    { table: db.table, chain, hosts },
    { configuration: { pumpTable: chain.deployment.pump.table } },
  );

/** Places an order and runs the lane until it has ended. */
async function trade(desk: SolDesk, asked: Parameters<SolDesk["ask"]>[0]): Promise<string> {
  const orderId = await placeAt(desk, asked);
  await desk.work();
  await desk.settle();
  return orderId;
}

/** Gives a curve what it held at first. */
async function restore({ curve, mint, program }: CurveToken): Promise<void> {
  const held = await tokenAccountOf(curve, mint, program);
  for (const each of chain.deployment.accounts)
    if (each.address === curve || each.address === held) await setAccount(chain.request, each);
}

/** Completes a curve as if others had bought its last tokens. */
async function complete({ curve }: CurveToken): Promise<void> {
  const made = chain.deployment.accounts.find(({ address }) => address === curve);
  if (made === undefined) throw new Error("The curve was not made");
  const data = Buffer.from(made.data);
  data.writeUInt8(1, 48);
  await setAccount(chain.request, { ...made, data });
}

describe("orders through Pump's programs", () => {
  it.each([
    ["on the curve", () => ({ ...bend, pool: bend.curve, venue: "pump" })],
    ["in the pool of a graduated token", () => ({ ...grad, venue: "pumpswap" })],
  ] as const)("buys and sells %s, and accounts for every lamport", async (_, market) => {
    const desk = await open();
    const { mint: token, program, venue, pool } = market();
    const orders: string[] = [];
    for (const asked of [{ amount: "1" }, { side: "sell", percent: 100 }] as const)
      orders.push(await trade(desk, { ...asked, token }));
    for (const { order, report } of await expectChainAgrees(desk, orders, { mint: token, program })) {
      expect(order.status).toBe("filled");
      expect(report?.route).toMatchObject([{ venue, pool }]);
    }
    expect(await desk.units({ mint: token, program })).toBe(0n);
  });
});

describe("a curve that completes", () => {
  beforeEach(() => restore(brim));

  it("sells its last tokens for less than the order offers, and the pool buys them", async () => {
    const desk = await open();
    const token = brim.mint;
    const buy = await trade(desk, { token, amount: "1.05" });
    await expect(desk.ask({ token, side: "sell", percent: 100 })).rejects.toMatchObject({ code: "NO_ROUTE" });
    const graduated = await graduate(chain.request, brim);
    const sale = await trade(desk, { token, side: "sell", percent: 100 });
    const [bought, sold] = await expectChainAgrees(desk, [buy, sale], brim);
    expect(bought?.report?.route).toMatchObject([{ venue: "pump", pool: brim.curve }]);
    expect(sold?.report?.route).toMatchObject([{ venue: "pumpswap", pool: graduated?.pool }]);
    expect([bought?.order.status, sold?.order.status]).toEqual(["filled", "filled"]);
    expect(coins(bought?.order.filledAmount)).toBeLessThan(coins("1.02"));
  });

  it("leaves orders to the pool, which fills them at their minimum", async () => {
    const desk = await open();
    const orderId = await placeAt(desk, { token: brim.mint, amount: "0.1", slippage: 5 });
    await complete(brim);
    const graduated = await graduate(chain.request, brim);
    await desk.work();
    await desk.settle();
    const [shown] = await expectChainAgrees(desk, [orderId], brim);
    expect(shown?.order.status).toBe("filled");
    expect(shown?.report?.route).toMatchObject([{ venue: "pumpswap", pool: graduated?.pool }]);
  });

  it("fails an order on its way to a block, which loses its fee alone, and the next one trades in the pool", async () => {
    const desk = await open();
    const token = brim.mint;
    let graduated: PumpPool | undefined;
    desk.wrap = (effects) => ({
      ...effects,
      async send(ask) {
        if (graduated === undefined) {
          await complete(brim);
          graduated = await graduate(chain.request, brim);
        }
        return (await effects.send?.(ask)) ?? "unreached";
      },
    });
    const orders = [];
    for (let count = 0; count < 2; count++) orders.push(await trade(desk, { token, amount: "0.1" }));
    const [failed, filled] = await expectChainAgrees(desk, orders, brim);
    expect(failed?.order).toMatchObject({ status: "rejected", reasonCode: "REVERTED", filledAmount: "0" });
    expect(failed?.attempts).toMatchObject([{ outcome: "reverted" }]);
    expect(filled?.order.status).toBe("filled");
    expect(filled?.report?.route).toMatchObject([{ venue: "pumpswap", pool: graduated?.pool }]);
  });
});
