import { describe, expect, it } from "vitest";
import type { EvmSetup } from "../../../lib/chains/evm/rules/check-trade.ts";
import type { Evm } from "../../../lib/chains/evm/rules/family.ts";
import type { EvmIntent } from "../../../lib/chains/evm/rules/intent.ts";
import { evmOrderSettingsOf } from "../../../lib/chains/evm/rules/order-settings.ts";
import type { EvmHostQuote, EvmTradeFacts } from "../../../lib/chains/evm/rules/trade-facts.ts";
import { DomainError } from "../../../lib/core/domain-error.ts";
import type { PlacingView } from "../../../lib/orders/effects.ts";
import type { ProgramKey } from "../../../lib/orders/program-key.ts";
import { newResting } from "../../../lib/orders/resting/life.ts";
import type { Mandate } from "../../../lib/orders/resting/mandate.ts";
import { newStored } from "../../../lib/orders/resting/stored.ts";
import type { DaySpend } from "../../../lib/orders/wallet-policy.ts";
import { type ChildRequest, makingChild } from "../../../lib/trading/procedures/child-order.ts";
import { mandateHash, mandate as mandateOf, nowMs } from "../../orders/resting/fixtures.ts";
import { placeRequest, quotedRoute, tradeFacts, weiInGwei } from "../../support/place-request.ts";
import { playPlacing } from "../../support/play-placing.ts";
import { intent, tradeOrder, v2 } from "../../support/trading.ts";
import { keyId, tradingKey } from "../../support/trading-keys.ts";
import { token, userID, view, viewWith, wallet } from "./support/placing.ts";

const gwei = BigInt(weiInGwei);

const mandate = (changes: Partial<Mandate> = {}): Mandate =>
  mandateOf({
    ...{ chain: "eth", wallet, userID, token, isPrivate: true, maxGasPrice: 10n * gwei },
    ...{ feesLimit: 10_000n, feesStop: 10_000n },
    ...changes,
  });

const { setup } = placeRequest({
  ...{ wallet, userID, token, side: "sell", orderId: "", key: "", fingerprint: "" },
  ...{ amount: 1n, maxGasPrice: 1n, gasPreset: "fast", isPrivate: true, validUntil: 0, slippage: 1, nowMs },
});

const exit = mandate({ exit: { of: "BUY", sharePpm: 1_000_000n } });
const sliced = mandate({ legs: [{ kind: "slice", worst: { coins: 1n, tokens: 2n } }] });

const withoutRelay: EvmSetup = { ...(setup as EvmSetup), hasRelay: false };

const placed = {
  symbol: "MOON/ETH",
  baseSymbol: "MOON",
  decimals: 18,
  createdAt: new Date(nowMs - 60_000).toISOString(),
};

const request = (changes: Partial<ChildRequest> = {}, of = mandate()): ChildRequest => {
  const { userID, wallet, amount, legs, orderId } = of;
  const leg = changes.leg ?? 1;
  const crossed = { orderId, userID, wallet, amount, slippagePpm: 100_000n };
  return {
    orderId: "CHILD",
    leg,
    validUntil: nowMs / 1000 + 60,
    chosen: {
      crossed: { ...crossed, leg: legs[leg] as Mandate["legs"][number] },
      quotedOut: 950n,
      minAmountOut: 855n,
    },
    parent: {
      ...newStored(newResting(of, "mandate mac"), placed, { tableId: "table", choices: {}, warnings: [] }),
      n: 3,
      dead: "C2",
    },
    mandateHash,
    setup: setup as ChildRequest["setup"],
    nowMs,
    tally: undefined,
    ended: undefined,
    ...changes,
  };
};

const sale = ({ amountOut = 970n, ...changes }: Partial<EvmTradeFacts> = {}): EvmTradeFacts =>
  tradeFacts({
    amountOut,
    routes: [quotedRoute({ amountOut })],
    held: { coins: 5000n, tokens: 1000n },
    ...changes,
  });

type Scene = { view?: PlacingView<Evm>; quote?: EvmHostQuote };

