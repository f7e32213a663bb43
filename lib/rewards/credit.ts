import { chainFacts } from "../core/chain-facts.ts";
import { type Decimal, parseDecimal, timesTen } from "../core/decimal.ts";
import { hashedId } from "../core/record-ids.ts";
import { dayOf } from "../core/time.ts";
import type { Price } from "../prices/price.ts";
import { type Earnings, earningsAt } from "../users/earnings.ts";
import { withTotal } from "../users/experience.ts";
import { levelAt } from "../users/level.ts";
import type { Profile } from "../users/profile.ts";
import { withTradingDay } from "../users/streak.ts";
import type { EarnedFill, EarnedShare } from "./earned-row.ts";
import type { EarningRules } from "./earning-rules.ts";
import type { PointsChange, PointsLine } from "./points.ts";

/** What rows of one kind bring a user: the changes of the profile, a line of the ledger, and a share for the referrer. */
export type Credit = {
  changes: Required<Pick<Profile, "experience" | "ranked" | "earnings">>;
  line: PointsChange;
  share?: EarnedShare;
};

/** A fill with its value in millionths of a dollar. */
export type ValuedFill = EarnedFill & { microDollars: bigint };

/** Number of millionths in an XP, a point or a dollar. Sums of millionths are exact. */
const micro = 1_000_000;
const whole = BigInt(micro);

/** Smallest value of a fill that earns something. A smaller fill still makes a trading day. */
const leastMicroDollars = 5n * whole;

/** Ages between which a price counts. An exchange's clock may run slightly ahead of this one. */
const priceAgesMs = { least: -60_000, most: 10 * 60_000 };

/** Time after the sign-up for which the referrer gets shares. */
const sharedMs = 90 * 86_400_000;

export type CoinPrices = ReadonlyMap<string, Decimal>;

/** Returns the prices of coins, in dollars, that are recent enough to value fills. */
export function usablePrices(prices: readonly Price[], now: Date): CoinPrices {
  const found = new Map<string, Decimal>();
  for (const { chain, price, asOf } of prices) {
    const ageMs = now.getTime() - Date.parse(asOf);
    const usd = parseDecimal(price);
    if (usd !== undefined && usd.mantissa > 0n && ageMs >= priceAgesMs.least && ageMs <= priceAgesMs.most)
      found.set(chain, usd);
  }
  return found;
}

/** Values a fill in millionths of a dollar, rounded down. */
export function microDollarsOf(
  { chain, coinUnits }: Pick<EarnedFill, "chain" | "coinUnits">,
  { mantissa, exponent }: Decimal,
): bigint {
  const places = chainFacts[chain].coin.decimals - exponent - 6;
  return timesTen(BigInt(coinUnits) * mantissa, -places) / timesTen(1n, places);
}

/** Credits a user's own fills. Fills of one day bring the same in any order and any number of credits. */
export function creditOfFills(
  profile: Profile,
  fills: readonly ValuedFill[],
  rules: EarningRules,
  now: Date,
): Credit {
  const before = earningsAt(profile.earnings, now);
  const multiplier = BigInt(Math.round(profile.xpMultiplier * micro));
  let days: TradingDays = before;
  let [xp, points, dollars] = [0n, 0n, 0n];
  for (const { side, chain, token, filledAt, microDollars } of fills) {
    // Counts a fill of a later day today, so that a wrong time cannot stop the streak.
    days = withTraded(days, dayOf(Math.min(Date.parse(filledAt), now.getTime())));
    dollars += microDollars;
    if (microDollars < leastMicroDollars) continue;
    xp += (microDollars * BigInt(rules.microXpPerDollar) * multiplier) / (whole * whole);
    if (side === "buy" && rules.tokens[chain]?.includes(token))
      points += (microDollars * BigInt(rules.microPointsPerDollar)) / whole;
  }
  const gain = {
    microXp: fitting(xp, before.ownMicroXp, rules.xpPerDay),
    microPoints: fitting(points, before.ownMicroPoints, rules.pointsPerDay),
  };
  const after = {
    ...before,
    ...days,
    ownMicroXp: before.ownMicroXp + gain.microXp,
    ownMicroPoints: before.ownMicroPoints + gain.microPoints,
  };
  const orderIds = fills.map(({ orderId }) => orderId);
  const { change, xp: wholeXp, changes } = credited(profile, after, gain, rules, now);
  const share = shareOf(profile, { before, after, orderIds }, rules, now);
  return {
    changes,
    line: { reason: "traded", change, xp: wholeXp, microDollars: String(dollars), orderIds },
    ...(share && { share }),
  };
}

