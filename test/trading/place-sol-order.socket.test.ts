import type { Address } from "@solana/web3.js";
import bs58 from "bs58";
import { beforeAll, describe, expect, it } from "vitest";
import { programs, tokenAccountOf } from "../../lib/chains/sol/calls/addresses.ts";
import type { Sol } from "../../lib/chains/sol/rules/family.ts";
import { formatAmount } from "../../lib/orders/decimal-text.ts";
import type { SignRequest } from "../../lib/orders/effects.ts";
import { openPolicy } from "../../lib/orders/wallet-policy.ts";
import { getOrder } from "../../lib/trading/get-order.ts";
import { readSigning } from "../../lib/trading/items/signing-view.ts";
import { startTrading, stopTrading } from "../../lib/trading/items/stops.ts";
import { readLane } from "../../lib/trading/items/views.ts";
import { writeStep } from "../../lib/trading/items/write-step.ts";
import { listExecutions } from "../../lib/trading/list-executions.ts";
import { placeOrder } from "../../lib/trading/place-order.ts";
import { slotOf } from "../chains/sol/fixtures.ts";
import { tableForTests } from "../support/dynamodb.ts";
import { putPolicy } from "../support/placed-orders.ts";
import { openKeys } from "../support/signing.ts";
import { scaling, solDeskForTests } from "../support/sol-reader.ts";
import { addMint } from "../support/sol-tokens.ts";
import { newSolTrader, type TraderOptions } from "./support/sol-trader.ts";

const db = tableForTests();
const { macs } = openKeys();

const { chain, hosts } = solDeskForTests();
let moon: Address;
beforeAll(async () => {
  moon = chain.deployment.tokens.MOON.mint;
});

const newTrader = (options: TraderOptions = {}) =>
  newSolTrader({ table: db.table, chain, hosts, macs }, options);

const code = (code: string, details?: object) => ({ code, ...(details && { details }) });

