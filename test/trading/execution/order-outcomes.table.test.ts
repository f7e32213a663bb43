import { localAddresses } from "trading-terminal-devnet/evm/deployment";
import { startTestChain, type TestChain } from "trading-terminal-devnet/evm/test-chain";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { tableForTests } from "../../support/dynamodb.ts";
import { deployOddToken } from "../../support/odd-tokens.ts";
import { openDesk, type TradingDesk } from "../../support/trading-desk.ts";

const db = tableForTests();
const { taxd } = localAddresses;

let chain: TestChain;
let desk: TradingDesk;

beforeAll(async () => {
  chain = await startTestChain();
});
afterAll(() => chain.close());
beforeEach(async () => {
  await chain.restore();
  desk = await openDesk(db.table, chain);
});

/** Makes all further blocks later than any order's deadline. */
async function passTime(): Promise<void> {
  await chain.request("evm_increaseTime", [3600]);
  await chain.mine();
}

const purposesOf = ({ attempts }: Awaited<ReturnType<TradingDesk["read"]>>) =>
  attempts.map(({ purpose, outcome }) => `${purpose} ${outcome}`);

describe("cancelling an order", () => {
  it("ends an unsigned order at once, and ignores a second cancellation", async () => {
    const { orderId } = await desk.place({ amount: "0.5" });
    const cancelled = { status: "cancelled", stage: "done", reasonCode: "CANCELLED_BY_USER", version: 2 };
    expect(await desk.cancel(orderId)).toMatchObject(cancelled);
    expect(await desk.cancel(orderId)).toMatchObject(cancelled);
    await desk.settle();
    expect(await desk.read(orderId)).toMatchObject({
      order: { ...cancelled, version: 3, settled: true },
      attempts: [],
    });
    expect(await desk.coins()).toBe(100n * 10n ** 18n);
  });

  it("keeps an approval that was sent before the cancellation, and shows its fee", async () => {
    const { orderId: bought } = await desk.place({ amount: "0.5" });
    await desk.work();
    await desk.settle();
    expect(await desk.read(bought)).toMatchObject({ order: { status: "filled" } });
    const { orderId } = await desk.place({ side: "sell", percent: 50 });
    await desk.work();
    expect(await desk.read(orderId)).toMatchObject({ order: { stage: "approving" } });
    expect(await desk.cancel(orderId)).toMatchObject({ status: "cancelled" });
    await desk.settle();
    const after = await desk.read(orderId);
    expect(after).toMatchObject({ order: { status: "cancelled", settled: true } });
    expect(purposesOf(after)).toEqual(["approve mined"]);
    expect(Number(after.order.networkFee)).toBeGreaterThan(0);
  });

  it("replaces the signed swap of a cancelled order with a competing transaction", async () => {
    const { orderId } = await desk.place({ amount: "0.5" });
    await desk.work();
    expect(await desk.cancel(orderId)).toMatchObject({ status: "open", stage: "cancelling" });
    expect(await desk.cancel(orderId)).toMatchObject({ status: "open", stage: "cancelling" });
    await desk.work();
    await desk.settle();
    const after = await desk.read(orderId);
    expect(after).toMatchObject({
      order: { status: "cancelled", settled: true, reasonCode: "CANCELLED_BY_USER", filledAmount: "0" },
    });
    expect(purposesOf(after)).toEqual(["swap replaced", "clear mined"]);
    expect(await desk.held()).toBe(0n);
  });

  it("fills a cancelled order if its swap is mined first", async () => {
    const { orderId } = await desk.place({ amount: "0.5" });
    await desk.work();
    expect(await desk.cancel(orderId)).toMatchObject({ stage: "cancelling" });
    await desk.settle();
    expect(await desk.read(orderId)).toMatchObject({ order: { status: "filled", settled: true } });
    await expect(desk.cancel(orderId)).rejects.toMatchObject({
      code: "ORDER_NOT_CANCELLABLE",
      details: { status: "filled" },
    });
  });

  it("expires a cancelled order that no block included in time, and cancels it when its clear is mined", async () => {
    const { orderId } = await desk.place({ amount: "0.5" });
    await desk.work();
    expect(await desk.cancel(orderId)).toMatchObject({ stage: "cancelling" });
    await chain.request("anvil_dropAllTransactions");
    await passTime();
    await desk.work();
    expect(await desk.read(orderId)).toMatchObject({
      order: { status: "expired", reasonCode: "NOT_INCLUDED" },
    });
    await desk.settle();
    expect(await desk.read(orderId)).toMatchObject({ order: { status: "cancelled", settled: true } });
  });

  it("cancels only the user's own orders", async () => {
    const { orderId } = await desk.place({ amount: "0.5" });
    const stranger = await openDesk(db.table, chain);
    await expect(stranger.cancel(orderId)).rejects.toMatchObject({ code: "ORDER_NOT_FOUND" });
    await expect(stranger.read(orderId)).rejects.toMatchObject({ code: "ORDER_NOT_FOUND" });
  });
});

