import type { Position } from "trading-terminal-client";
import { describe, expect, it } from "vitest";
import { shownTokens } from "../app/market/markets.ts";

const tokenOf = (number: number) => `0x${String(number).padStart(40, "0")}`;
const positionOf = (number: number, status = "open") =>
  ({ chain: "base", token: tokenOf(number), status }) as Position;

describe("shownTokens", () => {
  it("names the ticket's token first, and each token of an open position once", () => {
    const ticket = { chain: "base", token: tokenOf(2) } as const;
    const positions = [positionOf(1), positionOf(2), positionOf(3, "closed"), positionOf(1)];
    expect(shownTokens(ticket, positions)).toEqual([
      { ...ticket, candles: true },
      { chain: "base", token: tokenOf(1) },
    ]);
  });

  it("names 19 tokens at most, so that the next chart's token fits into the 20 of a connection", () => {
    const positions = Array.from({ length: 30 }, (_, index) => positionOf(index));
    expect(shownTokens({ chain: "base", token: "" }, positions)).toHaveLength(19);
  });
});
