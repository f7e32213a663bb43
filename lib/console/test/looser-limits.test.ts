import { describe, expect, it } from "vitest";
import { looserLimits, type Policy } from "../app/wallets/looser-limits.ts";

const open: Policy = { tokens: "any", tradingEnabled: true };
const tight: Policy = {
  maxPerOrder: "0.25",
  maxPerDay: "9",
  maxNetworkFeesPerDay: "0.1",
  tokens: ["0xA1"],
  maxSlippage: 5,
  tradingEnabled: true,
};

describe("looserLimits", () => {
  it.each<[Partial<Policy>, string]>([
    [{ maxPerOrder: "0.250000000000000001" }, "up to 0.250000000000000001 ETH for a buy"],
    [{ maxPerDay: "10" }, "up to 10 ETH in a day"],
    [{ maxNetworkFeesPerDay: "0.2" }, "up to 0.2 ETH of network fees in a day"],
    [{ maxSlippage: 50 }, "up to 50 % slippage"],
    [{ tokens: ["0xA1", "0xA2"] }, "1 more token"],
    [{ tokens: ["0xA2", "0xA3"] }, "2 more tokens"],
    [{ anyLoss: true }, "orders may lose more than half of their value"],
  ])("lists the looser limits %j", (change, text) => {
    const changed = { ...tight, ...change };
    expect(looserLimits(tight, changed, "ETH")).toEqual([text]);
  });

  it("lists each removed limit, and the end of a freeze", () => {
    expect(looserLimits({ ...tight, tradingEnabled: false }, open, "BNB")).toEqual([
      "the wallet may trade again",
      "no limit for a buy",
      "no limit in a day",
      "the usual network fees",
      "any slippage",
      "any token",
    ]);
  });

  it("does not list equal or tighter limits, except a limit on network fees where none was set before", () => {
    expect(looserLimits(tight, tight, "ETH")).toEqual([]);
    expect(looserLimits({ ...open, anyLoss: true }, { ...tight, tradingEnabled: false }, "ETH")).toEqual([
      "up to 0.1 ETH of network fees in a day",
    ]);
  });
});
