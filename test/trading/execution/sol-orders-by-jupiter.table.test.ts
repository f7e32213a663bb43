import { setTimeout as pause } from "node:timers/promises";
import { parseUnits } from "ethers/utils";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import type { TokenKey } from "../../../lib/chains/sol/calls/token-balances.ts";
import { readTransaction } from "../../../lib/chains/sol/messages/signed-message.ts";
import type { Sol } from "../../../lib/chains/sol/rules/family.ts";
import { forEachConcurrently } from "../../../lib/core/concurrency.ts";
import type { SignRequest } from "../../../lib/orders/effects.ts";
import { tableForTests } from "../../support/dynamodb.ts";
import { startTestJupiter, type TestJupiter } from "../../support/jupiter.ts";
import { expectChainAgrees, placeAt } from "../../support/sol-agreement.ts";
import { openSolDesk, type SolDesk } from "../../support/sol-desk.ts";
import { solDeskForTests } from "../../support/sol-reader.ts";
import { causedBy, failOne, faultsOf, survives } from "./support/effect-faults.ts";

const db = tableForTests();
const { FULL } = process.env;

const { chain, hosts } = solDeskForTests();
let jupiter: TestJupiter;
let orbit: string;
let orbitKey: TokenKey;
beforeAll(async () => {
  jupiter = await startTestJupiter(chain);
  orbitKey = chain.deployment.jupiter.pools.ORBIT;
  orbit = orbitKey.mint;
});
afterAll(() => jupiter.close());
beforeEach(() => {
  jupiter.faults = {};
  jupiter.asked.length = 0;
});

/** One coin buys 10,153 tokens; many coins buy slightly fewer tokens each. */
const leastOf = (amount: number, slippage = 1) => ({
  token: orbit,
  amount: String(amount),
  minAmountOut: (amount * 10_150 * (1 - slippage / 100)).toFixed(6),
});

const open = (options: { lamports?: bigint } = {}) =>
  openSolDesk(
    { table: db.table, chain, hosts },
    { configuration: { jupiter: { url: jupiter.url } }, ...options },
  );

/** Records the terms of all transactions that a desk sends. */
function noteSent(desk: SolDesk) {
  const sent: string[] = [];
  desk.wrap = (effects) => ({
    ...effects,
    send(ask) {
      sent.push(ask.raw);
      return effects.send?.(ask) ?? "unreached";
    },
  });
  return {
    async helpers() {
      const terms = await Promise.all(
        [...new Set(sent)].map((raw) => readTransaction(Buffer.from(raw, "base64"), [])),
      );
      return terms.map((each) =>
        each?.purpose === "swap" && each.venue.kind === "jupiter" ? each.venue.helper : undefined,
      );
    },
  };
}