describe("outcomes of an order", () => {
  const raiseTax = async (token: string) => {
    const code = await chain.request("eth_getCode", [taxd, "latest"]);
    await chain.request("anvil_setCode", [token, code]);
  };

  it("ends an order without a transaction if the token's owner has raised the tax since the quote", async () => {
    const token = await deployOddToken(chain, "has nothing odd");
    const { orderId } = await desk.place({ token, amount: "0.01" });
    await raiseTax(token);
    await desk.workLate();
    await desk.settle();
    expect(await desk.read(orderId)).toMatchObject({
      order: { status: "rejected", reasonCode: "SLIPPAGE_EXCEEDED", networkFee: "0", settled: true },
      attempts: [],
    });
  });

  it("charges an order only its network fee if the tax is raised before the block", async () => {
    const token = await deployOddToken(chain, "has nothing odd");
    const { orderId } = await desk.place({ token, amount: "0.01" });
    await desk.work();
    await raiseTax(token);
    await desk.settle();
    const after = await desk.read(orderId);
    expect(after).toMatchObject({
      order: { status: "rejected", reasonCode: "SLIPPAGE_EXCEEDED", filledAmount: "0" },
    });
    expect(purposesOf(after)).toEqual(["swap reverted"]);
  });

  it("makes an order wait for another program's pending transaction, and fills it afterwards", async () => {
    const { orderId } = await desk.place({ amount: "0.5" });
    const { wallet: from } = desk;
    await chain.request("anvil_impersonateAccount", [from]);
    await chain.request("eth_sendTransaction", [{ from, to: from, value: "0x1" }]);
    await desk.workLate();
    expect(await desk.read(orderId)).toMatchObject({
      order: { stage: "waiting", reasonCode: "WALLET_BUSY" },
    });
    await chain.mine();
    await desk.work();
    await desk.settle();
    expect(await desk.read(orderId)).toMatchObject({ order: { status: "filled" }, attempts: [{ nonce: 1 }] });
  });

  it("frees the nonce of a wallet that is delegated to a contract, even if the contract accepts no calls", async () => {
    const { orderId } = await desk.place({ amount: "0.5" });
    await desk.work();
    await chain.request("anvil_setCode", [desk.wallet, `0xef0100${taxd.slice(2)}`]);
    await desk.cancel(orderId);
    await desk.work();
    await desk.settle();
    const after = await desk.read(orderId);
    expect(after).toMatchObject({ order: { status: "cancelled", settled: true } });
    expect(purposesOf(after)).toEqual(["swap replaced", "clear reverted"]);
  });

  it("fills an order of a wallet that is delegated to a contract", async () => {
    await chain.request("anvil_setCode", [desk.wallet, `0xef0100${taxd.slice(2)}`]);
    // The contract accepts no coin, so the wallet itself cannot sell.
    const { orderId } = await desk.place({ amount: "0.5", allowUnsafe: true });
    await desk.work();
    await desk.settle();
    expect(await desk.read(orderId)).toMatchObject({ order: { status: "filled", settled: true } });
  });
});
