import type { TerminalState } from "trading-terminal-client";
import { describe, expect, it } from "vitest";
import { leastHint, sizedTradeOf } from "../../app/ticket/least.ts";

type Streamed = TerminalState["markets"][number];

const token = "GhuYtVjHvEDLz6GTcjJRmJZbzZGyZjLpdxhBSKsNmoon";
const orbit = { chain: "sol", token } as const;
const streamed: Streamed = { ...orbit, price: "0.0002", flags: [], revision: 1, block: 1, asOf: "" };

describe("the hint for a minimum", () => {
  const hint = (markets: Streamed[], read?: Pick<Streamed, "price">) =>
    leastHint(orbit, "ORBIT", { markets }, read);

  it("falls back to the last price from another source", () => {
    expect(hint([], { price: "0.0001" })).toBe("last price elsewhere: 0.0001 SOL for one ORBIT");
  });

  it("prefers the price of the stream", () => {
    expect(hint([streamed], { price: "0.0001" })).toBe("last price elsewhere: 0.0002 SOL for one ORBIT");
  });

  it("reports that no other source has a price if neither the stream nor the token's details have one", () => {
    expect(hint([], {})).toBe("no other source has a price");
    expect(leastHint(orbit, "ORBIT", undefined, undefined)).toBe("no other source has a price");
  });

  it("ignores the price of another token", () => {
    expect(hint([{ ...streamed, token: "other" }])).toBe("no other source has a price");
  });
});

describe("the order that a typed minimum belongs to", () => {
  const ticket = { ...orbit, side: "sell", wallet: "", given: "100", unit: "amount" } as const;

  it.each([
    { given: "10" },
    { unit: "percent" },
    { wallet: "another" },
    { side: "buy" as const },
    { token: "another" },
    { chain: "eth" as const },
  ])("changes with %j", (change) => {
    expect(sizedTradeOf({ ...ticket, ...change })).not.toBe(sizedTradeOf(ticket));
  });

  it("ignores the letter case of an address", () => {
    expect(sizedTradeOf({ ...ticket, token: token.toUpperCase() })).toBe(sizedTradeOf(ticket));
  });
});
