import { describe, expect, it } from "vitest";
import {
  checkSolTrade,
  type SolSetup,
  type SolTradeCheck,
  type SolTrader,
} from "../../../../lib/chains/sol/rules/check-trade.ts";
import type { SolTradeFacts } from "../../../../lib/chains/sol/rules/trade-facts.ts";
import type { AskedTrade } from "../../../../lib/orders/trade.ts";
import { noStoredLimits, rulesAt } from "../../../../lib/orders/wallet-policy.ts";
import { solFacts, solMint } from "../../../support/sol-facts.ts";

const setup: SolSetup = {
  chain: "sol",
  name: "setup",
  listed: [],
  baseFeeCap: 10_000n,
  limits: { maxNetworkFee: 50_000_000n, baseFeeLamports: 10_000n },
};
const relayed: SolSetup = { ...setup, leastTip: 100_000n };
const trader: SolTrader = {
  settings: { slippage: 1, priorityFee: 0.001, mevProtection: true },
  orders: [],
  isStopped: false,
  mayLose: true,
};
const buy: AskedTrade = { side: "buy", token: solMint, amount: "1" };
const sell: AskedTrade = { side: "sell", token: solMint, amount: "1" };

type Case = {
  setup?: SolSetup;
  trade?: AskedTrade;
  trader?: Partial<SolTrader>;
  facts?: Partial<SolTradeFacts>;
};

const check = ({ setup: given = setup, trade = buy, trader: who, facts }: Case = {}): SolTradeCheck =>
  checkSolTrade(given, trade, { ...trader, ...who }, { ...solFacts, ...facts });

const coinOf = ({ needs: [coin] }: SolTradeCheck) => coin && [coin.needed, coin.available];

/** A sale of one token by a wallet with these lamports. */
const selling = (coins: bigint, changes: Case = {}) =>
  check({
    trade: sell,
    ...changes,
    facts: {
      amount: 1_000_000n,
      amountOut: 10n ** 9n,
      held: { coins, tokens: 1_000_000n },
      ...changes.facts,
    },
  });

