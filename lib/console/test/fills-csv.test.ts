import type { Order } from "trading-terminal-client";
import { describe, expect, it } from "vitest";
import { fillsCsv, hasFill } from "../app/fills-csv.ts";

const buy = {
  orderId: "o-1",
  chain: "eth",
  token: "0x12",
  symbol: "MOON/ETH",
  baseSymbol: "MOON",
  wallet: "0x34",
  side: "buy",
  filledAmount: "0.1",
  receivedAmount: "994.687000000000000001",
  averagePrice: "0.0001",
  networkFee: "0.00024",
  txHash: "0x56",
  settled: false,
  createdAt: "2026-11-30T00:00:00.000Z",
  updatedAt: "2026-11-30T00:00:12.000Z",
} as Partial<Order> as Order;

describe("fillsCsv", () => {
  it("writes each fill with all digits and its units, and skips all other orders", () => {
    const [head, line, ...rest] = fillsCsv([{ ...buy, filledAmount: "0" }, buy]).split("\r\n");
    expect(head).toMatch(
      /^"placed","last change","settled","chain","side","paid","paid in","received","received in"/,
    );
    expect(line).toBe(
      '"2026-11-30T00:00:00.000Z","2026-11-30T00:00:12.000Z","no",' +
        '"eth","buy","0.1","ETH","994.687000000000000001","MOON","0.0001","ETH",' +
        '"0.00024","ETH","0x12","0x34","0x56","o-1"',
    );
    expect(rest).toEqual([""]);
  });

  it("lets no name of a token break out of its cell or run as a formula", () => {
    const text = fillsCsv([{ ...buy, baseSymbol: '=HYPERLINK("x"),\n' }]);
    expect(text).toContain(`"'=HYPERLINK(""x""),\n"`);
  });
});

describe("hasFill", () => {
  const { receivedAmount: _, ...unreported } = buy;
  it.each<[string, Order, boolean]>([
    ["counts an order of which an engine does not say what it received", unreported as Order, true],
    ["counts a cancelled order that had filled in part", { ...buy, status: "cancelled" }, true],
    ["leaves out an order that has filled nothing", { ...buy, filledAmount: "0.000" }, false],
    ["leaves out a resting order, whose child has its fill", { ...buy, childOrderId: "o-2" }, false],
  ])("%s", (_title, order, expected) => {
    expect(hasFill(order)).toBe(expected);
  });
});
