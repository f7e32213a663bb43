import { deployer, localAddresses } from "trading-terminal-devnet/evm/deployment";
import { startSecondHost } from "trading-terminal-devnet/evm/second-host";
import { startTestChain, type TestChain } from "trading-terminal-devnet/evm/test-chain";
import { approval, v3Liquidity } from "trading-terminal-devnet/evm/uniswap";
import { type UnkindnessName, unkindnesses } from "trading-terminal-devnet/evm/unkindnesses";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { quoteOnEvm } from "../../../../lib/chains/evm/quotes/quote-on-chain.ts";
import { gasLimitFor } from "../../../../lib/chains/evm/rules/fees.ts";
import type { EvmOrderFacts, EvmSnapshot } from "../../../../lib/chains/evm/rules/host-snapshot.ts";
import {
  type EvmIntent,
  type EvmRoute,
  isSameEvmRoute,
  swapBy,
} from "../../../../lib/chains/evm/rules/intent.ts";
import type { RpcCall } from "../../../../lib/chains/hosts/rpc-call.ts";
import type { RpcHost } from "../../../../lib/chains/hosts/rpc-host.ts";
import { creationOfToken } from "../../../support/odd-tokens.ts";
import { localV2 as v2, localV3 as v3 } from "../../../support/trading.ts";
import { coins, hostAt, intent, wallet, walletOn } from "./support/wallet-on.ts";

let chain: TestChain;
beforeAll(async () => {
  chain = await startTestChain({ chain: "base" });
});
afterAll(() => chain.close());
beforeEach(() => chain.restore());

const { moon, usdx, taxd, trap, v3Router } = localAddresses;
const { send, swap, changing, readerOf, take, factsOf, bestOf, receiptOf, wei } = walletOn(() => chain);

