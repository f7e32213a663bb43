import { describe, expect, it } from "vitest";
import type { Mark } from "../app/market/bars.ts";
import { barsUnder, groupedFills, sideOf } from "../app/market/fills.ts";

const fill = (minute: number, side: Mark["side"] = "buy"): Mark => ({
  time: minute * 60,
  at: new Date(minute * 60_000).toISOString(),
  side,
  text: `${side} ${minute}`,
});
const times = Array.from({ length: 100 }, (_, minute) => minute * 60);

describe("markers of fills", () => {
  it("stand apart by the bars that a marker covers, however dense the fills are", () => {
    const dense = times.map((time) => fill(time / 60));
    for (const barsApart of [1, 2, 8, 64]) {
      const groups = groupedFills(dense, times, barsApart);
      expect(groups.flatMap(({ fills }) => fills)).toEqual(dense);
      for (const [index, { time }] of groups.slice(1).entries())
        expect(time - (groups[index]?.time ?? 0)).toBeGreaterThanOrEqual(barsApart * 60);
    }
  });

  it("group the fills of one bar, and name the side that all of them have", () => {
    const groups = groupedFills([fill(3), fill(3, "sell"), fill(9, "sell")], times, 1);
    expect(groups.map(({ time, fills }) => [time, fills.length])).toEqual([
      [180, 2],
      [540, 1],
    ]);
    expect(groups.map(sideOf)).toEqual(["both", "sell"]);
  });

  it("leave out fills before the first bar, and show those after the last one there", () => {
    const groups = groupedFills([fill(1), fill(105)], times.slice(5), 1);
    expect(groups.map(({ time }) => time)).toEqual([99 * 60]);
    expect(groupedFills([fill(1)], [], 1)).toEqual([]);
  });

  it("cover one bar while bars are wide, and twice as many from step to step", () => {
    expect([40, 20, 19, 6, 1, 0.5].map((pixels) => barsUnder(20, pixels))).toEqual([1, 1, 2, 4, 32, 64]);
    expect(barsUnder(20, 0)).toBe(1);
  });
});
