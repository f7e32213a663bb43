import type { Order, Position } from "trading-terminal-client";
import { localAddresses } from "trading-terminal-devnet/evm/deployment";
import { describe, expect, it } from "vitest";
import { disagreements, lineOf, main, type Round } from "../../../lib/tools/runner/trade-demo.ts";
import { stdioForTests } from "./support/stdio.ts";

const coin = 10n ** 18n;
const unit = "0.000000000000000001";

const trade = (outcomes: string[], order: Partial<Order>): Round["buy"] => ({
  order: { chain: "eth", status: "filled", settled: true, ...order } as Order,
  attempts: outcomes.map((outcome) => ({ outcome })) as Round["buy"]["attempts"],
  seconds: "3.2",
});

const closed: Partial<Position> = {
  token: localAddresses.moon,
  status: "closed",
  settled: true,
  amount: "0",
  cost: "0",
  realizedPnl: "-0.1",
  netRealizedPnl: "-0.4",
  networkFees: "0.3",
};
const position = closed as Position;

/** A consistent round that started with 100 coins and spent 0.1 and all fees. */
const agreeing: Round = {
  before: { coins: 100n * coin, tokens: 0n, nonce: 3 },
  between: { coins: 99n * coin, tokens: 4000n * coin + 1n, nonce: 5 },
  after: { coins: 99n * coin + (6n * coin) / 10n, tokens: 0n, nonce: 6 },
  buy: trade(["mined", "reverted", "replaced"], {
    filledAmount: "0.5",
    receivedAmount: "4000.000000000000000001",
    networkFee: "0.1",
  }),
  sell: trade(["mined", "pending"], {
    filledAmount: "4000.000000000000000001",
    receivedAmount: "0.4",
    networkFee: "0.2",
  }),
  positions: [position],
  balances: [{ token: "native", amount: "99.6" } as object as Round["balances"][number]],
  token: localAddresses.moon,
  symbol: "MOON",
  decimals: 18,
};

const { before, between, after, balances } = agreeing;
const moon = { token: localAddresses.moon, amount: unit } as object as Round["balances"][number];

describe("disagreements", () => {
  it("reports no disagreement when all figures match to the last unit", () => {
    expect(disagreements(agreeing)).toEqual([]);
  });

  it("counts Solana's account rents with nine decimals", () => {
    const ofSol = (rent: string, order: Order) => ({ order: { ...order, chain: "sol", rent } as Order });
    const inLamports = ({ coins, tokens }: Round["after"]) => ({ coins: coins / 10n ** 9n, tokens });
    const rented = {
      ...agreeing,
      before: inLamports(before),
      between: inLamports(between),
      after: inLamports(after),
      buy: { ...agreeing.buy, ...ofSol("0.003", agreeing.buy.order) },
      sell: { ...agreeing.sell, ...ofSol("0.001", agreeing.sell.order) },
    };
    expect(disagreements(rented)).toEqual(["coins by the orders: 99.596, not 99.6"]);
  });

  it.each<[string, Partial<Round>]>([
    [
      "coins by the orders: 99.6, not 99.600000000000000001",
      { after: { ...after, coins: after.coins + 1n } },
    ],
    ["tokens bought by the orders", { between: { ...between, tokens: 4000n * coin } }],
    ["tokens left by the orders", { after: { ...after, tokens: 1n } }],
    ["coins by the balances: 99, not 99.6", { balances: [{ ...moon, token: "native", amount: "99" }] }],
    [`tokens by the balances: ${unit}, not 0`, { balances: [...balances, moon] }],
    ["PnL of the position: -0.2, not -0.1", { positions: [{ ...position, realizedPnl: "-0.2" }] }],
    ["net PnL of the position: -0.1, not -0.4", { positions: [{ ...position, netRealizedPnl: "-0.1" }] }],
    ["fees of the position", { positions: [{ ...position, networkFees: "0.4" }] }],
    ["amount of the position", { positions: [{ ...position, amount: unit }] }],
    ["cost of the position", { positions: [{ ...position, cost: unit }] }],
    ["transactions by the attempts: 3, not 2", { before: { ...before, nonce: 4 } }],
    ["state of the position: open, not closed", { positions: [{ ...position, status: "open" }] }],
    ["state of the position: undefined, not closed", { positions: [] }],
    ["finality of the position: false, not true", { positions: [{ ...position, settled: false }] }],
  ])("reports a disagreement: %s", (problem, changes) => {
    expect(disagreements({ ...agreeing, ...changes }).join("\n")).toContain(problem);
  });
});

describe("lineOf", () => {
  const route = [{ venue: "raydium-cpmm", feeBps: 25 }];

  it("names each chain's coin, and a slot on Solana instead of a block", () => {
    const on = (chain: Order["chain"]) =>
      ({
        ...agreeing,
        buy: { ...agreeing.buy, order: { ...agreeing.buy.order, chain }, report: { block: 45, route } },
        sell: { ...agreeing.sell, order: { ...agreeing.sell.order, chain }, report: { block: 46, route } },
      }) as Round;
    expect(lineOf("sol", on("sol"))).toBe(
      "sol: buy 0.5 SOL → 4000 MOON by raydium-cpmm 0.25 %, slot 45 in 3.2 s | sell 100 % → 0.4 SOL by raydium-cpmm 0.25 %, slot 46 in 3.2 s | PnL -0.1 SOL",
    );
    expect(lineOf("avax", on("avax"))).toContain(
      "buy 0.5 AVAX → 4000 MOON by raydium-cpmm 0.25 %, block 45 in 3.2 s",
    );
  });
});

describe("main", () => {
  it.each([
    [["--port", "1"], 1, /^No runner answers at http:\/\/127\.0\.0\.1:1\. /],
    [["--chain", "btc"], 2, /Allowed choices are eth, base, bsc, avax, sol/],
  ])("exits with one line that explains the failure of %j", async (args, status, line) => {
    const stdio = stdioForTests();
    expect(await main(args, stdio)).toBe(status);
    expect(stdio.printed.err).toMatch(line);
  });
});