const make = (asked = request(), { view: read = view(), quote = sale() }: Scene = {}) =>
  playPlacing(makingChild(asked), { views: [read], quotes: [[quote, quote]], nowMs });

const made = (...scene: Parameters<typeof make>) => {
  const { answer } = make(...scene);
  if ("attention" in answer) throw new Error(`refused: ${answer.attention}`);
  return answer;
};

const attention = (...scene: Parameters<typeof make>) => {
  const { answer } = make(...scene);
  return "attention" in answer ? answer.attention : "made";
};

describe("makingChild", () => {
  it("makes an order by the wave's price and the mandate, and writes nothing", () => {
    const { did } = make();
    expect(did).toEqual(["readPlacing", "quote", "makeMac", "now"]);
    const { made: child, price } = made();
    expect(price).toBe("0.95");
    expect(child.order).toMatchObject({
      intent: {
        orderId: "CHILD",
        side: "sell",
        amount: 1000n,
        minAmountOut: 855n,
        quotedOut: 950n,
        isPrivate: true,
        createdAt: nowMs,
        validUntil: nowMs / 1000 + 60,
        parent: { orderId: mandate().orderId, mandate: mandateHash, leg: 1, n: 4, after: "C2" },
        routes: [v2],
      },
      mac: "mac",
      mandate: mandate(),
      mandateMac: "mandate mac",
      placed: { symbol: "MOON/ETH", decimals: 18 },
    });
    expect(child.order.placed.clientOrderId).toBeUndefined();
  });

  it.each([
    { leg: 1, gasPreset: "fast", maxGasPrice: 30n * gwei },
    { leg: 0, gasPreset: "medium", maxGasPrice: 10n * gwei },
    { leg: 0, of: exit, gasPreset: "fast", maxGasPrice: 30n * gwei },
    { leg: 0, of: sliced, gasPreset: "medium", maxGasPrice: 10n * gwei },
  ])("lets leg $leg pay up to $maxGasPrice, with the preset $gasPreset", ({ leg, of, ...fees }) => {
    const settings = { ...evmOrderSettingsOf("eth"), gasPreset: "medium", maxGasPrice: 1 } as const;
    const { order } = made(request({ leg }, of), { view: view({ settings }) }).made;
    expect(order.intent).toMatchObject(fees);
  });

  it("makes a child by the program key of its mandate, within the key's limits", () => {
    const asked = request({}, mandate({ by: keyId }));
    const of = (changes: Partial<ProgramKey>) =>
      view({ program: { key: tradingKey({ userID, ...changes }), count: undefined } });
    const endsAt = new Date(nowMs + 3_600_000).toISOString();
    const { effects } = make(asked, { view: of({ endsAt }) });
    expect(effects[0]).toMatchObject({ do: "readPlacing", by: keyId });
    expect(made(asked, { view: of({ endsAt }) }).made.order.intent).toMatchObject({ by: keyId });
    expect(made().made.order.intent).not.toHaveProperty("by");
    expect(attention(asked, { view: of({ endsAt, tokens: [] }) })).toBe("KEY_LIMIT");
    expect(attention(asked, { view: of({ endsAt, revokedAt: endsAt }) })).toBe("KEY_LIMIT");
    expect(attention(asked)).toBe("KEY_LIMIT");
  });

  it("buys nothing whose exits could then not pay for their sales", () => {
    const of = mandate({ side: "buy", legs: [{ kind: "limit", price: { coins: 2n, tokens: 1n } }] });
    const asked = request({ leg: 0 }, of);
    const exits = [{ orderId: "E", percent: 100, stopLoss: { percent: -50 } }];
    const withExits = { ...asked, parent: { ...asked.parent, placed: { ...placed, exits } } };
    const coins = 200_000n;
    const quote = sale({ held: { coins, tokens: 0n } });
    expect(attention(asked, { quote })).toBe("made");
    expect(attention(withExits, { quote })).toBe("INSUFFICIENT_BALANCE");
    expect(attention(withExits, { quote: sale({ held: { coins: 2n * coins, tokens: 0n } }) })).toBe("made");
  });

  it("keeps the user's preset if it is faster than a stop needs", () => {
    const settings = { ...evmOrderSettingsOf("eth"), gasPreset: "turbo" } as const;
    expect(made(request(), { view: view({ settings }) }).made.order.intent).toMatchObject({
      gasPreset: "turbo",
    });
  });

  it("places a child later than the cutoffs that its mandate outlived", () => {
    const later = nowMs + 3000;
    const of = mandate({ createdAt: later + 1 });
    const { made: child } = made(request({}, of), {
      view: view({ cutoffs: { all: { userID, before: later } } }),
    });
    expect(child.order.intent.createdAt).toBe(later + 1);
  });

  it("makes no child if all orders were cancelled since the parent was read", () => {
    const cutoffs = { all: { userID, before: mandate().createdAt } };
    expect(make(request(), { view: view({ cutoffs }) }).did).toEqual(["readPlacing"]);
  });

  const open = (changes: Partial<EvmIntent>) =>
    tradeOrder({ intent: intent({ side: "sell", amount: 1000n, ...changes }), amount: 1000n });
  const parentOf = (orderId: string) => ({ parent: { orderId, mandate: mandateHash, leg: 0, n: 3 } });
  const rich = sale({ held: { coins: 10n ** 20n, tokens: 1000n } });

  it.each([
    {
      what: "nothing for a child of the same order, since one of them fills",
      of: mandate().orderId,
      code: "made",
    },
    { what: "the tokens of another order's child", of: "OTHER", code: "INSUFFICIENT_BALANCE" },
  ])("reserves $what", ({ of, code }) => {
    const laneOrders = [open(parentOf(of))];
    expect(attention(request(), { view: view({ laneOrders }), quote: rich })).toBe(code);
  });

  it("does not count open orders", () => {
    const laneOrders = Array.from({ length: 20 }, () => open({ side: "buy" }));
    expect(attention(request(), { view: view({ laneOrders }), quote: rich })).toBe("made");
  });

  it("accepts any price impact, since the leg's floor limits the price", () => {
    expect(attention(request(), { quote: sale({ priceImpact: 60 }) })).toBe("made");
  });

  it("compares a policy's slippage with the price of the wave, not with that of the single order", () => {
    const limited = viewWith({ maxSlippage: 110_000n });
    // The minimum is 10 % below the wave's price, and 21 % below what the order would bring by itself.
    expect(attention(request(), { view: limited, quote: sale({ amountOut: 1080n }) })).toBe("made");
  });

  const coins = (held: bigint) => sale({ held: { coins: held, tokens: 1000n } });
  const tally = {
    ...{ orderId: mandate().orderId, owed: [], revision: 1, expiresAt: 0 },
    counts: { limit: { hour: 0, n: 0 }, stop: { hour: 0, n: 0 } },
  };

  /** Costs more gas than the sale brings. */
  const dear = { estimate: 600n, gasLimit: 600n, l1Fee: 0n };

  it.each<[string, ...Parameters<typeof make>]>([
    ["TRADING_DISABLED", request(), { view: view({ isStopped: true }) }],
    ["POLICY_LIMIT", request(), { view: viewWith({ tradingEnabled: false }) }],
    ["POLICY_LIMIT", request(), { view: viewWith({ maxSlippage: 90_000n }) }],
    ["INSUFFICIENT_GAS", request(), { quote: coins(100n) }],
    ["INSUFFICIENT_GAS", request(), { quote: sale({ baseFee: 100n * gwei }) }],
    ["INSUFFICIENT_BALANCE", request(), { quote: sale({ held: { coins: 5000n, tokens: 999n } }) }],
    ["NO_ROUTE", request(), { quote: new DomainError("NO_ROUTE", "none") }],
    ["NO_ROUTE", request(), { quote: sale({ amount: 999n }) }],
    ["NO_ROUTE", request({ setup: withoutRelay })],
    ["PRICE_BEYOND_WORST", request(), { quote: sale({ amountOut: 854n }) }],
    ["PRICE_BEYOND_WORST", request(), { quote: sale({ transactions: [dear] }) }],
    ["FEE_BUDGET_SPENT", request({ tally: { ...tally, fees: { limit: 0n, stop: 9950n } } })],
  ])("says %s", (code, ...scene) => {
    expect(attention(...scene)).toBe(code);
  });

  it("counts no dead buy of the same order against the day's limit once its death is final", () => {
    const day = "2026-11-29";
    const of = mandate({ side: "buy", legs: [{ kind: "limit", price: { coins: 2n, tokens: 1n } }] });
    const { chosen } = request({ leg: 0 }, of);
    const bought = { child: "C2", kind: "limit", amount: 1000n, most: 0n, day } as const;
    const died = (final?: true) => ({
      orderId: of.orderId,
      revision: 1,
      expiresAt: 0,
      dead: [{ child: "C2", how: "failed" as const, block: 7, ...(final && { final, paid: 0n }) }],
    });
    const { limits } = viewWith({ maxPerDay: 1500n });
    const spent = { chain: "eth", wallet, userID, day, spent: 1000n, revision: 1, expiresAt: 0 } as const;
    const read = view({ limits: { ...limits, count: spent } });
    const attentionWith = (final?: true) =>
      attention(
        request(
          {
            leg: 0,
            chosen: { ...chosen, quotedOut: 600n, minAmountOut: 500n },
            tally: { ...tally, fees: { limit: 0n, stop: 0n }, out: bought },
            ended: died(final),
          },
          of,
        ),
        {
          view: read,
          quote: tradeFacts({
            amountOut: 600n,
            routes: [quotedRoute({ amountOut: 600n })],
            held: { coins: 5000n, tokens: 0n },
          }),
        },
      );
    expect([attentionWith(), attentionWith(true)]).toEqual(["POLICY_LIMIT", "made"]);
  });

  describe("on a day on which the signer would sign nothing more", () => {
    const spent = {
      chain: "eth",
      wallet,
      userID,
      day: "2026-11-29",
      spent: 0n,
      revision: 1,
      expiresAt: 0,
    } as const;
    const { stored } = viewWith({ maxNetworkFeesPerDay: 10_000n }).limits;
    const counted = (changes: Partial<DaySpend>) => ({
      view: view({ limits: { stored, count: { ...spent, ...changes } } }),
    });
    const begun = { tally: { ...tally, fees: { limit: 0n, stop: 0n } } };

    it("makes no first child of a 101st order, which would only hold up its wallet's lane", () => {
      expect(attention(request(), counted({ newResting: 99 }))).toBe("made");
      expect(attention(request(), counted({ newResting: 100 }))).toBe("POLICY_LIMIT");
      expect(attention(request(begun), counted({ newResting: 100 }))).toBe("made");
    });

    it("leaves half of the day's network fees to stops", () => {
      const asked = { leg: 0, chosen: { ...request().chosen, quotedOut: 2500n, minAmountOut: 2000n } };
      const quote = sale({ amountOut: 2500n });
      const [few, many] = [counted({ limitFees: 0n }), counted({ limitFees: 4990n })];
      expect(attention(request(asked), { ...few, quote })).toBe("made");
      expect(attention(request(asked), { ...many, quote })).toBe("POLICY_LIMIT");
      expect(attention(request(), many)).toBe("made");
    });
  });

  it("lets a stop pay from its own part of the fees", () => {
    expect(attention(request({ tally: { ...tally, fees: { limit: 9950n, stop: 0n } } }))).toBe("made");
  });

  it("says nothing if the wallet is gone", () => {
    expect(attention(request(), { view: view({ hasWallet: false }) })).toBeUndefined();
  });

  it("says nothing if hosts disagree", () => {
    const { answer } = playPlacing(makingChild(request()), {
      views: [view()],
      quotes: [[sale(), sale({ nextNonce: 8 })]],
    });
    expect(answer).toEqual({ attention: undefined });
  });
});
