import type { Order, Position } from "trading-terminal-client";
import { describe, expect, it } from "vitest";
import {
  changeSpan,
  isSilent,
  leastAge,
  mayPass,
  shownFlags,
  shownTokens,
  whyUnvalued,
} from "../app/market/markets.ts";

const tokenOf = (number: number) => `0x${String(number).padStart(40, "0")}`;
const positionOf = (number: number, status = "open") =>
  ({ chain: "base", token: tokenOf(number), status }) as Position;
const orderOf = (number: number, status = "open") =>
  ({ chain: "base", token: tokenOf(number), status, type: "limit", price: "1" }) as Partial<Order> as Order;

describe("changeSpan", () => {
  it.each([
    [0, "in 1 min"],
    [4, "in 4 min"],
    [59.9, "in 59 min"],
    [60, "in 1 h"],
    [1439, "in 23 h"],
    [1440, "in 24 h"],
    [undefined, "in 24 h"],
  ])("of a price known for %s minutes is %s", (minutes, text) => {
    expect(changeSpan(minutes === undefined ? undefined : 0, (minutes ?? 0) * 60_000)).toBe(text);
  });
});

describe("leastAge", () => {
  it.each([
    [undefined, undefined],
    [0.9, undefined],
    [1, "at least 1 min"],
    [61, "at least 1 h"],
    [2879, "at least 47 h"],
    [2880, "at least 2 d"],
  ])("of a price known for %s minutes is %s", (minutes, text) => {
    expect(leastAge(minutes === undefined ? undefined : 0, (minutes ?? 0) * 60_000)).toBe(text);
  });
});

describe("shownFlags", () => {
  it("warns of a stale market once a block should have come since the page shows it", () => {
    expect(shownFlags(["THIN", "STALE"], 11_999)).toEqual(["THIN"]);
    expect(shownFlags(["THIN", "STALE"], 12_000)).toEqual(["THIN", "STALE"]);
  });
});

describe("isSilent", () => {
  it.each([
    [undefined, 2999, false],
    [undefined, 3000, true],
    [[], 60_000, false],
    [["STALE"], 11_999, false],
    [["STALE"], 12_000, true],
  ] as const)("of a market with the flags %j after %i ms is %s", (flags, shownMs, silent) => {
    expect(isSilent(flags && { flags: [...flags] }, shownMs)).toBe(silent);
  });
});

describe("mayPass", () => {
  it.each([
    [0, true],
    [404, false],
    [429, false],
    [503, true],
  ])("of a failure with the status %i is %s", (status, passes) => {
    expect(mayPass({ status })).toBe(passes);
  });
});

describe("whyUnvalued", () => {
  it.each([
    [undefined, "reading …", "waiting for its market"],
    [["STALE", "NO_POOL"], "reading …", "its market is stale"],
    [["NO_POOL"], "no pool pays a price", "no pool pays a price"],
    [[], "its price is unknown", "its price is unknown"],
  ] as const)(
    "of %j claims nothing that the next block may change before it should have come",
    (flags, early, late) => {
      expect(whyUnvalued(flags, 11_999)).toBe(early);
      expect(whyUnvalued(flags, 12_000)).toBe(late);
    },
  );
});

describe("shownTokens", () => {
  it("names the ticket's token first, then each token of an open position or a resting order once", () => {
    const ticket = { chain: "base", token: tokenOf(2) } as const;
    const positions = [positionOf(1), positionOf(2), positionOf(3, "closed"), positionOf(1)];
    const orders = [
      orderOf(1),
      orderOf(4),
      orderOf(5, "filled"),
      { ...orderOf(6), type: "market" },
    ] as Order[];
    expect(shownTokens(ticket, positions, orders)).toEqual([
      { ...ticket, candles: true },
      { chain: "base", token: tokenOf(1) },
      { chain: "base", token: tokenOf(4) },
    ]);
  });

  it("names watched tokens last", () => {
    const ticket = { chain: "base", token: tokenOf(1) } as const;
    const watched = [1, 2, 3].map((number) => ({ chain: "base", token: tokenOf(number) }) as const);
    expect(shownTokens(ticket, [positionOf(3)], [], watched).map(({ token }) => token)).toEqual(
      [1, 3, 2].map(tokenOf),
    );
  });

  it("names 19 tokens at most, so that the next chart's token fits into the 20 of a connection", () => {
    const positions = Array.from({ length: 30 }, (_, index) => positionOf(index));
    expect(shownTokens({ chain: "base", token: "" }, positions, [])).toHaveLength(19);
  });
});
