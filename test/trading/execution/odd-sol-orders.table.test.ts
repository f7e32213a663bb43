import type { Address } from "@solana/web3.js";
import { parseUnits } from "ethers/utils";
import { tokenAccountBytes } from "trading-terminal-devnet/sol/test-surfnet";
import { describe, expect, it, vi } from "vitest";
import { markerOf, programs, tokenAccountOf } from "../../../lib/chains/sol/calls/addresses.ts";
import type { RestData } from "../../../lib/client/index.ts";
import { tableForTests } from "../../support/dynamodb.ts";
import { openSolDesk, type SolDesk, tooOldMs } from "../../support/sol-desk.ts";
import { solDeskForTests } from "../../support/sol-reader.ts";
import { addMint, addPool, holdTokens } from "../../support/sol-tokens.ts";

const db = tableForTests();

const { chain, hosts } = solDeskForTests();
const open = (options?: Parameters<typeof openSolDesk>[1]) =>
  openSolDesk({ table: db.table, chain, hosts }, options);

const lamportsOf = (text = "0") => parseUnits(text, 9);

/** Rent of an account of the wrapped coin, the same as for any account of the first token program. */
const rent = 1_488_440n;
const feezRent = 2_157_600n;

type Asked = Parameters<SolDesk["ask"]>[0];

async function place(desk: SolDesk, asked: Asked): Promise<string> {
  const placed = await desk.ask(asked);
  if (!("order" in placed)) throw new Error("The order was not placed");
  return placed.order.orderId;
}

async function settled(desk: SolDesk, orderId: string): Promise<RestData<"getOrder">> {
  await desk.work();
  await desk.settle();
  const shown = (await desk.read(orderId)) as RestData<"getOrder">;
  expect(shown.order.settled).toBe(true);
  return shown;
}

const refusalOf = (desk: SolDesk, asked: Asked): Promise<{ code: string; message: string }> =>
  desk.ask(asked).then(
    () => ({ code: "placed", message: "" }),
    ({ code, message }) => ({ code, message }),
  );

/** Expects an order to end without a message, at no cost to the wallet, if its run asks the hosts. */
async function expectRefused(desk: SolDesk, orderId: string): Promise<void> {
  desk.aheadMs = tooOldMs;
  const coins = await desk.coins();
  const { order, attempts } = await settled(desk, orderId);
  expect(order).toMatchObject({ status: "rejected", reasonCode: "NO_ROUTE", networkFee: "0" });
  expect(attempts).toEqual([]);
  expect(await desk.coins()).toBe(coins);
}

/** Sets the wallet's account of FEEZ, with an extension that the wallet's owner has switched on or off. */
async function setFeez(wallet: Address, units: bigint, extension: number, isOn: boolean): Promise<void> {
  const { mint, program } = chain.deployment.tokens.FEEZ;
  const plain = tokenAccountBytes(mint, wallet, units);
  // Encodes the account's type, its fixed owner and its withheld amount before the extension.
  const own = Buffer.of(2, 7, 0, 0, 0, 2, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0, extension, 0, 1, 0, Number(isOn));
  const at = await tokenAccountOf(wallet, mint, program);
  await chain.setAccount(at, 2n * feezRent, program, Buffer.concat([plain, own]));
}

describe.concurrent("orders on sol with an odd token account", () => {
  it("rejects orders if the wallet's token account was given away, and ends open orders without a fee", async () => {
    const desk = await open();
    const { mint, program } = chain.deployment.tokens.MOON;
    const orderId = await place(desk, { amount: "1" });
    const thief = await chain.newWallet();
    const at = await tokenAccountOf(desk.wallet, mint, program);
    await chain.setAccount(at, rent, program, tokenAccountBytes(mint, thief.address, 0n));
    await expectRefused(desk, orderId);
    const refused = { code: "NO_ROUTE", message: expect.stringContaining("somebody else") };
    expect(await refusalOf(desk, { amount: "1" })).toEqual(refused);
    expect(await refusalOf(desk, { side: "sell", percent: 100 })).toEqual(refused);
  });

  it("rejects sales through a pool from an account with a CPI Guard, and allows buys", async () => {
    const desk = await open();
    const token = chain.deployment.tokens.FEEZ.mint;
    const guard = (isOn: boolean) => setFeez(desk.wallet, 10n ** 9n, 11, isOn);
    await guard(false);
    const orderId = await place(desk, { side: "sell", token, amount: "100" });
    await guard(true);
    await expectRefused(desk, orderId);
    expect(await refusalOf(desk, { side: "sell", token, percent: 100 })).toEqual({
      code: "NO_ROUTE",
      message: expect.stringContaining("CPI Guard"),
    });
    const { order } = await settled(desk, await place(desk, { token, amount: "0.1" }));
    expect(order).toMatchObject({ status: "filled", filledAmount: "0.1" });
  });

  it("rejects buys through a pool into an account that needs memos, and allows sales", async () => {
    const desk = await open();
    const token = chain.deployment.tokens.FEEZ.mint;
    const memos = (isOn: boolean) => setFeez(desk.wallet, 10n ** 9n, 8, isOn);
    await memos(false);
    const orderId = await place(desk, { token, amount: "0.1" });
    await memos(true);
    await expectRefused(desk, orderId);
    expect(await refusalOf(desk, { token, amount: "0.1" })).toEqual({
      code: "NO_ROUTE",
      message: expect.stringContaining("a memo"),
    });
    const { order } = await settled(desk, await place(desk, { side: "sell", token, percent: 100 }));
    expect(order).toMatchObject({ status: "filled", filledAmount: "1000" });
  });
});

