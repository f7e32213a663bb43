import type { Position, TerminalState } from "trading-terminal-client";
import { describe, expect, it } from "vitest";
import { beforeFees, entryOf, worthNow } from "../app/market/totals.ts";

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

describe("worthNow", () => {
  const market = { ...name, price: "0.5", flags: [], asOf: "2026-11-21T09:30:00.000Z" };
  const worthOf = (changes: Partial<Position>, liquidity?: string) =>
    worthNow(
      { markets: [{ ...market, liquidity }] } as unknown as TerminalState,
      position("4", "0.375", changes),
    );

  it("subtracts what was paid for the tokens and the network fees of these purchases", () => {
    const shown = worthOf({ cost: "1.5", costFees: "0.1" });
    expect(shown).toEqual({ worth: "2", gain: "0.4", gross: "0.5", percent: 25 });
    expect(beforeFees(shown?.gain, shown?.gross)).toBe("0.5");
  });

  it("subtracts them from the proceeds of a sale in a thin pool", () => {
    const shown = worthOf({ cost: "1", costFees: "0.1" }, "0.02");
    expect(shown).toMatchObject({ atPrice: "2", gross: "-0.333333333333333333" });
    expect(shown?.gain).toBe("-0.433333333333333333");
  });

  it("says nothing of fees that are unknown or 0", () => {
    for (const fees of [{}, { costFees: "0" }] as const) {
      const { gain, gross } = worthOf({ cost: "1.5", ...fees }) ?? {};
      expect([gain, beforeFees(gain, gross)]).toEqual(["0.5", undefined]);
    }
    expect(worthOf({})).toEqual({ worth: "2" });
    expect(beforeFees(undefined, "1")).toBeUndefined();
  });
});
