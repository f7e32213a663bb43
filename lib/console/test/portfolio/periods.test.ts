import { describe, expect, it } from "vitest";
import { dayAt, periodText, startOf, startsUntil } from "../../app/portfolio/calendar.ts";
import { closeKey, inDollarsOf, periodsOf } from "../../app/portfolio/periods.ts";

const profit = (day: string, gross: string, fees = "0", chain: "eth" | "base" | "bsc" = "eth") => ({
  day,
  chain,
  fills: 1,
  gross,
  fees,
});

describe("startOf", () => {
  it.each([
    ["2026-11-29", "2026-11-23"],
    ["2026-11-30", "2026-11-30"],
    ["2027-01-01", "2026-12-28"],
  ])("begins the week of %s on Monday, %s", (day, monday) => {
    expect(startOf(day, "week")).toBe(monday);
  });

  it("begins a month on its first day", () => {
    expect(startOf("2028-02-29", "month")).toBe("2028-02-01");
  });
});

describe("startsUntil", () => {
  it("lists periods without a gap, and none before the first day", () => {
    expect(startsUntil("2026-03-02", "day", "2026-02-27", 60)).toEqual([
      "2026-02-27",
      "2026-02-28",
      "2026-03-01",
      "2026-03-02",
    ]);
    expect(startsUntil("2026-03-02", "month", "2025-12-31", 60)).toHaveLength(4);
    expect(startsUntil("2026-03-02", "week", "2026-03-02", 60)).toEqual(["2026-03-02"]);
  });

  it("lists the last ones if there are too many", () => {
    expect(startsUntil("2026-03-02", "day", "2020-01-01", 2)).toEqual(["2026-03-01", "2026-03-02"]);
  });
});

describe("dayAt", () => {
  it("changes at midnight UTC", () => {
    const midnight = Date.UTC(2026, 10, 30);
    expect([midnight - 1, midnight].map(dayAt)).toEqual(["2026-11-29", "2026-11-30"]);
  });
});

describe("periodText", () => {
  it("names a day, a week and a month", () => {
    const names = (["day", "week", "month"] as const).map((span) => periodText("2026-11-01", span));
    expect(names).toEqual(["1 Nov 2026", "Week of 1 Nov 2026", "Nov 2026"]);
  });
});

describe("periodsOf", () => {
  it("sums up the days of a period without rounding, and all of them", () => {
    const days = [
      profit("2026-10-31", "0.1", "0.01"),
      profit("2026-11-01", "0.2", "0.02"),
      profit("2026-11-30", "-0.000000000000000001", "0.03"),
    ];
    expect(periodsOf(days, "month")).toEqual([
      { start: "2026-10-01", fills: 1, gross: "0.1", fees: "0.01", net: "0.09", total: "0.09" },
      {
        start: "2026-11-01",
        fills: 2,
        gross: "0.199999999999999999",
        fees: "0.05",
        net: "0.149999999999999999",
        total: "0.239999999999999999",
      },
    ]);
  });
});

describe("inDollarsOf", () => {
  const closes = new Map([
    [closeKey("eth", "2026-11-20T00:00:00.000Z"), "2000"],
    [closeKey("eth", "2026-11-22T00:00:00.000Z"), "2500"],
  ]);

  it("uses the close of the day or of at most a week before, and one close for chains that share a coin", () => {
    const days = [
      profit("2026-11-21", "0.1", "0.01"),
      profit("2026-11-22", "1", "0", "base"),
      profit("2026-11-29", "1"),
    ];
    const { days: priced, unpriced } = inDollarsOf(days, closes);
    expect(priced.map(({ gross, fees }) => [gross, fees])).toEqual([
      ["200", "20"],
      ["2500", "0"],
      ["2500", "0"],
    ]);
    expect(unpriced).toBe(0);
  });

  it("leaves out days before the first price, after a long gap and of other coins, and counts them once", () => {
    const days = [
      profit("2026-11-19", "1"),
      profit("2026-11-19", "1", "0", "base"),
      profit("2026-11-22", "1", "0", "bsc"),
      profit("2026-11-30", "1"),
    ];
    expect(inDollarsOf(days, closes)).toEqual({ days: [], unpriced: 3 });
  });
});
