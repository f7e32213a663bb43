import type { Price } from "../../lib/prices/price.ts";
import type { EarnedFill, EarnedRow } from "../../lib/rewards/earned-row.ts";
import type { EarningRules } from "../../lib/rewards/earning-rules.ts";
import { earnedKey, earnedRanges } from "../../lib/rewards/item-keys.ts";
import { type Item, queryRange, type Table } from "../../lib/table/table.ts";
import { newProfile, type Profile } from "../../lib/users/profile.ts";
import { interceptedTable } from "./intercepted-table.ts";

/** The listed token of these rules, on each of two chains. */
export const listed = "0xlisted";

export const earningRules: EarningRules = {
  microXpPerDollar: 1_000_000,
  microPointsPerDollar: 100_000,
  xpPerDay: 1000,
  pointsPerDay: 100,
  microShare: 100_000,
  rankedLevel: 2,
  rankedDays: 2,
  tokens: { eth: [listed], sol: [listed] },
};

export const traderProfile = (userID: string, now: Date, changes: Partial<Profile> = {}): Profile => ({
  ...newProfile({ _id: userID, userID, username: userID, refID: `REF${userID}`, now }),
  ...changes,
});

/** A buy of the listed token for this number of dollars, at 1,000 dollars an ether. */
export const earnedFill = (
  userID: string,
  orderId: string,
  at: string,
  { dollars = 100, ...changes }: Partial<EarnedFill> & { dollars?: number } = {},
): EarnedFill => ({
  kind: "fill",
  userID,
  orderId,
  chain: "eth",
  token: listed,
  side: "buy",
  coinUnits: String(BigInt(Math.round(dollars * 1e6)) * 1_000_000_000n),
  filledAt: at,
  at,
  ...changes,
});

export const storedRow = (row: EarnedRow): Item<EarnedRow> => ({
  ...earnedKey(row.userID, row.at, row.kind === "fill" ? row.orderId : row.of),
  ...row,
});

/** All rows that wait, in any order. */
export const waitingRows = async (table: Table): Promise<Item<EarnedRow>[]> =>
  (await Promise.all(earnedRanges.map((range) => queryRange<EarnedRow>(table, range)))).flat();

/** Prices at which an ether costs 1,000 dollars and a SOL 100. */
export const pricesAt = (now: Date): Price[] => [
  { chain: "eth", symbol: "ETH", price: "1000", currency: "USD", source: "venue", asOf: now.toISOString() },
  { chain: "sol", symbol: "SOL", price: "100.00", currency: "USD", source: "venue", asOf: now.toISOString() },
];

/** A table whose process is killed before or after this command of the run. Every later command fails, too. */
export function killedAt(table: Table, count: number, isAnswerLost: boolean): Table {
  let sent = 0;
  const dying = (isAlive: () => boolean) => () => {
    if (!isAlive()) throw new Error("killed");
  };
  return interceptedTable(
    table,
    dying(() => ++sent < count || (isAnswerLost && sent === count)),
    dying(() => sent < count),
  );
}

/** Ids of users whose rows are all in one shard. */
export const sameShard = (): string[] =>
  Array.from({ length: 100 }, (_, index) => `user${index}`).filter(
    (userID) => earnedKey(userID, "", "").PK === earnedKey("user0", "", "").PK,
  );
