import { describe, expect, it } from "vitest";
import { writeMarket } from "../../lib/markets/items/market-items.ts";
import {
  at,
  candle,
  candlesForTests,
  newToken,
  candlesNow as now,
  timesAndCloses,
} from "./support/candles.ts";
import { marketAt } from "./support/markets.ts";

const { db, list, store } = candlesForTests();

describe("listCandles in longer intervals", () => {
  it("folds minute candles to longer intervals, and marks unfinished ones", async () => {
    const token = newToken();
    const minutes = ["19:55", "19:59", "20:00", "20:03"].map((time, index) =>
      candle(at(`22T${time}`), `${index + 1}`),
    );
    await store(token, "minutes", minutes);
    const { candles } = await list(token, { interval: "5m" });
    expect(candles.candles).toMatchObject([
      { time: "2026-11-22T19:55:00.000Z", open: "1", high: "2", close: "2", volume: "4", trades: 2 },
      { time: "2026-11-22T20:00:00.000Z", open: "3", high: "4", close: "4", volume: "4", partial: true },
    ]);
    expect(candles.candles[0]).not.toHaveProperty("partial");
  });

  describe("marking intervals as final", () => {
    const flags = async (token: string, interval: "1m" | "5m" | "1h") =>
      (await list(token, { interval })).candles.candles.map(({ time, isFinal, partial = false }) => [
        time.slice(11, 16),
        ...[isFinal, partial],
      ]);
    const readTo = (token: string, time: string) => {
      const market = marketAt(now, { token, blockTime: at(time), history: "complete" });
      return writeMarket(db.table, { market, state: { pools: [], bases: [] } }, { epoch: 1, wantedAt: now });
    };

    it("marks no interval as final before it is over, even if its minute candles are final", async () => {
      const token = newToken();
      await store(token, "minutes", [candle(at("22T20:00"), "1"), candle(at("22T20:02"), "2")]);
      await readTo(token, "22T20:03");
      expect(await flags(token, "1m")).toEqual([
        ["20:00", true, false],
        ["20:02", true, false],
      ]);
      for (const interval of ["5m", "1h"] as const)
        expect(await flags(token, interval)).toEqual([["20:00", false, true]]);
    });

    it("marks an interval as final once the candle of a minute at or after its end is final", async () => {
      const token = newToken();
      const last = candle(at("22T20:00"), "2", { isFinal: false });
      await store(token, "minutes", [candle(at("22T19:56"), "1"), last]);
      expect(await flags(token, "5m")).toContainEqual(["19:55", false, false]);
      const minutes = [candle(at("22T19:56"), "1"), candle(at("22T19:59"), "1")];
      const other = newToken();
      await store(other, "minutes", minutes);
      expect(await flags(other, "5m")).toEqual([["19:55", true, false]]);
    });

    it.each([
      ["22T20:01", false],
      ["22T20:02", true],
    ] as const)(
      "marks an interval as final once two minutes after its end have been read: %s",
      async (time, isFinal) => {
        const token = newToken();
        await store(token, "minutes", [candle(at("22T19:56"), "1")]);
        await readTo(token, time);
        expect(await flags(token, "5m")).toEqual([["19:55", isFinal, false]]);
      },
    );

    it("does not mark an interval as final if it was stored as final too early", async () => {
      const token = newToken();
      await store(token, "hours", [candle(at("22T10:00"), "1")]);
      await readTo(token, "22T10:30");
      expect(await flags(token, "1h")).toEqual([["10:00", false, false]]);
      await readTo(token, "22T20:03");
      expect(await flags(token, "1h")).toEqual([["10:00", true, false]]);
    });

    it("never marks an interval as final if its first minutes are unknown", async () => {
      const token = newToken();
      await store(token, "minutes", [candle(at("22T18:30"), "1")]);
      const loading = { blockTime: at("22T20:03"), firstSeenAt: "2026-11-22T18:20:00.000Z" };
      const market = marketAt(now, { token, history: "unavailable", ...loading });
      await writeMarket(db.table, { market, state: { pools: [], bases: [] } }, { epoch: 1, wantedAt: now });
      expect(await flags(token, "1h")).toEqual([["18:00", false, true]]);
      expect(await flags(token, "1m")).toEqual([["18:30", true, false]]);
    });
  });

  it("folds stored hours and days, and completes them from newer minute candles", async () => {
    const token = newToken();
    await store(token, "days", [candle(at("20T00:00"), "1"), candle(at("22T00:00"), "9")]);
    // The current hour was stored before its last minute candles.
    const hours = ["20T10:00", "21T10:00", "22T18:00", "22T20:00"];
    await store(
      token,
      "hours",
      hours.map((time, index) => candle(at(time), `${index + 2}`)),
    );
    const minutes = ["22T18:30", "22T19:30", "22T20:01"].map((time, index) =>
      candle(at(time), `${index + 6}`),
    );
    await store(token, "minutes", minutes);
    const closes = async (interval: "1h" | "1d") =>
      timesAndCloses((await list(token, { interval })).candles.candles);
    expect(await closes("1h")).toEqual([
      "20T10:00 2",
      "21T10:00 3",
      "22T18:00 4",
      "22T19:00 7",
      "22T20:00 8",
    ]);
    expect(await closes("1d")).toEqual(["20T00:00 1", "21T00:00 3", "22T00:00 8"]);
  });

  it("completes only the last day of hours from minute candles", async () => {
    const token = newToken();
    await store(token, "hours", [candle(at("20T10:00"), "1")]);
    await store(token, "minutes", [candle(at("21T19:59"), "2"), candle(at("21T20:00"), "3")]);
    const { candles } = await list(token, { interval: "1h" });
    expect(timesAndCloses(candles.candles)).toEqual(["20T10:00 1", "21T20:00 3"]);
  });
});