/** Credits a referrer's shares, which have caps of their own and are not multiplied. */
export function creditOfShares(
  profile: Profile,
  shares: readonly EarnedShare[],
  rules: EarningRules,
  now: Date,
): Credit {
  const before = earningsAt(profile.earnings, now);
  const sumOf = (name: "microXp" | "microPoints") =>
    shares.reduce((sum, share) => sum + BigInt(share[name]), 0n);
  const gain = {
    microXp: fitting(sumOf("microXp"), before.sharedMicroXp, rules.xpPerDay),
    microPoints: fitting(sumOf("microPoints"), before.sharedMicroPoints, rules.pointsPerDay),
  };
  const after = {
    ...before,
    sharedMicroXp: before.sharedMicroXp + gain.microXp,
    sharedMicroPoints: before.sharedMicroPoints + gain.microPoints,
  };
  const { change, xp, changes } = credited(profile, after, gain, rules, now);
  return { changes, line: { reason: "referred", change, xp, shares: shares.map(({ of }) => of) } };
}

/**
 * Repeats what a line of the ledger has brought, for a profile that is older than the line. Counts fills on the day of
 * the line, because it does not name theirs. Drops the parts of an XP and of a point, which later lines may contain.
 */
export function withLine(
  profile: Profile,
  { reason, time, change, xp = 0, points }: Omit<PointsLine, "number">,
): Profile {
  if (reason !== "traded" && reason !== "referred") return { ...profile, points };
  const now = new Date(time);
  const before = { ...earningsAt(profile.earnings, now), microXp: 0, microPoints: 0 };
  const sums =
    reason === "traded"
      ? {
          ...withTraded(before, dayOf(now)),
          ownMicroXp: before.ownMicroXp + xp * micro,
          ownMicroPoints: before.ownMicroPoints + change * micro,
        }
      : {
          sharedMicroXp: before.sharedMicroXp + xp * micro,
          sharedMicroPoints: before.sharedMicroPoints + change * micro,
        };
  const experience = withTotal(profile.experience, profile.experience.total + xp, now);
  return { ...profile, points, experience, earnings: { ...before, ...sums } };
}

type TradingDays = Pick<Earnings, "streak" | "tradingDays">;

/** Counts a trading day once. */
function withTraded({ streak, tradingDays }: TradingDays, day: string): TradingDays {
  const counted = withTradingDay(streak, day);
  return { streak: counted, tradingDays: counted === streak ? tradingDays : tradingDays + 1 };
}

type Gain = Pick<EarnedShare, "microXp" | "microPoints">;

/** The part of a gain that fits under the cap of a day. The rest is lost. */
function fitting(gain: bigint, sum: number, perDay: number): number {
  const room = BigInt(Math.max(0, perDay * micro - sum));
  return Number(gain < room ? gain : room);
}

/** Adds whole XP and points to the profile, and keeps the fractions for the next credit. */
function credited(profile: Profile, earnings: Earnings, gain: Gain, rules: EarningRules, now: Date) {
  const [microXp, microPoints] = [earnings.microXp + gain.microXp, earnings.microPoints + gain.microPoints];
  const { total } = profile.experience;
  // Leaves a total that an operator has set to the limit.
  const xp = Math.min((microXp - (microXp % micro)) / micro, Number.MAX_SAFE_INTEGER - total);
  const isRanked = levelAt(total + xp) >= rules.rankedLevel && earnings.tradingDays >= rules.rankedDays;
  return {
    change: (microPoints - (microPoints % micro)) / micro,
    xp,
    changes: {
      experience: withTotal(profile.experience, total + xp, now),
      ranked: profile.ranked || isRanked,
      earnings: { ...earnings, microXp: microXp % micro, microPoints: microPoints % micro },
    },
  };
}

/**
 * Computes the referrer's share of a credit from the sums of the day, so that its rounding does not depend on how fills
 * are split into credits. Undefined if the referrer gets nothing.
 */
function shareOf(
  { referrerId, createdAt }: Profile,
  { before, after, orderIds }: { before: Earnings; after: Earnings; orderIds: readonly string[] },
  { microShare }: EarningRules,
  now: Date,
): EarnedShare | undefined {
  if (referrerId === undefined || now.getTime() - Date.parse(createdAt) > sharedMs) return undefined;
  const partOf = (sum: number) => (BigInt(sum) * BigInt(microShare)) / whole;
  const between = (name: "ownMicroXp" | "ownMicroPoints") =>
    Number(partOf(after[name]) - partOf(before[name]));
  const [microXp, microPoints] = [between("ownMicroXp"), between("ownMicroPoints")];
  if (microXp === 0 && microPoints === 0) return undefined;
  const of = hashedId(["share", ...orderIds]);
  return { kind: "share", userID: referrerId, microXp, microPoints, of, at: now.toISOString() };
}
