import { describe, expect, it } from "vitest";
import { type FeedLine, feedReport } from "../../../lib/prices/feed-report.ts";

describe("what an operator is told of the feeds", () => {
  it("names each product of each source once, and at once", () => {
    const lines: FeedLine[] = [];
    const report = feedReport((line) => lines.push(line));
    report.absent("coinbase", "BNB-USD", "not acknowledged");
    report.absent("coinbase", "BNB-USD", "refused");
    report.absent("kraken", "BNB/USD", "refused");
    expect(lines).toEqual([
      { source: "coinbase", product: "BNB-USD", reason: "not acknowledged" },
      { source: "kraken", product: "BNB/USD", reason: "refused" },
    ]);
  });

  it("counts faults by their kind, and tells them at the end", () => {
    const lines: FeedLine[] = [];
    const report = feedReport((line) => lines.push(line));
    for (let count = 0; count < 100; count++) report.fault("coinbase", "not JSON");
    report.fault("coinbase", "closed");
    report.fault("kraken", "closed");
    expect(lines).toEqual([]);
    report.end();
    expect(lines).toEqual([
      { source: "coinbase", fault: "not JSON", count: 100 },
      { source: "coinbase", fault: "closed", count: 1 },
      { source: "kraken", fault: "closed", count: 1 },
    ]);
  });
});
