import { describe, expect, it } from "vitest";
import { type MarketReceipt, marketOutcome } from "./market-outcome.ts";

const moon = "0x1";

const receipt = (at: number, block: number, changes: { revision?: number; sentAt?: number } = {}) => {
  const { revision = 0, sentAt = at } = changes;
  return { at, sentAt, bytes: 100, markets: [{ token: moon, revision, block }] };
};

const outcomeOf = (receipts: readonly MarketReceipt[], traded: readonly number[] = []) =>
  marketOutcome(
    [{ tokens: [moon], receipts }],
    [7, 8, 9].map((number) => ({
      number,
      at: number * 1000,
      tokens: traded.includes(number) ? [moon] : [],
    })),
  );

describe("marketOutcome", () => {
  it("counts markets older than their predecessors, comparing revisions before blocks", () => {
    expect(outcomeOf([receipt(0, 8), receipt(1000, 8), receipt(2000, 7)]).superseded).toBe(1);
    expect(outcomeOf([receipt(0, 8), receipt(1000, 7, { revision: 1 })]).superseded).toBe(0);
    expect(outcomeOf([receipt(0, 7, { revision: 1 }), receipt(1000, 8)]).superseded).toBe(1);
  });

  it("counts two messages within a second, unless the client noticed the first one late", () => {
    expect(outcomeOf([receipt(0, 7), receipt(1000, 8)])).toMatchObject({ hasty: 0, shortestMs: 1000 });
    expect(outcomeOf([receipt(50, 7, { sentAt: 0 }), receipt(1000, 8)]).hasty).toBe(0);
    expect(outcomeOf([receipt(200, 7, { sentAt: 0 }), receipt(1000, 8)]).hasty).toBe(1);
    expect(outcomeOf([receipt(0, 7), receipt(1000, 8, { sentAt: 999 })]).hasty).toBe(1);
  });

  it("measures each trade until a market of its block or a later one arrives, and counts missing ones", () => {
    const { lagBlocks, lagMs, lost } = outcomeOf([receipt(7500, 6), receipt(9200, 8)], [7, 8, 9]);
    expect({ lost, blocks: lagBlocks.max, ms: [lagMs.p50, lagMs.max] }).toEqual({
      lost: 1,
      blocks: 2,
      ms: [1200, 2200],
    });
  });
});
