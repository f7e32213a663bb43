import type { Network, Position, TerminalState } from "trading-terminal-client";
import { describe, expect, it } from "vitest";
import { type Coins, worthOf } from "../../app/portfolio/worth.ts";

const token = "0x5409e03Dda8614EFE68ACFB5d2DaD1A351Cb5094";

const held = (positionId: string, chain: Network, change: Partial<Position> = {}) =>
  ({ positionId, chain, token, status: "open", amount: "1000", cost: "0.1", ...change }) as Position;

const priced = { chain: "eth", token, price: "0.0002", flags: [], asOf: "", liquidity: "100" };

function stateWith(positions: readonly Position[], change: object = {}): TerminalState {
  return {
    positions,
    orders: [],
    wallets: [{ network: "eth" }, { network: "eth" }, { network: "bsc" }],
    prices: { eth: { price: "2000" }, bsc: { price: "600" } },
    markets: [priced],
    heads: {},
    settings: {},
    ...change,
  } as unknown as TerminalState;
}

const coins = new Map<Network, Coins>([
  ["eth", { amount: "1.5" }],
  ["bsc", { amount: "2" }],
]);

describe("worthOf", () => {
  it("adds up coin and positions of all chains, each at its coin's price", () => {
    const closed = held("old", "eth", { status: "closed" });
    expect(worthOf(stateWith([held("a", "eth"), closed]), coins, [])).toEqual({
      byChain: [
        { chain: "eth", coins: "1.5", positions: "0.2", usd: "3400" },
        { chain: "bsc", coins: "2", positions: "0", usd: "1200" },
      ],
      usd: "4600",
      reading: [],
      lacking: [],
      stored: { count: 0 },
    });
  });

  it("takes a stored price where the stream has none, and says how old the oldest is", () => {
    const positions = [held("a", "eth"), held("b", "bsc"), held("c", "bsc")];
    const listed = ["2026-11-30T10:04:00.000Z", "2026-11-30T10:00:00.000Z"].map((priceAsOf, index) => ({
      positionId: ["b", "c"][index] ?? "",
      price: "0.001",
      priceAsOf,
    }));
    const { byChain, stored } = worthOf(stateWith(positions), coins, [
      ...listed,
      { positionId: "a", price: "9", priceAsOf: "2026-11-30T09:00:00.000Z" },
    ]);
    expect(byChain.map(({ positions: value }) => value)).toEqual(["0.2", "2"]);
    expect(stored).toEqual({ count: 2, oldest: "2026-11-30T10:00:00.000Z" });
  });

  it("names everything that the sum lacks instead of counting it as 0", () => {
    const positions = [
      held("a", "base", { token: undefined } as object),
      held("b", "base"),
      held("c", "avax"),
    ];
    const { usd, byChain, lacking, reading } = worthOf(
      stateWith(positions),
      new Map([["bsc", { problem: "the chain cannot be reached" }]]),
      [{ positionId: "c", price: "1", priceAsOf: "2026-11-30T10:00:00.000Z" }],
    );
    expect(reading).toEqual(["Ethereum"]);
    expect(lacking).toEqual([
      "2 positions on Base without a price",
      "everything on Base: the price of ETH in dollars is unknown",
      "the coin in wallets on BNB Chain: the chain cannot be reached",
      "everything on Avalanche: the price of AVAX in dollars is unknown",
    ]);
    expect(byChain.map(({ chain, usd: known }) => [chain, known])).toEqual([
      ["eth", "0"],
      ["base", undefined],
      ["bsc", "0"],
      ["avax", undefined],
    ]);
    expect(usd).toBe("0");
  });
});
