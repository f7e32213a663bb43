import * as v from "valibot";
import type { TradingConfiguration } from "../chains/families/configuration.ts";
import type { EarningRules } from "../rewards/earning-rules.ts";
import { json, wholeWithin } from "./context-values.ts";
import { didYouMean } from "./did-you-mean.ts";
import { chainsOf } from "./trading-context.ts";

/** Parses a decimal number, as JSON or as text, into units of its last place. */
function decimalUpTo(most: number, places: number) {
  const message = `must be a number from 0 to ${most} with at most ${places} decimal places`;
  return v.pipe(
    v.union([v.string(), v.number()], message),
    v.transform(String),
    v.regex(new RegExp(`^\\d{1,10}(\\.\\d{1,${places}})?$`), message),
    v.check((text) => Number(text) <= most, message),
    v.transform((text) => {
      const [whole = "", part = ""] = text.split(".");
      return Number(whole + part.padEnd(places, "0"));
    }),
  );
}

const Most = wholeWithin(0, 1_000_000_000);

const fields = {
  // XP only raise levels, so a dollar brings one unless the operator says otherwise.
  xpPerDollar: v.optional(decimalUpTo(1_000_000_000, 6), 1),
  // Points buy rewards, so no trade brings any until the operator has checked what they cost.
  pointsPerDollar: v.optional(decimalUpTo(1_000_000_000, 6), 0),
  xpPerDay: v.optional(Most, 1000),
  pointsPerDay: v.optional(Most, 100),
  referrerPercent: v.optional(decimalUpTo(10, 4), 10),
  rankedLevel: v.optional(wholeWithin(1, 1_000_000), 5),
  rankedDays: v.optional(wholeWithin(0, 10_000), 7),
};

const names = Object.keys(fields);

/** Keys of the context about what trades earn. */
export const earningContext = {
  earning: v.optional(
    json(
      v.strictObject(fields, ({ expected, received }) => {
        if (expected !== "never") return `must be an object of ${names.join(", ")}`;
        const key = received.replaceAll('"', "");
        return `is unknown: earning has ${names.join(", ")}${didYouMean(key, names)}`;
      }),
    ),
  ),
};

type Earning = v.InferOutput<typeof earningContext.earning>;

/** Completes the rules with the tokens that the chains list. Undefined if trades earn nothing. */
export function earningOf(earning: Earning, trading: TradingConfiguration): EarningRules | undefined {
  if (earning === undefined) return undefined;
  const { xpPerDollar, pointsPerDollar, referrerPercent, ...rest } = earning;
  const tokens = chainsOf(trading).map((chain) => [chain, trading[chain]?.tokens.map(({ token }) => token)]);
  return {
    ...rest,
    microXpPerDollar: xpPerDollar,
    microPointsPerDollar: pointsPerDollar,
    microShare: referrerPercent,
    tokens: Object.fromEntries(tokens),
  };
}

/** Finds contradictions between several values. */
export const earningProblems = (context: { earning?: Earning; trading: readonly unknown[] }): string[] =>
  context.earning !== undefined && context.trading.length === 0
    ? ["earning needs trading: no chain trades"]
    : [];

/** Warns if nothing prices the trades that earn. */
export const earningWarnings = (
  configuration: Readonly<{ earning: EarningRules | undefined; priceFeeds: readonly unknown[] }>,
): string[] =>
  configuration.earning !== undefined && configuration.priceFeeds.length === 0
    ? ["Context priceFeeds is empty: trades earn nothing until there is a price of their coin"]
    : [];