describe("placeOrder on sol", () => {
  it("records an order as it was placed, readable in every view of the table", async () => {
    const { wallet, userID, lane, ask, stored, woken, balances } = await newTrader();
    const placed = await ask({ slippage: 2, priorityFee: 0.002, validForSeconds: 600 }, "k");
    if (!("order" in placed)) throw new Error("The order was not placed");
    const { order, warnings, isReplayed } = placed;
    expect([warnings, isReplayed]).toEqual([["MEV_UNPROTECTED"], false]);
    expect(order).toMatchObject({
      clientOrderId: "k",
      wallet,
      chain: "sol",
      symbol: "MOON/SOL",
      token: moon,
      side: "buy",
      status: "open",
      stage: "queued",
      settled: false,
      amount: "1",
      amountToken: "native",
      filledAmount: "0",
      minAmountOut: "9756.036706",
      slippage: 2,
      networkFee: "0",
    });
    const { createdAt, validUntil = "" } = order;
    expect(Math.ceil((Date.parse(validUntil) - Date.parse(createdAt)) / 1000)).toBe(600);
    const { orderId } = order;
    expect(woken).toEqual([
      {
        do: "wake",
        lane: { chain: "sol", wallet },
        job: { orderId, userID, token: moon },
        reservation: orderId,
      },
    ]);

    const { intent, mac, quoted } = await stored(orderId);
    expect(intent).toEqual({
      chain: "sol",
      wallet,
      orderId,
      userID,
      side: "buy",
      token: moon,
      amount: 10n ** 9n,
      minAmountOut: 9_756_036_706n,
      quotedOut: 9_955_139_496n,
      isPrivate: false,
      createdAt: Date.parse(createdAt),
      validUntil: Date.parse(validUntil) / 1000,
      tokenProgram: programs.token,
      routes: [
        {
          venue: "raydium-cpmm",
          pool: chain.deployment.tokens.MOON.pool,
          config: chain.deployment.tokens.MOON.config,
        },
      ],
      budgetLamports: 2_000_000n,
      attempts: 24,
    });
    expect(await macs.checkMac(intent, mac)).toBe(true);
    expect(quoted).toMatchObject({ networkFee: 2_125_000n, rents: 655_320n + 2n * 1_488_440n });

    const day = createdAt.slice(0, 10);
    const { orders, jobs } = await readLane(db.table, { lane, day });
    expect([orders, jobs.length]).toEqual([[await stored(orderId)], 1]);
    const request = { ...lane, orderId, userID, place: 1 } as unknown as SignRequest<Sol>;
    expect((await readSigning(db.table, { request, day })).view.order).toEqual(orders[0]);
    expect(await getOrder(db.table, userID, orderId)).toEqual({ order, attempts: [] });
    const page = await listExecutions(db.table, { userID, kind: "order" }, { chain: "sol", limit: "10" });
    expect(page.executions).toMatchObject([order]);
    expect(await balances()).toMatchObject([
      { token: "native", amount: "10", reserved: "1.0057572", available: "8.99359256" },
      { token: moon, amount: "0", reserved: "0" },
      {},
    ]);
  });

  it("answers a repeated request with the order's current state, and rejects a different body for the same key", async () => {
    const { place, ask, cancel, wallet } = await newTrader();
    const { orderId } = await place({ slippage: 2 }, "k");
    await cancel(orderId);
    await chain.setAccount(wallet, 0n);
    await stopTrading(db.table, ["sol"], new Date());
    const same = { slippage: 2, amount: "01.00", maxPriceImpact: 15 };
    const replay = await ask(same, "k").finally(() => startTrading(db.table, ["sol"]));
    expect(replay).toMatchObject({
      isReplayed: true,
      warnings: ["MEV_UNPROTECTED"],
      order: { orderId, status: "cancelled" },
    });
    const reused = code("IDEMPOTENCY_KEY_REUSED", { orderId });
    await expect(ask({ slippage: 3 }, "k")).rejects.toMatchObject(reused);
    await expect(ask({ slippage: 2, priorityFee: 0.002 }, "k")).rejects.toMatchObject(reused);
  });

  it("places one order for two simultaneous requests", async () => {
    const { ask } = await newTrader();
    const both = await Promise.all([ask({}, "k"), ask({}, "k")]);
    const ids = both.map((each) => "order" in each && each.order.orderId);
    expect(ids[0]).toBe(ids[1]);
    expect(both.filter((each) => "isReplayed" in each && each.isReplayed)).toHaveLength(1);
  });

  it("returns a quote for dryRun on sol, which needs no key and is not recorded", async () => {
    const { ask, quote, lane } = await newTrader();
    const { asOf: _, validUntil: __, block: ___, ...same } = await quote();
    expect(await ask({ dryRun: true }, null)).toEqual({ dryRun: true, quote: expect.objectContaining(same) });
    expect((await readLane(db.table, { lane, day: "2026-11-21" })).jobs).toEqual([]);
    await expect(ask({}, null)).rejects.toMatchObject(code("IDEMPOTENCY_KEY_MISSING"));
    await expect(ask({ amount: "11", dryRun: true }, null)).rejects.toMatchObject(
      code("INSUFFICIENT_BALANCE", expect.objectContaining({ symbol: "SOL" })),
    );
  });

  it("sells 75 % on sol with two sales of 50 % placed at once, and reserves the rents of both", async () => {
    const { place, ask, balances } = await newTrader({ units: 10_000_000_001n });
    const sales = await Promise.all([1, 2].map(() => place({ side: "sell", percent: 50 })));
    expect(sales.map(({ amount }) => amount).toSorted()).toEqual(["2500", "5000"]);
    // Each sale reserves the rents of the wrapped coin and the marker, the budget, and seven base fees.
    const reserved = formatAmount(2n * (1_488_440n + 655_320n + 1_035_000n), 9);
    expect(await balances()).toMatchObject([
      { token: "native", reserved },
      { token: moon, reserved: "7500", available: "2500.000001" },
      {},
    ]);
    const { details } = await ask({ side: "sell", amount: "2500.000002" }).catch((error) => error);
    expect(details).toMatchObject({ token: moon, needed: "2500.000002", available: "2500.000001" });
  });

  it("rejects an order if an open order's rents leave too little coin for it", async () => {
    const needed = 1_004_667_200n;
    const rich = await newTrader({ lamports: 2n * needed });
    await rich.place();
    await rich.place();
    const poor = await newTrader({ lamports: 2n * needed - 1n });
    await poor.place();
    await expect(poor.ask()).rejects.toMatchObject(
      code("INSUFFICIENT_BALANCE", {
        token: "native",
        symbol: "SOL",
        needed: "1.0046672",
        available: "1.004667199",
      }),
    );
  });

  it.each([
    [0n, "INSUFFICIENT_BALANCE"],
    [895_882n, "INSUFFICIENT_BALANCE"],
    [2_039_280n, "INSUFFICIENT_BALANCE"],
    [2_044_282n, "INSUFFICIENT_BALANCE"],
    [2_178_759n, "INSUFFICIENT_BALANCE"],
    [2_178_760n, 0n],
    [3_000_000n, 821_240n],
    [4_000_000n, 1_000_000n],
  ])("decides whether a wallet with %d lamports can pay for a sale: %s", async (lamports, expected) => {
    const { place, stored, refusalOf } = await newTrader({ lamports, units: 10n ** 10n });
    const sale = { side: "sell", amount: "10000" } as const;
    if (typeof expected === "string") expect(await refusalOf(sale)).toBe(expected);
    else expect((await stored((await place(sale)).orderId)).intent.budgetLamports).toBe(expected);
    expect(await refusalOf({ amount: "0.001" })).toBe("INSUFFICIENT_BALANCE");
  });

  it("rejects invalid addresses, and addresses that are neither a token nor a wallet", async () => {
    const { refusalOf, wallet } = await newTrader({ units: 1n });
    const ofBytes = (count: number) => bs58.encode(Buffer.alloc(count, 7));
    for (const bytes of [31, 33]) {
      expect(await refusalOf({ token: ofBytes(bytes) })).toBe("INVALID_REQUEST token");
      expect(await refusalOf({ wallet: ofBytes(bytes) })).toBe("INVALID_REQUEST wallet");
    }
    const ofTokens = await tokenAccountOf(wallet, moon, programs.token);
    for (const token of [programs.token, programs.system, ofTokens, wallet, ofBytes(32)])
      expect([token, await refusalOf({ token })]).toEqual([token, "TOKEN_NOT_FOUND"]);
    for (const other of [programs.token, ofTokens, moon])
      expect(await refusalOf({ wallet: other })).toBe("WALLET_NOT_FOUND");
    expect(await refusalOf({ token: "native" })).toBe("INVALID_REQUEST token");
    expect(await refusalOf({ token: `0x${"1".repeat(40)}` })).toBe("INVALID_REQUEST token");
    expect(await refusalOf({ token: `${moon} ` })).toBe("INVALID_REQUEST token");
  });

  it("rejects mints that cannot be traded", async () => {
    const { refusalOf } = await newTrader();
    const refusals = [];
    for (const decimals of [0, 9, 255])
      refusals.push(await refusalOf({ token: await addMint(chain, decimals) }));
    expect(refusals).toEqual(["NO_ROUTE", "NO_ROUTE", "TOKEN_NOT_FOUND"]);
    const { TRAP } = chain.deployment.tokens;
    expect(await refusalOf({ token: TRAP.mint })).toBe("TOKEN_UNSAFE");
  });

  it("rejects amounts that a chain cannot represent", async () => {
    const { refusalOf } = await newTrader({ units: 10n });
    expect(await refusalOf({ amount: "0.0000000001" })).toBe("INVALID_REQUEST amount");
    expect(await refusalOf({ side: "sell", amount: "0.0000001" })).toBe("INVALID_REQUEST amount");
    expect(await refusalOf({ minAmountOut: "0.0000001" })).toBe("INVALID_REQUEST minAmountOut");
    for (const side of ["buy", "sell"] as const)
      expect(await refusalOf({ side, amount: "9".repeat(40) })).toBe("INSUFFICIENT_BALANCE");
    expect(await refusalOf({ side: "sell", percent: 100, token: await addMint(chain, 6) })).toBe("NO_ROUTE");
    expect(await refusalOf({ maxPriceImpact: 0.1 })).toBe("PRICE_IMPACT_TOO_HIGH");
  });

  it("sends an order through a configured relay, and pays its tip", async () => {
    const relay = {
      url: "http://127.0.0.1:1",
      tipAccounts: [bs58.encode(Buffer.alloc(32, 5))],
      leastTip: "0.00001",
    };
    const { ask, stored, refusalOf } = await newTrader({ configuration: { relay } });
    const placed = await ask();
    if (!("order" in placed)) throw new Error("The order was not placed");
    expect(placed.warnings).toEqual([]);
    expect((await stored(placed.order.orderId)).intent).toMatchObject({ isPrivate: true });
    expect(await ask({ mevProtection: false })).toMatchObject({ warnings: ["MEV_UNPROTECTED"] });
    expect(await refusalOf({ priorityFee: 0.000049 })).toBe("PRIORITY_FEE_TOO_LOW");
    expect(await refusalOf({ priorityFee: 0.000049, mevProtection: false })).toBe("placed");
  });

  it("warns of a minimum above the quote, both in a dry run and after placing", async () => {
    const { ask } = await newTrader();
    const greedy = { minAmountOut: "9955.139497" };
    const warnings = ["MEV_UNPROTECTED", "MINIMUM_ABOVE_QUOTE"];
    expect(await ask({ ...greedy, dryRun: true })).toMatchObject({ quote: { warnings } });
    expect(await ask(greedy)).toMatchObject({ order: { status: "open" }, warnings });
  });

  it("limits buys, not sales, to the configured size and the wallet's policy", async () => {
    const { lane, userID, ask, place, refusalOf, quote } = await newTrader({
      units: 10n ** 10n,
      configuration: { maxOrder: "2" },
    });
    await expect(ask({ amount: "2.000000001" })).rejects.toMatchObject(
      code("POLICY_LIMIT", { rule: "maxOrder", limit: "2", requested: "2.000000001" }),
    );
    // One lamport less than two purchases cost with their fees.
    const policy = { ...openPolicy, maxPerDay: 2n * 1_001_020_000n - 1n };
    await putPolicy(db.table, { ...lane, userID, policy, revision: 1 });
    await place();
    const refused = code("POLICY_LIMIT", {
      rule: "maxPerDay",
      limit: "2.002039999",
      requested: "2.00207",
    });
    await expect(ask()).rejects.toMatchObject(refused);
    await expect(ask({ dryRun: true })).rejects.toMatchObject(refused);
    expect(await quote()).toMatchObject({ wouldBeRefused: refused });
    expect(await refusalOf({ side: "sell", amount: "1" })).toBe("placed");
  });

  it("rejects new orders if an operator has stopped sol, or if sol is not configured", async () => {
    const { refusalOf, userID, lane } = await newTrader();
    await stopTrading(db.table, ["sol"], new Date());
    expect(await refusalOf({}).finally(() => startTrading(db.table, ["sol"]))).toBe("TRADING_DISABLED");
    const nothing = () => undefined;
    const ofTable = { table: db.table, tableId: "table", chains: new Map() };
    const deps = { ...ofTable, macs, lossSignIn: false, wake: nothing, startTriggers: nothing };
    const body = { ...lane, type: "market", side: "buy", token: moon, amount: "1" } as const;
    await expect(
      placeOrder(deps, { userID, now: new Date(), signedInAt: undefined, key: "k", body }),
    ).rejects.toMatchObject(code("UNSUPPORTED_CHAIN", { chains: [] }));
  });

  it("computes the minimum from the higher quote, whichever host lies, and fails if the quotes differ too much", async () => {
    const { vaults } = chain.deployment.tokens.MOON;
    for (const liar of hosts) {
      const { ask, place, stored } = await newTrader();
      liar.lie = scaling(vaults.token, 998n);
      expect((await place()).minAmountOut).toBe("9855.588101");
      liar.lie = scaling(vaults.token, 1002n);
      const { orderId } = await place();
      expect((await stored(orderId)).intent).toMatchObject({
        quotedOut: 9_975_049_775n,
        minAmountOut: 9_875_299_277n,
        routes: [{ venue: "raydium-cpmm" }],
      });
      liar.lie = scaling(vaults.token, 900n);
      await expect(ask()).rejects.toMatchObject({ name: "ChainUnavailable" });
      liar.lie = (_, result) => result;
    }
  });

  it("records no order while only one host answers", async () => {
    const { ask, lane } = await newTrader();
    hosts[1].lie = () => {
      throw new Error("away");
    };
    await expect(ask()).rejects.toMatchObject({ name: "ChainUnavailable" });
    expect((await readLane(db.table, { lane, day: "2026-11-21" })).jobs).toEqual([]);
  });
});

