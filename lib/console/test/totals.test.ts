import type { Position } from "trading-terminal-client";
import { describe, expect, it } from "vitest";
import { entryOf } from "../app/market/totals.ts";

const name = { chain: "eth", token: "0xa1" } as const;
const position = (amount: string, averageEntryPrice: string, changes: Partial<Position> = {}) =>
  ({ ...name, status: "open", amount, averageEntryPrice, ...changes }) as Position;

describe("entryOf", () => {
  it("weighs the prices of a token's open positions by their amounts", () => {
    const others = [
      position("9", "9", { status: "closed" }),
      position("9", "9", { chain: "base" }),
      position("9", "9", { token: "0xb2" }),
    ];
    const own = [position("1", "2"), position("3", "4", { token: "0xA1" })];
    expect(entryOf([...others, ...own], name)).toBe(3.5);
    expect(entryOf(others, name)).toBeUndefined();
  });
});
