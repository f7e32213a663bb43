import { describe, expect, it } from "vitest";
import { disagreements, type Facts, unitsOf } from "../../../lib/dev/demo/disagreements.ts";
import type { Order, Position } from "../../../lib/domain/execution.ts";

const coin = 10n ** 18n;

const order = (changes: Partial<Order>) =>
  ({ status: "filled", settled: true, networkFee: "0.1", ...changes }) as Order;

const buy = order({ filledAmount: "0.5", receivedAmount: "4000.000000000000000001" });
const sell = order({ filledAmount: "4000.000000000000000001", receivedAmount: "0.4", networkFee: "0.2" });
const expired = order({ status: "expired", filledAmount: "0" });

const position = {
  status: "closed",
  settled: true,
  amount: "0",
  cost: "0",
  realizedPnl: "-0.1",
  networkFees: "0.3",
} as Position;

const attempt = { purpose: "swap", txHash: "0x1" };

/** Everybody agrees: 100 coins, less 0.1 and all fees. */
const agreeing: Facts = {
  token: "0x2",
  before: { coins: 100n * coin, tokens: 0n, nonce: 3 },
  between: { coins: 99n * coin, tokens: 4000n * coin + 1n, nonce: 5 },
  after: { coins: 99n * coin + coin / 2n, tokens: 0n, nonce: 6 },
  placed: [expired, buy, sell],
  buy,
  sell,
  attempts: ["mined", "mined", "reverted", "replaced", "pending"].map((outcome) => ({ ...attempt, outcome })),
  position,
  balances: [{ token: "native", amount: "99.5" }],
};

describe("disagreements", () => {
  it("are none if all agree to the last unit", () => {
    expect(disagreements(agreeing)).toEqual([]);
  });

  it.each<[string, Partial<Facts>]>([
    [
      "coins by the orders: 99.5, not 99.500000000000000001",
      { after: { ...agreeing.after, coins: 99n * coin + coin / 2n + 1n } },
    ],
    ["tokens bought by the orders", { between: { ...agreeing.between, tokens: 4000n * coin } }],
    ["tokens left by the orders", { after: { ...agreeing.after, tokens: 1n } }],
    ["coins by the balances: 99, not 99.5", { balances: [{ token: "native", amount: "99" }] }],
    ["tokens by the balances: 1, not 0", { balances: [...agreeing.balances, { token: "0x2", amount: "1" }] }],
    ["PnL of the position: -0.2, not -0.1", { position: { ...position, realizedPnl: "-0.2" } }],
    ["fees of the position", { position: { ...position, networkFees: "0.4" } }],
    ["amount of the position", { position: { ...position, amount: "1" } }],
    ["cost of the position", { position: { ...position, cost: "0.000000000000000001" } }],
    ["transactions by the attempts: 2, not 3", { attempts: agreeing.attempts.slice(1) }],
    ["state of the position: open, not closed", { position: { ...position, status: "open" } }],
    ["finality of the position: false, not true", { position: { ...position, settled: false } }],
    ["state of the position: undefined, not closed", { position: undefined }],
    ["coins by the orders: 99.6, not 99.5", { placed: [buy, sell] }],
  ])("name what differs: %s", (problem, changes) => {
    expect(disagreements({ ...agreeing, ...changes }).join("\n")).toContain(problem);
  });
});

describe("unitsOf", () => {
  it.each([
    ["0", 0n],
    ["12.5", 12n * coin + coin / 2n],
    ["-0.000000000000000001", -1n],
    [undefined, 0n],
  ])("reads %s", (text, units) => {
    expect(unitsOf(text)).toBe(units);
  });
});
