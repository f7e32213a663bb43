import { localAddresses } from "trading-terminal-devnet/evm/deployment";
import { startTestChain, type TestChain } from "trading-terminal-devnet/evm/test-chain";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openChains } from "../../../lib/chains/families/open-chains.ts";
import { openPolicy } from "../../../lib/orders/wallet-policy.ts";
import { automaticBuyKey, presetKey } from "../../../lib/trading/items/keys.ts";
import { startTrading, stopTrading } from "../../../lib/trading/items/stops.ts";
import { quoteOrder } from "../../../lib/trading/quote-order.ts";
import { settingsKey } from "../../../lib/users/item-keys.ts";
import { tableForTests } from "../../support/dynamodb.ts";
import { putItems } from "../../support/items.ts";
import { putPolicy, putWallet } from "../../support/placed-orders.ts";
import { openDesk, type TradingDesk } from "../../support/trading-desk.ts";

const db = tableForTests();
const { moon } = localAddresses;

let chain: TestChain;
let desk: TradingDesk;

beforeAll(async () => {
  chain = await startTestChain();
});
afterAll(() => chain.close());
beforeEach(async () => {
  desk = await openDesk(db.table, chain);
});

const code = (code: string, details?: object) => ({ code, ...(details && { details }) });
const buy = { amount: "0.01" };