describe.concurrent("decimals of tokens on sol", () => {
  it.each([
    [0, 5n * 10n ** 6n],
    [9, 5n * 10n ** 15n],
  ])("fills an order for a token with %i decimals to the unit", async (decimals, tokens) => {
    const desk = await open();
    const token = await addMint(chain, decimals);
    await addPool(chain, { mint: token, coins: 500n * 10n ** 9n, tokens });
    const unitsOf = (text = "0") => parseUnits(text, decimals);
    const held = () => desk.units({ mint: token, program: programs.token });

    const bought = (await settled(desk, await place(desk, { token, amount: "1" }))).order;
    expect(bought).toMatchObject({ status: "filled", filledAmount: "1" });
    expect(unitsOf(bought.receivedAmount)).toBe(await held());
    expect(await held()).toBe((tokens * 997_500_000n) / (500n * 10n ** 9n + 997_500_000n));

    const sold = (await settled(desk, await place(desk, { side: "sell", token, percent: 100 }))).order;
    expect(sold).toMatchObject({ status: "filled", filledAmount: bought.receivedAmount });
    const costs = [bought, sold].flatMap(({ networkFee, rent }) => [networkFee, rent]).map(lamportsOf);
    const gain = lamportsOf(sold.receivedAmount) - lamportsOf(bought.filledAmount);
    expect([await held(), await desk.coins()]).toEqual([
      0n,
      costs.reduce((left, cost) => left - cost, 10n ** 10n + gain),
    ]);
  });

  it("rejects a token with 255 decimals", async () => {
    const token = await addMint(chain, 255);
    await addPool(chain, { mint: token, coins: 500n * 10n ** 9n, tokens: 10n ** 12n });
    expect(await refusalOf(await open(), { token, amount: "1" })).toMatchObject({ code: "TOKEN_NOT_FOUND" });
  });
});

describe.concurrent("a sale on sol", () => {
  /** Rents of the wrapped coin's account and the marker, plus the base fees of seven messages. */
  const floor = rent + 655_320n + 7n * 5000n;

  it("fills a sale if the wallet's coins just cover the costs, and rejects it with one lamport less", async () => {
    expect(floor).toBe(2_178_760n);
    for (const lamports of [0n, 895_882n, 2_039_280n, 2_044_282n, floor - 1n]) {
      const poor = await open({ lamports });
      await holdTokens(chain, poor.wallet, chain.deployment.tokens.MOON, 10n ** 9n);
      expect(await refusalOf(poor, { side: "sell", percent: 100 })).toMatchObject({
        code: "INSUFFICIENT_BALANCE",
      });
    }
    const desk = await open({ lamports: floor });
    await holdTokens(chain, desk.wallet, chain.deployment.tokens.MOON, 10n ** 9n);
    const { order } = await settled(desk, await place(desk, { side: "sell", percent: 100 }));
    expect(order).toMatchObject({ status: "filled", filledAmount: "1000", networkFee: "0.000005" });
    const gain = lamportsOf(order.receivedAmount);
    expect([await desk.units(), await desk.coins()]).toEqual([0n, floor - 655_320n - 5000n + gain]);
  });
});

describe.concurrent("cancelling an order on sol", () => {
  it.each([
    ["", false],
    [", though a stranger has paid into the marker", true],
  ])(
    "ends a cancelled order by its clear, and lets its own message fail at the marker%s",
    async (_, isPaidInto) => {
      const desk = await open();
      const orderId = await place(desk, { amount: "1" });
      let kept: string | undefined;
      // Pretends to send the first message, and keeps it for later.
      desk.wrap = (effects) => ({
        ...effects,
        async send(ask) {
          kept ??= ask.raw;
          return ask.raw === kept ? "reached" : (effects.send?.(ask) ?? "unreached");
        },
      });
      // Two hosts may take some time to agree on a busy machine.
      await vi.waitFor(async () => {
        await desk.work();
        expect(kept).toBeDefined();
      }, 30_000);
      if (isPaidInto) await chain.setAccount(await markerOf(desk.wallet, orderId), 650_240n);
      expect(await desk.cancel(orderId)).toMatchObject({ status: "open", stage: "cancelling" });
      const shown = async () => (await desk.read(orderId)) as RestData<"getOrder">;
      await vi.waitFor(async () => {
        await desk.watchAndWork();
        const { order } = await shown();
        expect(order).toMatchObject({ status: "cancelled", reasonCode: "CANCELLED_BY_USER", settled: false });
      }, 30_000);
      await chain.request("sendTransaction", [kept, { encoding: "base64", skipPreflight: true }]);
      await desk.settle();
      const { order, attempts } = await shown();
      expect(order).toMatchObject({ status: "cancelled", filledAmount: "0", settled: true });
      expect(attempts).toMatchObject([
        { purpose: "swap", outcome: "reverted" },
        { purpose: "clear", outcome: "mined" },
      ]);
      const costs = lamportsOf(order.networkFee) + lamportsOf(order.rent);
      expect([await desk.units(), await desk.coins()]).toEqual([0n, 10n ** 10n - costs]);
      expect(desk.landings).toEqual([
        { path: "public", signed: 1, landed: 1 },
        { path: "clear", signed: 1, landed: 1 },
      ]);
    },
  );
});
