import { App } from "aws-cdk-lib";
import { describe, expect, it } from "vitest";
import { readConfiguration } from "../../lib/infra/config.ts";
import { defaultChains } from "../../lib/infra/default-chains.ts";
import { earningWarnings } from "../../lib/infra/earning-context.ts";
import { ownHosts } from "./synthesized.ts";

const trading = { trading: ["base"], chains: ownHosts };

const read = (context: object) => readConfiguration(new App({ context: { ...trading, ...context } }).node);

describe("earning", () => {
  it("is off by default", () => {
    expect(read({}).earning).toBeUndefined();
  });

  it("fills in its defaults, which give no points, and the tokens that the chains list", () => {
    expect(read({ earning: {} }).earning).toEqual({
      microXpPerDollar: 1_000_000,
      microPointsPerDollar: 0,
      xpPerDay: 1000,
      pointsPerDay: 100,
      microShare: 100_000,
      rankedLevel: 5,
      rankedDays: 7,
      tokens: { base: defaultChains.base.tokens.map(({ token }) => token) },
    });
  });

  it.each<[unknown, unknown, unknown, number, number]>([
    [0, 0, 0, 0, 0],
    ["0.000001", 1e9, 10, 1, 1e15],
    [0.25, "1000000000", "2.5", 250_000, 1e15],
  ])("reads rates of %j and %j, and a share of %j", (xp, points, percent, microXp, microPoints) => {
    const earning = { xpPerDollar: xp, pointsPerDollar: points, referrerPercent: percent };
    expect(read({ earning: JSON.stringify(earning) }).earning).toMatchObject({
      microXpPerDollar: microXp,
      microPointsPerDollar: microPoints,
      microShare: Number(percent) * 10_000,
    });
  });

  const rate = "must be a number from 0 to 1000000000 with at most 6 decimal places";
  const percent = "referrerPercent must be a number from 0 to 10 with at most 4 decimal places";
  it.each<[unknown, string]>([
    [{ xpPerDollar: -1 }, `xpPerDollar ${rate}`],
    [{ xpPerDollar: 1e-7 }, `xpPerDollar ${rate}`],
    [{ xpPerDollar: 1e21 }, `xpPerDollar ${rate}`],
    [{ pointsPerDollar: "1000000000.000001" }, `pointsPerDollar ${rate}`],
    [{ pointsPerDollar: " 1" }, `pointsPerDollar ${rate}`],
    [{ pointsPerDollar: "1.0000001" }, `pointsPerDollar ${rate}`],
    [{ pointsPerDollar: true }, `pointsPerDollar ${rate}`],
    [{ referrerPercent: 10.01 }, percent],
    [{ referrerPercent: "1.00001" }, percent],
    [{ xpPerDay: 1.5 }, "xpPerDay must be a whole number from 0 to 1000000000"],
    [{ pointsPerDay: 1_000_000_001 }, "pointsPerDay must be a whole number from 0 to 1000000000"],
    [{ rankedLevel: 0 }, "rankedLevel must be a whole number from 1"],
    [{ rankedDays: "7" }, "rankedDays must be a whole number from 0"],
  ])("refuses %j", (earning, message) => {
    expect(() => read({ earning })).toThrow(`Context earning.${message}`);
  });

  it("names an unknown rule, and the one that is meant", () => {
    expect(() => read({ earning: { pointsPerDolar: 1 } })).toThrow(
      /^Context earning\.pointsPerDolar is unknown: earning has xpPerDollar, .*Did you mean pointsPerDollar\?$/,
    );
    expect(() => read({ earning: true })).toThrow("Context earning must be an object of xpPerDollar, ");
    expect(() => read({ earning: "on" })).toThrow("Context earning is not JSON");
  });

  it("needs chains that trade, and warns where no feed tells the value of a trade", () => {
    expect(() => read({ earning: {}, trading: [], chains: {} })).toThrow("Context earning needs trading");
    expect(earningWarnings(read({ earning: {} }))).toEqual([]);
    expect(earningWarnings(read({ priceFeeds: [] }))).toEqual([]);
    expect(earningWarnings(read({ earning: {}, priceFeeds: [] }))).toEqual([
      expect.stringContaining("priceFeeds is empty"),
    ]);
  });
});
