import { describe, expect, it } from "vitest";
import { type DemoDeps, tradeOnChain } from "../../../lib/dev/demo/trade-chain.ts";
import { tradeLine } from "../../../lib/dev/demo/trade-demo.ts";
import type { Order, Position } from "../../../lib/domain/execution.ts";

const token = "0x2";
const wallet = "0x1";

type Placed = Parameters<DemoDeps["service"]["place"]>[0];

/** A service and a chain in one, where a coin buys 10 tokens and fees are a unit. Orders settle when they are looked at again. */
function market({ ends = [] as Order["status"][], tokens = 0n, open = 0 } = {}) {
  let coins = 10n ** 18n;
  let nonce = 0;
  let pnl = 0n;
  let nowMs = 0;
  const placed: Placed[] = [];
  const keys: string[] = [];
  const orders: Order[] = Array.from({ length: open }, (_, index) =>
    made(`old ${index}`, { status: "open" }),
  );

  function made(orderId: string, changes: Partial<Order>): Order {
    const rest = { filledAmount: "0", networkFee: "0", settled: false };
    return { orderId, chain: "eth", wallet, token, ...rest, ...changes } as Order;
  }

  function fill({ side }: Placed, orderId: string): Order {
    const half = 5n * 10n ** 17n;
    const sold = tokens;
    const received = sold / 10n;
    coins += (side === "buy" ? -half : received) - 1n;
    tokens = side === "buy" ? tokens + 10n * half : 0n;
    pnl = side === "buy" ? 0n : received - half;
    nonce += 1;
    const text = (units: bigint) => `0.${String(units).padStart(18, "0")}`;
    const whole = (units: bigint) => `${units / 10n ** 18n}.${String(units % 10n ** 18n).padStart(18, "0")}`;
    const amounts =
      side === "buy"
        ? { filledAmount: text(half), receivedAmount: whole(10n * half) }
        : { filledAmount: whole(sold), receivedAmount: text(received) };
    return made(orderId, { status: "filled", networkFee: "0.000000000000000001", ...amounts });
  }

  const deps: DemoDeps = {
    wallet,
    token,
    patience: {
      ms: 1000,
      nowMs: () => nowMs,
      pause: async (ms) => {
        nowMs += ms;
        for (const order of orders) order.settled = true;
      },
    },
    holdings: async () => ({ coins, tokens, nonce }),
    service: {
      async place(request, key) {
        placed.push(request);
        keys.push(key);
        const orderId = `o-${placed.length}`;
        const status = ends.shift() ?? "filled";
        const order = status === "filled" ? fill(request, orderId) : made(orderId, { status });
        orders.unshift(order);
        return order;
      },
      orders: async () => orders,
      attempts: async (id) =>
        orders.find(({ orderId, status }) => orderId === id && status === "filled")
          ? [{ purpose: "swap", outcome: "mined", txHash: "0x1" }]
          : [],
      positions: async () => [
        {
          ...{ token, status: "closed", settled: true, amount: "0", cost: "0" },
          realizedPnl: `${pnl < 0n ? "-" : ""}0.${String(pnl < 0n ? -pnl : pnl).padStart(18, "0")}`,
          networkFees: "0.000000000000000002",
        } as Position,
      ],
      balances: async () => [{ token: "native", amount: `0.${String(coins).padStart(18, "0")}` }],
    },
  };
  return { deps, placed, keys };
}

const sidesOf = (placed: readonly Placed[]) => placed.map(({ side }) => side);

describe("tradeOnChain", () => {
  it("buys and sells, waits until both are final, and finds that all agree", async () => {
    const { deps, placed } = market();
    const trade = await tradeOnChain(deps, "eth");
    expect(trade.problems).toEqual([]);
    expect(placed).toMatchObject([
      { chain: "eth", wallet, token, side: "buy", amount: "0.5" },
      { side: "sell", percent: 100 },
    ]);
    expect(tradeLine({ ...trade, pnl: "-0.0029806" })).toBe(
      "eth  buy 0.500000000000000000 ETH → 5 MOON  filled 0.0 s  settled 0.1 s | sell 100 % → 0.5 ETH | PnL −0.00298 | chain agrees",
    );
    expect(tradeLine({ ...trade, problems: ["a: 1, not 2", "b"] })).toContain(
      "| chain disagrees: a: 1, not 2; b",
    );
  });

  it("first waits for the orders of an earlier run, and sells what it left", async () => {
    const { deps, placed } = market({ tokens: 700n, open: 2 });
    expect((await tradeOnChain(deps, "eth")).problems).toEqual([]);
    expect(sidesOf(placed)).toEqual(["sell", "buy", "sell"]);
  });

  it("places an order again, by another key, once it has expired for good", async () => {
    const { deps, placed, keys } = market({ ends: ["expired", "filled", "expired", "expired"] });
    expect((await tradeOnChain(deps, "eth")).problems).toEqual([]);
    expect(sidesOf(placed)).toEqual(["buy", "buy", "sell", "sell", "sell"]);
    expect(new Set(keys).size).toBe(5);
  });

  it.each([
    [["expired", "expired", "expired"], "The buy on eth is expired: order o-3"],
    [["rejected"], "The buy on eth is rejected: order o-1"],
    [["filled", "cancelled"], "The sell on eth is cancelled: order o-2"],
  ] as [Order["status"][], string][])("ends if orders are %j", async (ends, message) => {
    await expect(tradeOnChain(market({ ends }).deps, "eth")).rejects.toThrow(message);
  });
});
