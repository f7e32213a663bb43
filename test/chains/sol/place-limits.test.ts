import { describe, expect, it } from "vitest";
import { DomainError } from "../../../lib/core/domain-error.ts";
import { trying } from "../../../lib/trading/procedures/placing.ts";
import { solFacts, solRoute } from "../../support/sol-facts.ts";
import { orderOf } from "./fixtures.ts";
import {
  both,
  facts,
  paying,
  place,
  play,
  refusal,
  request,
  type Scene,
  sale,
  view,
  viewWith,
} from "./support/placing.ts";

describe("placing on sol within limits", () => {
  const maxOrder = (lamports: bigint) => {
    const { setup } = request() as { setup: { limits: object } & object };
    return request({ setup: { ...setup, limits: { maxNetworkFee: 1n, maxOrder: lamports } } as never });
  };

  it.each<[string, Scene]>([
    ["TRADING_DISABLED", { views: [view({ isStopped: true })] }],
    ["WALLET_NOT_FOUND", { views: [view({ hasWallet: false })] }],
    ["WALLET_BUSY", { views: [view({ laneOrders: Array.from({ length: 20 }, () => orderOf()) })] }],
    ["POLICY_LIMIT", { of: maxOrder(999_999_999n) }],
    ["POLICY_LIMIT", { views: [viewWith({ maxPerOrder: 999_999_999n })] }],
    ["POLICY_LIMIT", { views: [viewWith({ maxPerDay: 999_999_999n })] }],
    ["POLICY_LIMIT", { views: [viewWith({ tokens: ["another"] })] }],
    ["POLICY_LIMIT", { views: [viewWith({ tradingEnabled: false })], of: request({ trade: sale }) }],
  ])("rejects an order with %s before it queries the chain, %#", (code, scene) => {
    expect(place(scene)).toMatchObject({ code, did: ["readPlacing"] });
  });

  const flagged = both({ flags: ["SEIZABLE"] });
  const poor = both({ held: { coins: 1_005_989_439n, tokens: 0n } });

  it.each<[string, string, Scene]>([
    ["CHAIN_UNAVAILABLE", "a host is silent", { quotes: [[facts(), undefined]] }],
    ["CHAIN_UNAVAILABLE", "the slots are far apart", { quotes: [[facts(), facts({ slot: 141 })]] }],
    [
      "CHAIN_UNAVAILABLE",
      "the outputs differ by more than a quarter of the slippage",
      { quotes: [[paying(1_000_000n), paying(997_499n)]] },
    ],
    [
      "CHAIN_UNAVAILABLE",
      "one host tells of another balance",
      { quotes: [[facts(), facts({ held: { coins: 10n ** 10n, tokens: 1n } })]] },
    ],
    [
      "CHAIN_UNAVAILABLE",
      "one host tells of another program of the mint",
      { quotes: [[facts(), facts({ mint: { ...solFacts.mint, program: "token2022" } })]] },
    ],
    ["CHAIN_UNAVAILABLE", "only one host refuses", { quotes: [[facts(), refusal("NO_ROUTE")]] }],
    [
      "CHAIN_UNAVAILABLE",
      "the hosts have no route in common",
      { quotes: [[facts(), facts({ routes: [solRoute("b", 1_000_000n)] })]] },
    ],
    [
      "TOKEN_NOT_FOUND",
      "no host finds the token",
      { quotes: [[refusal("TOKEN_NOT_FOUND"), refusal("TOKEN_NOT_FOUND")]] },
    ],
    ["NO_ROUTE", "no host has a pool", { quotes: [[refusal("NO_ROUTE"), refusal("NO_ROUTE")]] }],
    [
      "AMOUNT_TOO_SMALL",
      "nothing would arrive",
      { quotes: [[refusal("AMOUNT_TOO_SMALL"), refusal("AMOUNT_TOO_SMALL")]] },
    ],
    ["PRIORITY_FEE_TOO_LOW", "the relay asks for more", { of: request({ trade: { priorityFee: 0.0004 } }) }],
    ["INSUFFICIENT_BALANCE", "a lamport is missing", { quotes: poor }],
    ["TOKEN_UNSAFE", "the issuer can take the token", { quotes: flagged }],
    [
      "TOKEN_UNSAFE",
      "one host finds that it cannot be sold",
      { quotes: [[facts(), facts({ safety: { ...solFacts.safety, sellable: false } })]] },
    ],
    ["NO_REFERENCE", "only a server prices the token", { quotes: both({ lacksReference: true }) }],
    [
      "NO_REFERENCE",
      "one host finds no pool that prices it",
      { quotes: [[facts(), facts({ lacksReference: true })]] },
    ],
    ["PRICE_IMPACT_TOO_HIGH", "the price would move too far", { quotes: both({ priceImpact: 15.1 }) }],
    [
      "PRICE_IMPACT_TOO_HIGH",
      "one host finds that it would move further than the request allows",
      {
        of: request({ trade: { maxPriceImpact: 0.2 } }),
        quotes: [[facts(), facts({ priceImpact: 0.21 })]],
      },
    ],
    ["POLICY_LIMIT", "fees exceed the day's limit", { views: [viewWith({ maxPerDay: 1_001_034_999n })] }],
    [
      "POLICY_LIMIT",
      "the minimum is below the policy's",
      { views: [viewWith({ maxSlippage: 10_000n })], of: request({ trade: { slippage: 1.0001 } }) },
    ],
  ])("rejects an order with %s if %s, and records nothing", (code, _, scene) => {
    expect(place(scene)).toMatchObject({ code, did: ["readPlacing", "quote"] });
    expect(play(scene, trying(scene.of ?? request()))).toMatchObject({ code, did: ["readPlacing", "quote"] });
  });

  it("buys an unsafe token if the request allows it", () => {
    expect(place({ of: request({ trade: { allowUnsafe: true } }), quotes: flagged }).answer).toHaveProperty(
      "order",
    );
  });

  it("names the first of several reasons", () => {
    const setup = new DomainError("UNSUPPORTED_CHAIN", "sol does not trade", { chains: [] });
    const worst = { flags: ["SEIZABLE"], priceImpact: 50, held: { coins: 0n, tokens: 0n } } as const;
    const busy = Array.from({ length: 20 }, () => orderOf());
    const frozen = { ...viewWith({ tradingEnabled: false }), laneOrders: busy };
    const cheap = request({ trade: { priorityFee: 0 } });
    const steps: readonly [string, Scene][] = [
      [
        "TRADING_DISABLED",
        { of: request({ setup }), views: [{ ...frozen, isStopped: true, hasWallet: false }] },
      ],
      ["UNSUPPORTED_CHAIN", { of: request({ setup }), views: [{ ...frozen, hasWallet: false }] }],
      ["WALLET_NOT_FOUND", { of: cheap, views: [{ ...frozen, hasWallet: false }] }],
      ["WALLET_BUSY", { of: cheap, views: [frozen] }],
      ["POLICY_LIMIT", { of: cheap, views: [{ ...frozen, laneOrders: [] }], quotes: both(worst) }],
      ["PRIORITY_FEE_TOO_LOW", { of: cheap, quotes: both(worst) }],
      ["INSUFFICIENT_BALANCE", { quotes: both(worst) }],
      ["TOKEN_UNSAFE", { quotes: both({ ...worst, held: { coins: 10n ** 10n, tokens: 0n } }) }],
      [
        "PRICE_IMPACT_TOO_HIGH",
        { quotes: both({ ...worst, flags: [], held: { coins: 10n ** 10n, tokens: 0n } }) },
      ],
    ];
    for (const [code, scene] of steps) expect([code, place(scene).code]).toEqual([code, code]);
  });

  it("counts the amounts of open buys towards the day's limit, without their rents", () => {
    const laneOrders = [orderOf({ amount: 5n, quoted: { networkFee: 7n, rents: 1000n } })];
    const limited = (maxPerDay: bigint) => place({ views: [{ ...viewWith({ maxPerDay }), laneOrders }] });
    expect(limited(1_001_035_012n).answer).toHaveProperty("order");
    expect(limited(1_001_035_011n).code).toBe("POLICY_LIMIT");
  });
});