describe("orders on sol through Jupiter", () => {
  it("buys and sells a token without a pool, and accounts for every lamport", async () => {
    const desk = await open();
    const sent = noteSent(desk);
    const buy = await placeAt(desk, leastOf(1));
    await desk.work();
    await desk.settle();
    const sale = await placeAt(desk, { token: orbit, side: "sell", percent: 100, minAmountOut: "0.98" });
    await desk.work();
    await desk.settle();
    const [bought, sold] = await expectChainAgrees(desk, [buy, sale], orbitKey);
    expect([bought?.order.status, sold?.order.status]).toEqual(["filled", "filled"]);
    expect(await desk.units(orbitKey)).toBe(0n);
    // Both signatures are included in the network fee.
    expect(bought?.report).toMatchObject({
      networkFee: { total: "0.00017" },
      route: [{ venue: "jupiter-metis", tokenIn: "native", tokenOut: orbit }],
    });
    const helpers = await sent.helpers();
    expect(new Set(helpers).size).toBe(2);
    expect(helpers).not.toContain(undefined);
    expect(jupiter.asked.map(({ taker }) => taker)).toEqual(expect.arrayContaining(helpers as string[]));
    expect(desk.faults).toEqual([]);
  });

  it("enforces the order's minimum, whatever Jupiter quotes", async () => {
    const desk = await open();
    let request: SignRequest<Sol> | undefined;
    desk.wrap = (effects) => ({
      ...effects,
      sign(ask) {
        request = ask.request as SignRequest<Sol>;
        return effects.sign?.(ask) ?? { later: "" };
      },
    });
    const orderId = await placeAt(desk, leastOf(0.1, 3));
    await desk.work();
    await desk.settle();
    const shown = await desk.read(orderId);
    const message = request?.message;
    if (message === undefined || !("build" in message))
      return expect.fail("No transaction by Jupiter was signed");
    const data = Buffer.from(message.build.data, "base64");
    expect(data.readBigUInt64LE(16)).toBe(parseUnits(shown.order.minAmountOut ?? "", 6));
    expect(data.readUInt16LE(24)).toBe(0);
  });

  it.each(["silent", "rateLimited", "otherDestination"] as const)(
    "uses the pool that both hosts named if Jupiter later fails with %s",
    async (fault) => {
      const desk = await open();
      const orderId = await placeAt(desk, { amount: "0.1", slippage: 5 });
      jupiter.faults = { [fault]: 1 };
      await desk.work();
      await desk.settle();
      const [shown] = await expectChainAgrees(desk, [orderId]);
      expect(shown?.report?.route).toMatchObject([{ venue: "raydium-cpmm" }]);
      expect(desk.faults).not.toEqual([]);
    },
  );

  it("waits for Jupiter if an order may use no other route", async () => {
    const desk = await open();
    const orderId = await placeAt(desk, leastOf(0.1, 5));
    jupiter.faults = { otherProgram: 1 };
    await desk.work();
    expect((await desk.read(orderId)).order).toMatchObject({
      status: "open",
      stage: "waiting",
      reasonCode: "CHAIN_UNAVAILABLE",
    });
    jupiter.faults = {};
    await desk.work();
    await desk.settle();
    const [shown] = await expectChainAgrees(desk, [orderId], orbitKey);
    expect(shown?.order.status).toBe("filled");
  });

  it("ends an order with Jupiter's own error if the price falls before its transaction is in a block", async () => {
    const desk = await open();
    const orderId = await placeAt(desk, leastOf(0.1));
    const { coin, token } = chain.deployment.jupiter.pools.ORBIT.vaults;
    const moved = await accountOf(token);
    desk.wrap = (effects) => ({
      ...effects,
      async send(ask) {
        const data = Buffer.from(moved.data);
        data.writeBigUInt64LE(data.readBigUInt64LE(64) / 2n, 64);
        await chain.setAccount(token, moved.lamports, moved.owner, data);
        return (await effects.send?.(ask)) ?? "unreached";
      },
    });
    await desk.work();
    await desk.settle();
    await chain.setAccount(token, moved.lamports, moved.owner, moved.data);
    const [shown] = await expectChainAgrees(desk, [orderId], orbitKey);
    expect(shown?.order).toMatchObject({ status: "rejected", reasonCode: "SLIPPAGE_EXCEEDED" });
    expect(coin).not.toBe(token);
  });

  it("ends an order once if any effect fails, and never uses a helper key twice", async () => {
    const whole = await open();
    const names = failOne(whole, undefined);
    await expectChainAgrees(whole, [await play(whole)], orbitKey);
    expect(names).toContain("signAsHelper");
    const wanted = ["signAsHelper", "sign", "write", "send"];
    const faults = names.flatMap((name, index) =>
      faultsOf(name)
        .filter((how) => FULL || (wanted.includes(name) && how === "died after"))
        .map((how) => ({ number: index + 1, how })),
    );
    await forEachConcurrently(faults, { concurrency: 8 }, async (fault) => {
      const desk = await open();
      failOne(desk, fault);
      try {
        const [shown] = await expectChainAgrees(desk, [await play(desk)], orbitKey);
        expect([shown?.order.status, shown?.order.reasonCode]).toEqual(["filled", undefined]);
      } catch (error) {
        throw causedBy(names, fault, error);
      }
    });
  });
});

describe("a dishonest Jupiter server", () => {
  it("prevents Jupiter from trading at a price of its own", async () => {
    const desk = await open();
    jupiter.faults = { cheat: 1 };
    await expect(desk.ask({ token: orbit, amount: "1" })).rejects.toMatchObject({ code: "NO_REFERENCE" });
    const orderId = await placeAt(desk, leastOf(1));
    await desk.work();
    await desk.settle();
    const [shown] = await expectChainAgrees(desk, [orderId], orbitKey);
    expect(shown?.order).toMatchObject({ status: "rejected", reasonCode: "SLIPPAGE_EXCEEDED" });
    expect(await desk.coins()).toBe(10n ** 10n);
  });

  it("detects a shallow pool behind Jupiter by letting both hosts simulate a tenth of the amount", async () => {
    const desk = await open({ lamports: 10n ** 12n });
    // A trade of 400 coins strongly moves the price in a pool of 500.
    const asked = { token: orbit, amount: "400", minAmountOut: "1" };
    await expect(desk.ask(asked)).rejects.toMatchObject({ code: "PRICE_IMPACT_TOO_HIGH" });
  });
});

async function accountOf(address: string) {
  const { value } = (await chain.request("getAccountInfo", [address, { encoding: "base64" }])) as {
    value: { lamports: number; owner: string; data: [string] };
  };
  const { lamports, owner, data } = value;
  return { lamports: BigInt(lamports), owner: owner as never, data: Buffer.from(data[0], "base64") };
}

/** Buys a token. If a run dies, continues after its lease has ended. */
async function play(desk: SolDesk): Promise<string> {
  // Jupiter's answer may come too late on a busy machine.
  const orderId = await vi.waitFor(() => placeAt(desk, leastOf(0.01, 10)), 30_000);
  for (const endMs = Date.now() + 60_000; Date.now() < endMs; await pause(100)) {
    if (!(await survives(() => desk.watchAndWork()))) desk.aheadMs += 31_000;
    if (await desk.isDone()) return orderId;
  }
  throw new Error("The order did not end");
}