describe("checkSolTrade", () => {
  it("prefers the settings of the order to the user's", () => {
    const { settings, least, networkFee, budget } = check({
      trade: { ...buy, slippage: 2, priorityFee: 0.002, mevProtection: false },
    });
    expect(settings).toEqual({ slippage: 2, priorityFee: 0.002, mevProtection: false });
    expect([least, budget, networkFee.max]).toEqual([980_000n, 2_000_000n, 2_035_000n]);
    expect(check({ trade: { ...buy, minAmountOut: "0.9" } }).least).toBe(900_000n);
  });

  it("spends at most the operators' limit on network fees", () => {
    const limits = { ...setup.limits, maxNetworkFee: 400_000n };
    expect(check({ setup: { ...setup, limits } })).toMatchObject({
      budget: 400_000n,
      networkFee: { max: 435_000n },
    });
  });

  it("ignores a base fee above the cap", () => {
    const costs = { ...solFacts.costs, baseFee: 10_001n };
    expect(check({ facts: { costs } })).toMatchObject({ baseFee: 10_000n, networkFee: { max: 1_070_000n } });
  });

  it("requires the coin that a buy needs at its peak, and reports the rent that it finally leaves behind", () => {
    // Amount, fees, and the rents of the marker, the token's account and the wrapped coin.
    const peak = 1_000_000_000n + 1_035_000n + 897_840n + 2n * 2_039_280n;
    expect(coinOf(check())).toEqual([peak, 10_000_000_000n]);
    expect(check().mostRents).toBe(897_840n + 2n * 2_039_280n);
    expect(check().rent).toBe(897_840n + 2_039_280n);
    const known = { ...solFacts.costs, rents: { ...solFacts.costs.rents, tokenAccount: 0n } };
    expect(coinOf(check({ facts: { costs: known } }))?.[0]).toBe(peak - 2_039_280n);
    expect(check({ facts: { costs: known } }).rent).toBe(897_840n);
    const rents = { marker: 3_000_000n, wsol: 2_039_280n, tokenAccount: 0n, market: 0n };
    const costs = { ...solFacts.costs, rents };
    expect(coinOf(check({ facts: { costs } }))?.[0]).toBe(1_001_035_000n + 6_000_000n);
  });

  it("rejects a buy if the wallet lacks one lamport", () => {
    const { needs } = check();
    const needed = needs[0]?.needed ?? 0n;
    const of = (coins: bigint) => check({ facts: { held: { coins, tokens: 0n } } }).objection;
    expect(of(needed)).toBeUndefined();
    expect(of(needed - 1n)).toMatchObject({
      code: "INSUFFICIENT_BALANCE",
      details: { token: "native", symbol: "SOL", needed: "1.0060114", available: "1.006011399" },
    });
  });

  it("lowers the budget of a sale instead of rejecting the sale", () => {
    // Rents of the wrapped coin and the marker, plus seven base fees.
    const floor = 2_039_280n + 897_840n + 35_000n;
    expect(selling(floor + 1_000_000n)).toMatchObject({ budget: 1_000_000n, mostRents: floor - 35_000n });
    const poor = selling(floor + 500_000n);
    expect(poor).toMatchObject({ budget: 500_000n, networkFee: { max: 535_000n, expected: 85_000n } });
    expect([poor.objection, coinOf(poor)]).toEqual([undefined, [floor + 500_000n, floor + 500_000n]]);
    expect(selling(floor)).toMatchObject({ budget: 0n, attempt: { microLamportsPerUnit: 0n } });
    expect(selling(floor).objection).toBeUndefined();
    expect(selling(floor - 1n).objection).toMatchObject({
      code: "INSUFFICIENT_BALANCE",
      details: { token: "native", needed: "0.00297212" },
    });
    expect(selling(0n).objection?.code).toBe("INSUFFICIENT_BALANCE");
  });

  it("keeps the budget of a sale if a relay needs it", () => {
    // 16 % of this budget are 0.0001 SOL, the tip.
    const lowest = 625_000n;
    const floor = 2_039_280n + 897_840n + 35_000n + lowest;
    expect(selling(floor, { setup: relayed })).toMatchObject({ budget: lowest, attempt: { tip: 100_000n } });
    expect(selling(floor, { setup: relayed }).objection).toBeUndefined();
    // The relay accepts two attempts less from the lowest budget, so two base fees remain.
    expect(selling(floor - 10_000n, { setup: relayed }).objection).toBeUndefined();
    expect(selling(floor - 10_001n, { setup: relayed }).objection?.code).toBe("INSUFFICIENT_BALANCE");
  });

  it("requires the tokens of a sale before its coin", () => {
    const { objection, needs } = check({
      trade: sell,
      facts: { amount: 1_000_001n, held: { coins: 0n, tokens: 1_000_000n } },
    });
    expect(objection).toMatchObject({
      code: "INSUFFICIENT_BALANCE",
      details: {
        token: solMint,
        needed: "1.000001",
        available: "1",
      },
    });
    expect(needs.map(({ token }) => token)).toEqual(["native", solMint]);
    expect(check({ trade: sell, facts: { amount: 1n } }).rent).toBe(897_840n);
  });

  it("requires no balance if there is no wallet, and keeps the budget", () => {
    const { held: _, ...facts } = solFacts;
    for (const trade of [buy, sell]) {
      const { needs, budget, objection } = checkSolTrade(setup, trade, trader, facts);
      expect([needs, budget, objection]).toEqual([[], 1_000_000n, undefined]);
    }
  });

  it("makes a trade private if protection is on and a relay is configured", () => {
    expect(check({ setup: relayed })).toMatchObject({
      submission: "private",
      networkFee: { expected: 165_000n, priority: 60_000n, tip: 100_000n },
    });
    const open = { setup: relayed, trade: { ...buy, mevProtection: false } };
    expect(check(open)).toMatchObject({ submission: "public", networkFee: { priority: 160_000n, tip: 0n } });
    expect(check().submission).toBe("public");
  });

  it("rejects a budget whose attempts cannot pay the relay", () => {
    const objectionTo = (priorityFee: number, mevProtection = true) =>
      check({ setup: relayed, trade: { ...buy, priorityFee, mevProtection } }).objection;
    expect(objectionTo(0.000625)).toBeUndefined();
    expect(objectionTo(0.000624999)).toMatchObject({
      code: "PRIORITY_FEE_TOO_LOW",
      details: { priorityFee: "0.000624999", least: "0.000625" },
    });
    expect(objectionTo(0, false)).toBeUndefined();
    expect(check({ trade: { ...buy, priorityFee: 0 } }).objection).toBeUndefined();
  });

  it("plans no attempts whose share is below the relay's lowest tip", () => {
    const attemptsAt = (priorityFee: number) => {
      const { attempts, networkFee, budget } = check({
        setup: relayed,
        trade: { ...buy, priorityFee, validForSeconds: 600 },
      });
      expect(networkFee.max).toBe(budget + BigInt(attempts + 1) * 5000n);
      return attempts;
    };
    expect([0.000625, 0.000667, 0.001, 0.1].map(attemptsAt)).toEqual([4, 5, 6, 24]);
    expect(check({ trade: { ...buy, priorityFee: 0, validForSeconds: 600 } }).attempts).toBe(24);
  });

  it("counts the rents of the pool to which the token may move", () => {
    const next = { venue: "pumpswap", pool: "next" } as const;
    const onCurve = { venue: "pump", pool: "curve", feeBps: 125, amountOut: 1_000_000n, next } as const;
    const limits = { maxNetworkFee: 1_000_000n };
    // The fees, the marker, a token account, and the accounts of a pool on PumpSwap.
    const needed = 1_035_000n + 897_840n + 2_248_080n + 1_844_400n + 2n * 2_039_280n;
    const at = (maxNetworkFeesPerDay: bigint) =>
      check({
        facts: { routes: [onCurve] },
        trader: { rules: rulesAt(noStoredLimits, 0, { ...limits, maxNetworkFeesPerDay }) },
      }).objection?.code;
    expect(at(needed)).toBeUndefined();
    expect(at(needed - 1n)).toBe("POLICY_LIMIT");
  });

  it("compares the price per unit with that of other transactions", () => {
    const at = (marketPrice: bigint) => check({ facts: { costs: { ...solFacts.costs, marketPrice } } });
    expect([at(1_066_666n).isBelowMarket, at(1_066_667n).isBelowMarket]).toEqual([false, true]);
  });

  it.each([
    ["the usual rents", solFacts.costs.rents, 0.001],
    ["no priority", solFacts.costs.rents, 0],
    ["an empty account that needs more than one of tokens", { ...solFacts.costs.rents, wsol: 890_879n }, 0],
  ])(
    "lets a wallet that spent all but the reserve sell its tokens again, with %s",
    (_, rents, priorityFee) => {
      const costs = { ...solFacts.costs, rents };
      const settings = { slippage: 1, priorityFee, mevProtection: true };
      const coins = 10n ** 10n;
      const buying = (amount: bigint) => check({ trader: { settings }, facts: { amount, costs } });
      const { exitReserve, needs, rent, networkFee } = buying(0n);
      const amount = coins - (needs[0]?.needed ?? 0n) - exitReserve;
      expect(buying(amount).objection).toBeUndefined();
      const left = coins - amount - rent - networkFee.max;
      const sale = (lamports: bigint) => {
        const { budget, objection } = selling(lamports, { trader: { settings }, facts: { costs } });
        return [budget, objection?.code];
      };
      const budget = BigInt(priorityFee * 1e9);
      expect(sale(left)).toEqual([budget, undefined]);
      expect(sale(left - 1n)).toEqual(
        priorityFee > 0 ? [budget - 1n, undefined] : [0n, "INSUFFICIENT_BALANCE"],
      );
    },
  );

  it.each<[string, Case]>([
    ["TRADING_DISABLED", { trader: { isStopped: true } }],
    ["POLICY_LIMIT", { setup: { ...setup, limits: { ...setup.limits, maxOrder: 999_999_999n } } }],
    ["TOKEN_UNSAFE", { facts: { flags: ["SEIZABLE"] } }],
    ["TOKEN_UNSAFE", { facts: { flags: ["HOOKED"] } }],
    ["TOKEN_UNSAFE", { facts: { flags: ["HOOKABLE"] } }],
    ["TOKEN_UNSAFE", { facts: { flags: ["FROZEN_BY_DEFAULT"] } }],
    ["TOKEN_UNSAFE", { facts: { flags: ["NON_TRANSFERABLE"] } }],
    ["TOKEN_UNSAFE", { facts: { safety: { ...solFacts.safety, buyTax: 25.01 } } }],
    ["TOKEN_UNSAFE", { facts: { safety: { ...solFacts.safety, sellable: false } } }],
    ["NO_REFERENCE", { facts: { lacksReference: true } }],
    [
      "NO_REFERENCE",
      { facts: { lacksReference: true, held: { coins: 10n ** 10n, tokens: 10n ** 10n } }, trade: sell },
    ],
    ["SIGN_IN_REQUIRED", { trade: { ...buy, minAmountOut: "0.4" }, trader: { mayLose: false } }],
    ["PRICE_IMPACT_TOO_HIGH", { facts: { priceImpact: 15.0001 } }],
    ["PRICE_IMPACT_TOO_HIGH", { facts: { market: { impact: 16, reference: { in: 1n, out: 1n } } } }],
  ])("rejects a trade with %s, %#", (code, given) => {
    expect(check(given).objection?.code).toBe(code);
  });

  it.each<Case>([
    { facts: { flags: ["FREEZABLE", "MINTABLE", "PAUSABLE", "NOT_LISTED"] } },
    { facts: { safety: { ...solFacts.safety, buyTax: 25, sellTax: 25 } } },
    { facts: { safety: { ...solFacts.safety, sellable: null } } },
    { facts: { flags: ["SEIZABLE"] }, trade: { ...buy, allowUnsafe: true } },
    { facts: { flags: ["SEIZABLE"], held: { coins: 10n ** 10n, tokens: 10n ** 10n } }, trade: sell },
    { trade: { ...buy, minAmountOut: "0.4" } },
    { trade: { ...buy, minAmountOut: "0.6" }, trader: { mayLose: false } },
    { facts: { priceImpact: 15 } },
    { facts: { lacksReference: true }, trade: { ...buy, minAmountOut: "0.9" } },
  ])("allows a trade, %#", (given) => {
    expect(check(given).objection).toBeUndefined();
  });

  it("returns the first of several objections", () => {
    const facts: Partial<SolTradeFacts> = {
      flags: ["SEIZABLE"],
      priceImpact: 50,
      held: { coins: 0n, tokens: 0n },
    };
    const codeOf = (given: Case) => check({ setup: relayed, ...given }).objection?.code;
    expect(codeOf({ facts, trade: { ...buy, priorityFee: 0 } })).toBe("PRIORITY_FEE_TOO_LOW");
    expect(codeOf({ facts })).toBe("INSUFFICIENT_BALANCE");
    const rich = { ...facts, held: { coins: 10n ** 10n, tokens: 0n }, lacksReference: true };
    expect(codeOf({ facts: rich })).toBe("TOKEN_UNSAFE");
    expect(codeOf({ facts: { ...rich, flags: [] } })).toBe("NO_REFERENCE");
    expect(codeOf({ facts: { ...rich, flags: [], lacksReference: false } })).toBe("PRICE_IMPACT_TOO_HIGH");
  });
});