describe("cancelOrder on sol", () => {
  it("cancels an unsigned order at once, and frees its reservations", async () => {
    const { place, cancel, balances, woken, lane } = await newTrader();
    const { orderId } = await place();
    const cancelled = { status: "cancelled", stage: "done", reasonCode: "CANCELLED_BY_USER" };
    expect(await cancel(orderId)).toMatchObject(cancelled);
    expect(await cancel(orderId)).toMatchObject(cancelled);
    expect(woken).toMatchObject([{}, { lane }]);
    expect((await balances())[0]).toMatchObject({ reserved: "0" });
  });

  it("lets a clear compete with a signed swap", async () => {
    const { userID, lane, place, cancel, stored } = await newTrader();
    const { orderId } = await place();
    const slot = slotOf({ ...lane, orderId, userID });
    await writeStep(db.table, [{ kind: "put", of: "slot", item: slot, when: "absent" }]);
    const cancelling = { status: "open", stage: "cancelling" };
    expect(await cancel(orderId)).toMatchObject(cancelling);
    expect((await stored(orderId)).isCancelling).toBe(true);
    expect(await cancel(orderId)).toMatchObject(cancelling);
    expect(await getOrder(db.table, userID, orderId)).toMatchObject({
      order: cancelling,
      attempts: [{ attempt: 1, purpose: "swap", txHash: "a", submission: "public", outcome: "pending" }],
    });
  });

  it("refuses to cancel an order that has ended for another reason or belongs to another user", async () => {
    const { place, cancel, stored } = await newTrader();
    const { orderId } = await place();
    const order = await stored(orderId);
    const filled = { ...order, life: { ...order.life, status: "filled", stage: "done" } as const };
    await writeStep(db.table, [{ kind: "put", of: "order", item: filled, when: {} }]);
    await expect(cancel(orderId)).rejects.toMatchObject(code("ORDER_NOT_CANCELLABLE", { status: "filled" }));
    const other = await newTrader();
    await expect(other.cancel(orderId)).rejects.toMatchObject(code("ORDER_NOT_FOUND"));
  });
});
