import type { Balance, Order, Position } from "trading-terminal-client";
import { describe, expect, it } from "vitest";
import { nothingToSell } from "../app/nothing-to-sell.ts";

const place = { chain: "eth", wallet: "0xB2", token: "0xA1" } as const;

const sale = (change: Partial<Order> = {}) =>
  ({
    ...place,
    side: "sell",
    type: "stop",
    status: "open",
    stage: "resting",
    createdAt: "2026-11-26T10:00:00.000Z",
    ...change,
  }) as Order;

const exit = (change: Partial<Order> = {}) => sale({ maxAmount: "100", ...change } as Partial<Order>);

const position = (change: Partial<Position> = {}) => ({ ...place, status: "open", ...change }) as Position;
const closed = position({ status: "closed", closedAt: "2026-11-26T11:00:00.000Z" });

const read = (amount: `${number}`, change: object = {}) => ({
  chain: "eth" as const,
  wallet: "0xB2",
  balances: [{ token: "0xa1", amount, available: "0" } as Partial<Balance> as Balance],
  ...change,
});

describe("nothingToSell", () => {
  it("says so if the wallet's balance is 0, and not if all of it is reserved", () => {
    expect(nothingToSell(sale(), [closed], read("0"))).toBe("the wallet holds none");
    expect(nothingToSell(sale(), [], read("0"))).toBe("the wallet holds none");
    expect(nothingToSell(sale(), [], read("12"))).toBeUndefined();
    expect(nothingToSell(exit(), [closed], read("12"))).toBeUndefined();
  });

  it("says so of an exit whose position has closed since", () => {
    expect(nothingToSell(exit(), [closed], undefined)).toBe("its position is closed");
    expect(
      nothingToSell(exit({ createdAt: "2026-11-26T12:00:00.000Z" }), [closed], undefined),
    ).toBeUndefined();
    expect(nothingToSell(exit(), [closed, position()], undefined)).toBeUndefined();
  });

  it.each<[string, Parameters<typeof nothingToSell>]>([
    ["nothing has been read", [sale(), [closed], undefined]],
    ["another wallet's balances were read", [sale(), [], read("0", { wallet: "0xC3" })]],
    ["another chain's balances were read", [sale(), [], read("0", { chain: "base" })]],
    ["the balances lack the token", [sale(), [], read("0", { balances: [] })]],
    ["a position has opened since the balances were read", [sale(), [position()], read("0")]],
    ["the position of another wallet is closed", [exit(), [{ ...closed, wallet: "0xC3" }], undefined]],
    ["the exit waits for its buy", [exit({ stage: "pending" }), [closed], read("0")]],
    ["the order buys", [sale({ side: "buy" }), [closed], read("0")]],
  ])("says nothing while %s", (_, given) => {
    expect(nothingToSell(...given)).toBeUndefined();
  });
});
