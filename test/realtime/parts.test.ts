import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { encodeMessage } from "../../lib/api/messages.ts";
import { inParts } from "../../lib/realtime/parts.ts";
import { order } from "../support/executions.ts";

/** What API Gateway takes for one message. */
const mostBytes = 128 * 1024;

const bytesOf = (item: unknown) => Buffer.byteLength(JSON.stringify(item));

describe("the parts of a list", () => {
  it("are one, empty, of an empty list", () => {
    expect(inParts([])).toEqual([[]]);
  });

  it("hold everything once, in order, and none could hold the first of the next", () => {
    // Text of one, two, three and four bytes a sign, and of signs that JSON writes longer.
    const sign = fc.constantFrom("a", "ü", "価", "🚀", '"', "\u0001");
    const item = fc.tuple(sign, fc.nat({ max: 10_000 })).map(([one, times]) => one.repeat(times));
    fc.assert(
      fc.property(fc.array(item, { maxLength: 40 }), (items) => {
        const parts = inParts(items);
        expect(parts.flat()).toEqual(items);
        for (const [index, part] of parts.entries()) {
          expect(bytesOf(part)).toBeLessThanOrEqual(120_002);
          const [next] = parts[index + 1] ?? [];
          if (next !== undefined) expect(bytesOf([...part, next])).toBeGreaterThan(120_000);
        }
      }),
      { numRuns: 50 },
    );
  });

  it("fit into a message each, of the largest orders that there can be", () => {
    const long = (length: number) => "\u0001".repeat(length);
    const amount = `${"9".repeat(40)}.${"9".repeat(40)}`;
    const largest = order({
      orderId: "o".repeat(64),
      wallet: long(128),
      symbol: long(128),
      txHash: long(128),
      reason: long(256),
      ...{ amount, filledAmount: amount, price: amount, stopPrice: amount, averagePrice: amount },
    });
    for (const data of inParts(Array(100).fill(largest))) {
      const time = "2026-11-21T09:00:00.000Z";
      const message = encodeMessage({ type: "snapshot", channel: "orders", more: true, time, data });
      expect(Buffer.byteLength(message)).toBeLessThanOrEqual(mostBytes);
    }
  });
});