describe("placeOrder", () => {
  it("answers a repeated request with the order's current state, even if it could no longer be placed", async () => {
    const { orderId } = await desk.place({ ...buy, slippage: 2 }, "k");
    await desk.cancel(orderId);
    await chain.request("anvil_setBalance", [desk.wallet, "0x0"]);
    await stopTrading(db.table, ["eth"], new Date());
    const same = { slippage: 2, amount: "00.0100", token: moon.toLowerCase(), maxPriceImpact: 15 };
    const replay = await desk.ask(same, "k").finally(() => startTrading(db.table, ["eth"]));
    expect(replay).toMatchObject({
      isReplayed: true,
      order: { orderId, status: "cancelled", amount: "0.01" },
    });
  });

  it("warns that an order goes to a public pool although protection was requested, even in a repeated response", async () => {
    for (const isReplayed of [false, true])
      expect(await desk.ask({ ...buy, mevProtection: true }, "k")).toMatchObject({
        warnings: ["MEV_UNPROTECTED"],
        isReplayed,
      });
  });

  it("rejects a different body for the same key, but accepts the same key from another user", async () => {
    const { orderId } = await desk.place(buy, "k");
    await expect(desk.ask({ amount: "0.02" }, "k")).rejects.toMatchObject(
      code("IDEMPOTENCY_KEY_REUSED", { orderId }),
    );
    const other = await openDesk(db.table, chain);
    expect(await other.place(buy, "k")).not.toMatchObject({ orderId });
  });

  it("leaves the idempotency key of a refused request unused, and records no order", async () => {
    await expect(desk.ask({ amount: "50" }, "k")).rejects.toMatchObject(code("PRICE_IMPACT_TOO_HIGH"));
    expect(await desk.place(buy, "k")).toMatchObject({ status: "open", amount: "0.01" });
  });

  it("places one order for two simultaneous requests", async () => {
    const [a, b] = await Promise.all([desk.ask(buy, "k"), desk.ask(buy, "k")]);
    expect(a).toMatchObject({ order: { orderId: (b as { order: { orderId: string } }).order.orderId } });
    expect([a, b].filter((each) => "isReplayed" in each && each.isReplayed)).toHaveLength(1);
  });

  it("sells 75 % with two sales of 50 % placed at once", async () => {
    await desk.place({ amount: "0.5" });
    await desk.work();
    await desk.settle();
    const held = await desk.held();
    const sales = await Promise.all([1, 2].map(() => desk.place({ side: "sell", percent: 50 })));
    const units = sales.map(({ amount }) =>
      BigInt(amount.replace(".", "").padEnd(held.toString().length, "0")),
    );
    expect(units.toSorted((a, b) => (a > b ? -1 : 1))).toEqual([held / 2n, (held - held / 2n) / 2n]);
    expect(sales).toMatchObject([{ percent: 50 }, { percent: 50 }]);
  });

  it("subtracts the reservations of earlier orders from a balance", async () => {
    await chain.request("anvil_setBalance", [desk.wallet, `0x${(10n ** 18n).toString(16)}`]);
    const both = await Promise.allSettled([desk.ask({ amount: "0.6" }), desk.ask({ amount: "0.6" })]);
    expect(both.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    expect(both.find(({ status }) => status === "rejected")).toMatchObject({
      reason: code("INSUFFICIENT_BALANCE", {
        token: "native",
        symbol: "ETH",
        needed: expect.stringMatching(/^0\.600/),
        available: expect.stringMatching(/^0\.39/),
      }),
    });
  });

  it("rejects a share of an empty balance", async () => {
    await expect(desk.ask({ side: "sell", percent: 100 })).rejects.toMatchObject(
      code("INSUFFICIENT_BALANCE", {
        token: moon,
        symbol: "MOON",
        needed: expect.any(String),
        available: "0",
      }),
    );
  });

  it("finds neither other users' wallets nor retired wallets", async () => {
    const other = await openDesk(db.table, chain);
    await expect(desk.ask({ ...buy, wallet: other.wallet })).rejects.toMatchObject(code("WALLET_NOT_FOUND"));
    await putWallet(db.table, desk.lane, desk.userID, { retiredAt: "2026-11-21T20:00:00.000Z" });
    await expect(desk.ask(buy)).rejects.toMatchObject(code("WALLET_NOT_FOUND"));
  });

  it("refuses new orders while an operator has stopped trading", async () => {
    await stopTrading(db.table, ["eth"], new Date());
    const refused = Promise.allSettled([desk.ask(buy), desk.ask({ ...buy, dryRun: true })]);
    const reasons = await refused.finally(() => startTrading(db.table, ["eth"]));
    for (const reason of reasons) expect(reason).toMatchObject({ reason: code("TRADING_DISABLED") });
  });

  it("limits buys, not sales, to the configured size", async () => {
    const limited = await openDesk(db.table, chain, { maxOrder: "0.1" });
    await expect(limited.ask({ amount: "0.5" })).rejects.toMatchObject(
      code("POLICY_LIMIT", { rule: "maxOrder", limit: "0.1", requested: "0.5" }),
    );
    await expect(limited.ask({ side: "sell", amount: "500" })).rejects.toMatchObject(
      code("INSUFFICIENT_BALANCE"),
    );
  });

  it("limits buys, not sales, to the wallet's policy minus its open buys", async () => {
    const { lane, userID, wallet } = desk;
    const policy = { ...openPolicy, maxPerDay: 15n * 10n ** 15n };
    await putPolicy(db.table, { ...lane, userID, policy, revision: 1 });
    const { orderId } = await desk.place(buy, "k");
    const refused = code("POLICY_LIMIT", {
      rule: "maxPerDay",
      limit: "0.015",
      // Includes the open buy's network fee.
      requested: expect.stringMatching(/^0\.020[1-9]/),
    });
    await expect(desk.ask(buy)).rejects.toMatchObject(refused);
    await expect(desk.ask({ ...buy, dryRun: true })).rejects.toMatchObject(refused);
    const chains = openChains({ eth: { ...chain.contracts, hosts: [chain.url] } });
    const body = { chain: "eth", wallet, side: "buy", token: moon, ...buy } as const;
    const { quote } = await quoteOrder(
      { table: db.table, chains, lossSignIn: false, reportMissed: () => undefined },
      { userID, now: new Date(), signedInAt: undefined, body },
    );
    expect(quote).toMatchObject({ wouldBeRefused: refused });
    const sale = desk.ask({ side: "sell", amount: "500" });
    await expect(sale).rejects.toMatchObject(code("INSUFFICIENT_BALANCE"));
    await putPolicy(db.table, { ...lane, userID, policy: { ...policy, tradingEnabled: false }, revision: 2 });
    await expect(desk.ask({ side: "sell", amount: "500" })).rejects.toMatchObject(
      code("POLICY_LIMIT", { rule: "tradingEnabled" }),
    );
    expect(await desk.ask(buy, "k")).toMatchObject({ isReplayed: true, order: { orderId } });
  });

  it("requires a fresh sign-in for an order that could lose most of its value, and says so in the quote", async () => {
    const now = Date.now();
    const asked = { ...buy, minAmountOut: "0.000001" };
    const at = (ageSeconds: number) =>
      openDesk(db.table, chain, { lossSignIn: true, signedInAt: new Date(now - ageSeconds * 1000) });
    const old = await at(301);
    await expect(old.ask(asked)).rejects.toMatchObject(code("SIGN_IN_REQUIRED", { maxAgeSeconds: 300 }));
    expect(await old.ask(buy)).toHaveProperty("order");
    const chains = openChains({ eth: { ...chain.contracts, hosts: [chain.url] } });
    const body = { chain: "eth", wallet: old.wallet, side: "buy", token: moon, ...asked } as const;
    const quoteAt = async (signedInAt: Date | undefined, lossSignIn = true) => {
      const { userID } = old;
      const deps = { table: db.table, chains, lossSignIn, reportMissed: () => undefined };
      return (await quoteOrder(deps, { userID, now: new Date(), signedInAt, body })).quote.wouldBeRefused
        ?.code;
    };
    expect(await quoteAt(new Date(now - 301_000))).toBe("SIGN_IN_REQUIRED");
    // Omits the time of the last sign-in.
    expect(await quoteAt(undefined)).toBe("SIGN_IN_REQUIRED");
    expect(await quoteAt(new Date(now))).toBeUndefined();
    expect(await quoteAt(undefined, false)).toBeUndefined();
    expect(await (await at(0)).ask(asked)).toHaveProperty("order");
  });

  it("sets the requested validity of an order, or ten minutes if gas is slow", async () => {
    const seconds = async (asked: object) => {
      const { createdAt, validUntil = "" } = await desk.place({ ...buy, ...asked });
      return Math.round((Date.parse(validUntil) - Date.parse(createdAt)) / 1000);
    };
    expect(await seconds({})).toBeLessThanOrEqual(120);
    expect(await seconds({ validForSeconds: 15 })).toBeLessThanOrEqual(15);
    expect(await seconds({ gasPreset: "slow" })).toBeGreaterThan(590);
  });

  it("gives an order the time at which its request arrived, unless a clock ahead of this one says so", async () => {
    const startMs = Date.now();
    const ageOf = async (receivedMs: number) =>
      startMs - Date.parse((await desk.place(buy, undefined, receivedMs)).createdAt);
    expect(await ageOf(startMs - 900)).toBe(900);
    expect(await ageOf(startMs + 60_000)).toBeCloseTo(0, -5);
    expect(await ageOf(startMs + 60_000)).toBeLessThanOrEqual(0);
  });

  it("returns a quote for dryRun, which needs no key and is not recorded", async () => {
    const chains = openChains({ eth: { ...chain.contracts, hosts: [chain.url] } });
    const { userID, wallet } = desk;
    const body = { chain: "eth", wallet, side: "buy", token: moon, ...buy } as const;
    const { quote } = await quoteOrder(
      { table: db.table, chains, lossSignIn: false, reportMissed: () => undefined },
      { userID, now: new Date(), signedInAt: undefined, body },
    );
    const tried = await desk.ask({ ...buy, dryRun: true }, null);
    const { asOf: _, validUntil: __, ...same } = quote;
    expect(tried).toEqual({ dryRun: true, quote: expect.objectContaining(same) });
    await expect(desk.ask(buy, null)).rejects.toMatchObject(
      code("IDEMPOTENCY_KEY_MISSING", { field: "Idempotency-Key" }),
    );
    await expect(desk.ask({ amount: "50", dryRun: true }, null)).rejects.toMatchObject(
      code("PRICE_IMPACT_TOO_HIGH"),
    );
  });
});

describe("placeAutomatic", () => {
  const setAutoBuy = (autoBuy: boolean, autoSell = false) =>
    putItems(db.table, [{ ...settingsKey(desk.userID, "eth"), autoBuy, autoSell, slippage: 7 }]);
  const setPreset = (changes: object = {}) => {
    const { userID, wallet } = desk;
    const preset = { wallet, buyAmount: "0.01", exits: [], maxBuyTax: 5, maxSellTax: 5, ...changes };
    const name = { userID, chain: "eth" } as const;
    return putItems(db.table, [{ ...presetKey(name), ...name, preset, version: 1 }]);
  };
  const instruct = async (changes?: object) => Promise.all([setAutoBuy(true), setPreset(changes)]);
  /** Sets the time of the last automatic buy. */
  const lastBuy = (minutesAgo: number) => {
    const name = { userID: desk.userID, chain: "eth", token: moon } as const;
    const atMs = Date.now() - minutesAgo * 60_000;
    return putItems(db.table, [{ ...automaticBuyKey(name), ...name, atMs }]);
  };

  it("buys what the preset says, and fills in the rest from the settings", async () => {
    await instruct();
    const { wallet, userID } = desk;
    const first = await desk.askAutomatic({}, "k");
    const order = { type: "market", side: "buy", wallet, token: moon, amount: "0.01", slippage: 7 };
    expect(first).toMatchObject({ order, warnings: ["MEV_UNPROTECTED", "NO_DAY_LIMIT"], isReplayed: false });
    await setAutoBuy(false);
    await setPreset({ buyAmount: "0.5", slippage: 3 });
    const policy = { ...openPolicy, maxPerDay: 10n ** 18n };
    await putPolicy(db.table, { userID, chain: "eth", wallet, policy, revision: 1 });
    const { orderId } = first.order;
    const again = { order: { ...order, orderId }, warnings: ["MEV_UNPROTECTED"], isReplayed: true };
    expect(await desk.askAutomatic({}, "k")).toMatchObject(again);
    await expect(desk.askAutomatic({ wallet }, "k")).rejects.toMatchObject(
      code("IDEMPOTENCY_KEY_REUSED", { orderId }),
    );
    await expect(desk.askAutomatic()).rejects.toMatchObject(code("AUTO_BUY_OFF"));
  });

  it("adds the preset's exits to buys while the switch is on, unless they name their own or none", async () => {
    const exits = [{ percent: 50, takeProfit: { percent: 100 }, stopLoss: { percent: -50 } }];
    await instruct({ exits });
    expect(await desk.place(buy)).not.toHaveProperty("exits");
    await setAutoBuy(true, true);
    const shown = exits.map((exit) => ({ ...exit, orderId: expect.any(String) }));
    expect(await desk.place(buy)).toMatchObject({ exits: shown });
    expect(await desk.place({ ...buy, exits: [] })).not.toHaveProperty("exits");
    const own = [{ percent: 100, takeProfit: { percent: 7 } }];
    expect(await desk.place({ ...buy, exits: own })).toMatchObject({ exits: own });
    await setPreset({ exits: [] });
    expect(await desk.place(buy)).not.toHaveProperty("exits");
    const friend = await openDesk(db.table, chain);
    await putItems(db.table, [{ ...settingsKey(friend.userID, "eth"), autoBuy: true, autoSell: true }]);
    expect(await friend.place(buy)).not.toHaveProperty("exits");
    const name = { userID: friend.userID, chain: "eth" } as const;
    const limits = { maxBuyTax: 5, maxSellTax: 5 };
    const preset = { wallet: friend.wallet, buyAmount: "0.01", exits, ...limits };
    const token = localAddresses.usdx;
    await putItems(db.table, [{ ...presetKey(name), ...name, preset, version: 1 }]);
    expect(await friend.askAutomatic({ token })).toMatchObject({ order: { exits: shown } });
  });

  it("checks the switch, the preset, the wallet and what is held, and then all that a buy is checked for", async () => {
    const stranger = "0x000000000000000000000000000000000000dEaD";
    const refusal = (asked = {}) => desk.askAutomatic(asked, "k").catch(({ code }) => code);
    await stopTrading(db.table, ["eth"], new Date());
    expect(await refusal({ wallet: `${moon.slice(0, -1)}a` })).toBe("INVALID_REQUEST");
    await setPreset({ wallet: stranger, minLiquidity: "1000000" });
    expect(await refusal()).toBe("AUTO_BUY_OFF");
    await setAutoBuy(true);
    await lastBuy(9);
    expect(await refusal()).toBe("WALLET_NOT_FOUND");
    expect(await refusal({ wallet: desk.wallet })).toBe("ALREADY_HELD");
    await lastBuy(10);
    expect(await refusal({ wallet: desk.wallet })).toBe("TRADING_DISABLED");
    await startTrading(db.table, ["eth"]);
    expect(await refusal({ wallet: desk.wallet })).toBe("LIQUIDITY_TOO_LOW");
    const other = await openDesk(db.table, chain);
    await putItems(db.table, [{ ...settingsKey(other.userID, "eth"), autoBuy: true }]);
    await expect(other.askAutomatic()).rejects.toMatchObject(code("NO_PRESET"));
  });

  it("lets one of two devices buy that ask at once, even with different wallets", async () => {
    await instruct();
    const { wallet } = await openDesk(db.table, chain, { userID: desk.userID });
    const asked = await Promise.allSettled([desk.askAutomatic(), desk.askAutomatic({ wallet })]);
    const reasons = asked.flatMap((each) => (each.status === "rejected" ? [each.reason] : []));
    expect(reasons).toEqual([expect.objectContaining(code("ALREADY_HELD", {}))]);
    await lastBuy(60);
    for (const each of [desk.wallet, wallet])
      await expect(desk.askAutomatic({ wallet: each })).rejects.toMatchObject(code("ALREADY_HELD", {}));
  });

  it("buys a token again once its position is closed or dust, and ten minutes have passed", async () => {
    await instruct();
    await desk.askAutomatic();
    await desk.settle();
    await lastBuy(60);
    const held = code("ALREADY_HELD", { positionId: expect.any(String) });
    await expect(desk.askAutomatic()).rejects.toMatchObject(held);
    await desk.place({ side: "sell", amount: undefined, percent: 99.95 });
    await desk.settle();
    expect(await desk.askAutomatic()).toMatchObject({ order: { status: "open" } });
  });
});
