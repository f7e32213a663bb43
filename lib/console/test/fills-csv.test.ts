import type { Order } from "trading-terminal-client";
import { describe, expect, it } from "vitest";
import { fillsCsv } from "../app/fills-csv.ts";

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
  createdAt: "2026-11-30T00:00:00.000Z",
} as Partial<Order> as Order;

describe("fillsCsv", () => {
  it("writes each fill with all digits and its units, and no other order", () => {
    const { receivedAmount: _, ...open } = buy;
    const [head, line, ...rest] = fillsCsv([open as Order, buy]).split("\r\n");
    expect(head).toMatch(/^"time","chain","side","paid","paid in","received","received in"/);
    expect(line).toBe(
      '"2026-11-30T00:00:00.000Z","eth","buy","0.1","ETH","994.687000000000000001","MOON","0.0001","ETH",' +
        '"0.00024","ETH","0x12","0x34","0x56","o-1"',
    );
    expect(rest).toEqual([""]);
  });

  it("lets no name of a token break out of its cell or run as a formula", () => {
    const text = fillsCsv([{ ...buy, baseSymbol: '=HYPERLINK("x"),\n' }]);
    expect(text).toContain(`"'=HYPERLINK(""x""),\n"`);
  });
});