describe("snapshotOf", () => {
  it("shows the wallet at the latest and at the finalized block", async () => {
    await send({ purpose: "clear" });
    await chain.mine(3);
    await send({ purpose: "clear" });
    const snapshot = await take();
    const latest = (await chain.request("eth_getBlockByNumber", ["latest", false])) as { hash: string };
    expect(snapshot?.latest.hash).toBe(latest.hash);
    expect(snapshot?.finalized.number).toBeLessThan(snapshot?.latest.number ?? 0);
    expect(snapshot?.nonce).toEqual({ latest: 2, pending: 2 });
    expect(snapshot?.coins).toBe(await wei());
    expect(snapshot?.clearL1Fee).toBeGreaterThan(0n);
  });

  it("estimates the gas of a clear only if a transaction was sent", async () => {
    const { transactionHash } = await send({ purpose: "clear" });
    expect(await take()).not.toHaveProperty("clearGas");
    expect(await take({ hashes: [transactionHash] })).toMatchObject({ clearGas: 21_000n });
  });

  it("sees a transaction through a host that cannot estimate the gas of a clear", async () => {
    const { transactionHash } = await send({ purpose: "clear" });
    const host = await startSecondHost({ chainUrl: chain.url });
    host.lie = ({ method }, reply) =>
      method === "eth_estimateGas" ? { error: { code: -32000, message: "internal error" } } : reply;
    const snapshot = await take({ hashes: [transactionHash] }, hostAt(host.url)).finally(host.close);
    expect(snapshot?.receipts.get(transactionHash)).toMatchObject({ status: "ok" });
    expect(snapshot).not.toHaveProperty("clearGas");
  });

  it("returns the hashes of requested blocks that exist", async () => {
    const snapshot = await take();
    const number = snapshot?.latest.number ?? 0;
    expect((await take({ blocks: [number, number + 9] }))?.blocks).toEqual(
      new Map([[number, snapshot?.latest.hash]]),
    );
  });

  it("counts a waiting transaction only in the pending nonce", async () => {
    await chain.request("eth_sendTransaction", [{ from: wallet, to: wallet, gas: "0x5208" }]);
    expect((await take())?.nonce).toMatchObject({ latest: 0, pending: 1 });
  });

  it.each<[string, EvmRoute]>([
    ["v2", v2],
    ["v3", v3],
  ])("reads the amounts of a buy and a sale on %s from their receipts", async (_, route) => {
    const before = await wei();
    const bought = await receiptOf(await swap({}, route));
    expect(bought).toMatchObject({ status: "ok", spent: coins(0.5) });
    if (bought?.status !== "ok") throw new Error("The purchase failed");
    expect(before - (await wei())).toBe(bought.spent + bought.fee);

    const amount = bought.received;
    const { router } = route;
    const approved = await receiptOf(await send({ purpose: "approve", token: moon, router, amount }));
    expect(approved).toMatchObject({ status: "ok", spent: 0n, received: 0n });
    const middle = await wei();
    const sold = await receiptOf(await swap({ side: "sell", amount }, route));
    expect(sold).toMatchObject({ status: "ok", spent: amount });
    if (sold?.status !== "ok") throw new Error("The sale failed");
    expect((await wei()) - middle).toBe(sold.received - sold.fee);
    expect((await factsOf(intent({ side: "sell", amount }))).held).toBe(0n);
  });

  it("reports whether a swap failed because of its minimum", async () => {
    const slipped = await swap({ minAmountOut: 10n ** 30n }, v2);
    const late = await swap({ validUntil: 1 }, v3);
    const snapshot = await take({ hashes: [slipped.transactionHash, late.transactionHash] });
    expect([...(snapshot?.receipts.values() ?? [])]).toMatchObject([
      { status: "failed", isSlippage: true },
      { status: "failed", isSlippage: false },
    ]);
  });

  it("shows a transaction that ran out of gas", async () => {
    const failed = await send(swapBy(intent(), v2, coins(0.5)), 80_000n);
    expect(await receiptOf(failed)).toMatchObject({ status: "failed", isSlippage: false });
  });

  it("returns a failed transaction even if the host has forgotten the state before it", async () => {
    const { transactionHash } = await swap({ minAmountOut: 10n ** 30n }, v2);
    const isOfWallet = ({ method, params: [request] }: RpcCall<unknown>) =>
      method === "eth_call" && (request as { from?: string }).from === wallet;
    const forgetful = changing((call) =>
      isOfWallet(call) ? { ...call, params: [call.params[0], "0xffffff"] } : call,
    );
    const snapshot = await take({ hashes: [transactionHash] }, forgetful);
    expect(snapshot?.receipts.get(transactionHash)).toMatchObject({ status: "failed", isSlippage: false });
  });

  it("requests many receipts in several parts", async () => {
    const { transactionHash } = await swap({}, v2);
    const sizes: number[] = [];
    const host = hostAt(chain.url);
    const counting: RpcHost = {
      request: (calls) => {
        sizes.push(calls.filter(({ method }) => method === "eth_getTransactionReceipt").length);
        return host.request(calls);
      },
    };
    const hashes = [
      ...Array.from({ length: 44 }, (_, n) => `0x${String(n).padStart(64, "7")}`),
      transactionHash,
    ];
    const snapshot = await take({ hashes }, counting);
    expect(snapshot?.receipts.get(transactionHash)).toMatchObject({ status: "ok" });
    expect(sizes.toSorted((a, b) => b - a).slice(0, 4)).toEqual([20, 20, 5, 0]);
  });

  it.each<UnkindnessName>([
    "batches of 3",
    "simulation unsupported",
    "short fee history",
    "pruned states",
    "header not found",
  ])("sees a filled order through a host with this limit: %s", async (name) => {
    const { transactionHash } = await swap({}, v2);
    const host = await startSecondHost({ chainUrl: chain.url });
    host.faults = unkindnesses[name];
    const snapshot = await take({ hashes: [transactionHash], orders: [intent()] }, hostAt(host.url)).finally(
      host.close,
    );
    expect(snapshot?.receipts.get(transactionHash)).toMatchObject({ status: "ok" });
    expect(snapshot?.orders.size).toBe(1);
  });

  it("uses the mined nonce if a host keeps no pending transactions", async () => {
    const poolless = changing((call) =>
      call.params[1] === "pending" ? { ...call, method: "eth_unknown" } : call,
    );
    const snapshot = await take({}, poolless);
    expect(snapshot?.nonce.pending).toBe(snapshot?.nonce.latest);
  });

  it("returns no receipt for a pending transaction", async () => {
    expect((await take({ hashes: [`0x${"7".repeat(64)}`] }))?.receipts).toEqual(new Map());
  });

  it.each<[string, Partial<EvmIntent>]>([
    ["a purchase on v2", { amount: coins(5) }],
    ["a purchase on v3", { token: usdx }],
    ["a purchase of a taxed token", { token: taxd }],
    ["a purchase by another venue only", { routes: [v3] }],
  ])("quotes exactly the amount that %s then delivers", async (_, changes) => {
    const order = intent(changes);
    const { gasLimit, ...quote } = await bestOf(order);
    const receipt = await receiptOf(await send(swapBy(order, quote, order.amount), gasLimit.swap));
    expect(receipt).toMatchObject({ status: "ok", received: quote.amountOut });
    // The bytes that encode the minimum cost gas, too.
    const margin = (Number(gasLimit.swap) / Number(receipt?.gasUsed)) * 100;
    expect(Math.round(margin)).toBe(150);
  });

  it.each([["moon"], ["usdx"], ["taxd"]] as const)(
    "quotes exactly the amount that a sale of %s then delivers",
    async (name) => {
      const token = localAddresses[name];
      const bought = await receiptOf(await swap({ token }, v2));
      if (bought?.status !== "ok") throw new Error("The purchase failed");
      const order = intent({ token, side: "sell", amount: bought.received });
      expect((await factsOf(order)).held).toBe(bought.received);
      const { gasLimit, router, amountOut, ...quote } = await bestOf(order);
      expect(quote.allowance).toBe(0n);
      const approved = await receiptOf(
        await send({ purpose: "approve", token, router, amount: order.amount }, gasLimit.approve),
      );
      expect(gasLimit.approve).toBe(gasLimitFor(approved?.gasUsed ?? 0n));
      const after = await bestOf(order);
      expect(after).toMatchObject({ allowance: order.amount, amountOut });
      const sold = await receiptOf(await send(swapBy(order, after, order.amount), after.gasLimit.swap));
      expect(sold).toMatchObject({ status: "ok", spent: order.amount, received: amountOut });
    },
  );

  it("quotes a sale for the amount that the wallet still holds", async () => {
    await swap({}, v2);
    const order = intent({ side: "sell", amount: 10n ** 24n });
    const { held, routes } = await factsOf(order);
    const less = await factsOf({ ...order, amount: held ?? 0n });
    expect(held).toBeGreaterThan(0n);
    expect(routes.length).toBeGreaterThan(0);
    expect(routes).toEqual(less.routes);
  });

  it("quotes a buy on v3 of a token like USDT although the router still has an allowance", async () => {
    const [token] = (await chain.deploy(creationOfToken("wants an approval of 0 first"))) as [string];
    const pool = { token, coins: 10n ** 18n, tokens: 10n ** 24n, fee: 3000, reach: 2 } as const;
    await chain.deploy(
      approval(token, localAddresses.v3Positions),
      v3Liquidity(localAddresses, deployer, pool),
    );
    await send({ purpose: "approve", token, router: v3.router, amount: 5n });
    const order = intent({ token, amount: coins(0.01) });
    const { routes } = await factsOf(order);
    expect(routes).toMatchObject([v3]);
    const receipt = await receiptOf(await send(swapBy(order, v3, order.amount)));
    expect(receipt).toMatchObject({ status: "ok", received: routes[0]?.amountOut });
  });

  it("returns no quote if no pool can deliver", async () => {
    expect((await factsOf(intent({ token: trap, routes: [v3] }))).routes).toEqual([]);
    expect((await factsOf(intent({ token: v3Router }))).routes).toEqual([]);
  });

  it("quotes no sale of a token that cannot be sold", async () => {
    const bought = await receiptOf(await swap({ token: trap }, v2));
    if (bought?.status !== "ok") throw new Error("The purchase failed");
    const order = intent({ token: trap, side: "sell", amount: bought.received });
    expect((await factsOf(order)).routes).toEqual([]);
  });

  it("needs two requests, and a third if a block arrives during the first", async () => {
    const buy = await receiptOf(await swap({}, v2));
    if (buy?.status !== "ok") throw new Error("The purchase failed");
    const sale = intent({ side: "sell", amount: buy.received, orderId: "sale" });
    const host = hostAt(chain.url);
    const question = { orders: [intent(), sale] };
    const methods: string[][] = [];
    let meanwhile: (() => Promise<unknown>) | undefined;
    const watched: RpcHost = {
      async request(calls) {
        methods.push(calls.map(({ method }) => method));
        const [first, ...others] = calls;
        if (meanwhile === undefined || first === undefined) return await host.request(calls);
        const head = await host.request([first]);
        await meanwhile();
        meanwhile = undefined;
        return [...head, ...(await host.request(others))] as never;
      },
    };
    const whole = await take(question, watched);
    expect(methods).toHaveLength(2);
    // Every other call must come before the final check of the block.
    expect(methods[1]?.at(-1)).toBe("eth_getBlockByNumber");
    methods.length = 0;
    meanwhile = () => swap({ amount: coins(5) }, v2);
    const torn = await take(question, watched);
    expect(methods).toHaveLength(3);
    expect(torn?.latest).toEqual(whole?.latest);
    expect(torn?.nonce.latest).toBe(whole?.nonce.latest);
    const amountsIn = (snapshot: EvmSnapshot | undefined) =>
      [...(snapshot?.orders.values() ?? [])].map(({ held, routes }) => [
        held,
        ...routes.map(({ amountOut }) => amountOut),
      ]);
    expect(amountsIn(torn)).toEqual(amountsIn(whole));
    expect(amountsIn(whole)).toMatchObject([{ length: 3 }, { length: 3 }]);
  });

  describe("a quote for planning", () => {
    const trade = { side: "sell", token: moon, amount: "0.5" } as const;
    const sale = intent({ side: "sell", orderId: "sale" });
    /** Quotes a trade, and runs a callback before each of its requests. */
    async function quoted(act: (request: number) => Promise<unknown> = async () => undefined) {
      const host = hostAt(chain.url);
      const asked = { wallet, trade, gasPreset: sale.gasPreset, orders: [], isForPlanning: true };
      let requests = 0;
      const ask: RpcHost["request"] = async (calls) => {
        await act(++requests);
        return await host.request(calls);
      };
      return (await quoteOnEvm((calls) => ask(calls), readerOf(), asked)).forPlanning;
    }

    it("returns the same facts for planning as a snapshot does", async () => {
      await swap({}, v2);
      const snapshot = await take({ orders: [sale] });
      if (snapshot === undefined) throw new Error("The host returned no snapshot");
      const { latest, coins, baseFee, orders, nonce } = snapshot;
      const quote = await quoted();
      expect(quote).toMatchObject({
        latest,
        coins,
        baseFee,
        nonce: { latest: nonce.latest, pending: nonce.pending },
        order: { ...orders.get("sale"), routes: expect.anything() },
      });
      const bound = (facts: EvmOrderFacts | undefined) =>
        sale.routes.map((route) => facts?.routes.find((each) => isSameEvmRoute(each, route)));
      expect(bound(quote?.order)).toEqual(bound(orders.get("sale")));
    });

    it("returns no facts for planning if another block replaces the one that was read", async () => {
      await swap({}, v2);
      await chain.mine(2);
      const reorg = async (request: number) => request === 2 && chain.request("anvil_reorg", [1, []]);
      expect(await quoted(reorg)).toBeUndefined();
    });
  });

  it("returns undefined if another block replaces the latest one while the snapshot is read", async () => {
    await chain.mine(2);
    const host = hostAt(chain.url);
    let requests = 0;
    const torn: RpcHost = {
      async request(calls) {
        requests += 1;
        if (requests === 2) await chain.request("anvil_reorg", [1, []]);
        return await host.request(calls);
      },
    };
    expect(await take({}, torn)).toBeUndefined();
    expect(await take({}, host)).toBeDefined();
  });

  it("returns undefined if the host fails or a transaction is not the wallet's", async () => {
    expect(await take({}, hostAt("http://127.0.0.1:1"))).toBeUndefined();
    const other = await chain.transact({ from: "0x70997970C51812dc3A010C7d01b50e0d17dc79C8", to: wallet });
    expect(await take({ hashes: [other.transactionHash] })).toBeUndefined();
  });
});
