import { describe, expect, it } from "vitest";
import { candleRange } from "../../../lib/markets/core/candle-range.ts";

const now = new Date("2026-11-22T20:03:30.500Z");
const seconds = (time: string) => Date.parse(time) / 1000;
const range = (asked: Partial<Parameters<typeof candleRange>[0]>) =>
  candleRange({ interval: "1m", limit: 300, ...asked }, now);

describe("candleRange", () => {
  it("covers the last `limit` intervals until now", () => {
    expect(range({ interval: "1m", limit: 3 })).toEqual({
      from: seconds("2026-11-22T20:01:00Z"),
      to: seconds("2026-11-22T20:03:31Z"),
    });
    expect(range({ interval: "1h", limit: 2 })).toEqual({
      from: seconds("2026-11-22T19:00:00Z"),
      to: seconds("2026-11-22T20:03:31Z"),
    });
  });

  it("includes `from`, and excludes `to`", () => {
    const [from, to] = ["2026-11-22T19:00:00.000Z", "2026-11-22T19:05:00.000Z"];
    expect(range({ from, to })).toEqual({ from: seconds(from), to: seconds(to) });
    const [odd, end] = ["2026-11-22T19:00:00.001Z", "2026-11-22T19:05:00.001Z"];
    expect(range({ from: odd, to: end })).toEqual({ from: seconds(from) + 60, to: seconds(to) + 1 });
  });

  it.each([
    ["1m", "2026-11-14T20:04:00Z"],
    ["15m", "2026-11-14T20:15:00Z"],
    ["1h", "2025-10-18T21:00:00Z"],
    ["4h", "2025-10-19T00:00:00Z"],
    ["1d", "2016-11-22T00:00:00Z"],
  ] as const)("limits ten years of %s to the period that is stored, which begins at %s", (interval, from) => {
    expect(range({ interval, from: "2016-11-22T00:00:00.000Z" })).toMatchObject({ from: seconds(from) });
  });

  it("treats times before 1970 as the start of 1970", () => {
    expect(range({ interval: "1d", from: "0001-01-01T00:00:00.000Z" })).toMatchObject({ from: 0 });
    expect(range({ interval: "1d", to: "1960-01-01T00:00:00.000Z" })).toMatchObject({ from: 0, to: 0 });
  });

  it("ends a range at the current time if a later end is requested", () => {
    expect(range({ to: "2036-01-01T00:00:00.000Z" })).toMatchObject({ to: seconds("2026-11-22T20:03:31Z") });
  });

  it.each([
    ["2026-11-22T19:00:00.000Z", "2026-11-22T19:00:00.000Z", "must be before to"],
    ["2026-11-22T19:00:00.000Z", "2026-11-21T19:00:00.000Z", "must be before to"],
    ["2026-11-22T20:05:00.000Z", undefined, "must not be in the future"],
    ["2036-11-22T20:05:00.000Z", "2037-11-22T20:05:00.000Z", "must not be in the future"],
  ])("rejects a range from %s to %s", (from, to, problem) => {
    expect(range({ from, to })).toEqual({ field: "from", problem });
  });

  it("returns an empty range for a client whose clock is a minute ahead", () => {
    const { from, to } = range({ from: "2026-11-22T20:04:30.000Z" }) as { from: number; to: number };
    expect(from).toBeGreaterThan(to);
  });
});
