import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { defaultTimings } from "../../lib/prices/feed-state.ts";
import { backoffMs, type FeedLine, feedReport } from "../../lib/prices/follow-feed.ts";

describe("feedReport", () => {
  it("logs each absent product of each source once, immediately", () => {
    const lines: FeedLine[] = [];
    const report = feedReport((line) => lines.push(line));
    report.absent("coinbase", { product: "BNB-USD", reason: "not acknowledged" });
    report.absent("coinbase", { product: "BNB-USD", reason: "refused" });
    report.absent("kraken", { product: "BNB/USD", reason: "refused" });
    expect(lines).toEqual([
      { source: "coinbase", product: "BNB-USD", reason: "not acknowledged" },
      { source: "kraken", product: "BNB/USD", reason: "refused" },
    ]);
  });

  it("counts faults by kind, and logs the counts at the end", () => {
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

describe("backoffMs", () => {
  const { reconnect } = defaultTimings;

  it.each([
    [1, 500, 1000],
    [2, 500, 2000],
    [3, 500, 4000],
    [6, 500, 30_000],
    [1000, 500, 30_000],
  ])("chooses a random pause after %d failures, from %d to %d ms", (failures, least, most) => {
    expect([backoffMs(failures, reconnect, 0), backoffMs(failures, reconnect, 1)]).toEqual([least, most]);
  });

  it("keeps two simultaneous runs within the eight connections a second that Coinbase accepts", () => {
    fc.assert(
      fc.property(fc.nat({ max: 100 }), fc.double({ min: 0, max: 1, noNaN: true }), (failures, chance) => {
        expect((2 * 1000) / backoffMs(failures, reconnect, chance)).toBeLessThanOrEqual(8);
      }),
    );
  });
});
