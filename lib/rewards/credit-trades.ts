import { inPartsOf } from "../core/in-parts.ts";
import type { Price } from "../prices/price.ts";
import type { KeyRange } from "../table/keys.ts";
import type { Write } from "../table/step.ts";
import { type Item, queryPages, type Table } from "../table/table.ts";
import { write } from "../table/write.ts";
import { progressKey } from "../users/item-keys.ts";
import { type Profile, progressOf } from "../users/profile.ts";
import { readProfile } from "../users/profile-records.ts";
import {
  type CoinPrices,
  type Credit,
  creditOfFills,
  creditOfShares,
  microDollarsOf,
  usablePrices,
} from "./credit.ts";
import { type EarnedRow, type EarnedShare, isEarnedRow } from "./earned-row.ts";
import type { EarningRules } from "./earning-rules.ts";
import { earnedKey, earnedRanges } from "./item-keys.ts";
import { listedPointsChange } from "./standing-records.ts";

export type CreditingDeps = {
  table: Table;
  rules: EarningRules;
  /** Reads the latest prices. Called only if fills wait, because it starts the price feed if that does not run. */
  prices: () => Promise<readonly Price[]>;
  now: () => Date;
  /** Returns true if there is time for another transaction. The next run continues with the rest. */
  hasTime: () => boolean;
  /** Receives the errors of single users, and one for each page with rows that cannot be read. */
  onFault: (error: unknown) => void;
};

/**
 * Maximum number of rows in a page. A user is credited for one page in a run, so that rows of one user delay those of
 * others only a little.
 */
const pageRows = 1000;

/** Maximum number of rows in a transaction, whose limit is 100 writes. */
const creditedRows = 40;

/** Minimum time between a credit that was announced to the user's connections and the next one. */
const announcedMs = 60_000;

/**
 * Credits all rows that wait. Each transaction removes its rows on the condition that they exist, so a run can end
 * anywhere, and runs can overlap. Fills of a chain without a price stay, and so do malformed rows.
 */
export async function creditTrades({ prices, ...deps }: CreditingDeps): Promise<void> {
  let found: Promise<CoinPrices> | undefined;
  const priced = async () => {
    found ??= prices().then((latest) => usablePrices(latest, deps.now()));
    return found;
  };
  await Promise.all(earnedRanges.map((range) => creditShard(deps, range, priced)));
}

type RunDeps = Omit<CreditingDeps, "prices">;
type StoredRow = Item<EarnedRow>;

async function creditShard(deps: RunDeps, range: KeyRange, priced: () => Promise<CoinPrices>): Promise<void> {
  const { table, hasTime, onFault } = deps;
  for await (const page of queryPages<EarnedRow>(table, range, { limit: pageRows })) {
    const rows = page.filter(isEarnedRow);
    if (rows.length < page.length) onFault(new Error("Earned rows are malformed"));
    for (const [userID, ofUser] of Map.groupBy(rows, (row) => row.userID)) {
      if (!hasTime()) return;
      await creditUser(deps, userID, ofUser, priced).catch(onFault);
    }
  }
}

/** Credits a user's rows of a page, in as many transactions as needed. The last one is announced. */
async function creditUser(
  { table, rules, now, hasTime }: RunDeps,
  userID: string,
  rows: readonly StoredRow[],
  priced: () => Promise<CoinPrices>,
): Promise<void> {
  const parts = await partsOf(rows, rules, priced);
  for (const [index, { removed, creditTo }] of parts.entries()) {
    if (!hasTime()) return;
    const [profile, time] = [await readProfile(table, userID), now()];
    if (profile === undefined || profile.deletedAt !== undefined) return forget(table, rows);
    const { announcedAt = "" } = profile.earnings ?? {};
    // Ignores a time that a wrong clock has put far into the future, which would keep the user waiting until then.
    if (Math.abs(time.getTime() - Date.parse(announcedAt)) < announcedMs) return;
    const { changes, line, share } = creditTo(profile, time);
    const isLast = index === parts.length - 1;
    if (isLast) changes.earnings.announcedAt = time.toISOString();
    const after = { ...profile, ...changes, points: profile.points + line.change };
    const isCredited = await write(table, [
      ...removed.map(removing),
      // Fails if the user is deleted meanwhile, even if what is left of the profile looks the same.
      ...(await listedPointsChange(table, profile, line, {
        now: time,
        also: { ...changes, deletedAt: undefined },
      })),
      ...(share === undefined ? [] : [recordingShare(share)]),
      ...(isLast ? [announcing(after, time)] : []),
    ]);
    // Leaves the rest to a run that was faster, or to the next one.
    if (!isCredited) return;
  }
}

const removing = ({ PK, SK }: StoredRow): Write => ({ kind: "remove", key: { PK, SK }, when: "present" });

const recordingShare = (share: EarnedShare): Write => ({
  kind: "put",
  key: earnedKey(share.userID, share.at, share.of),
  item: share,
});

/** Lets publishChanges tell the user's connections. */
const announcing = (profile: Profile, now: Date): Write => ({
  kind: "put",
  key: progressKey(profile.userID),
  item: progressOf(profile, now),
});

/** Removes the rows of a user who was deleted. */
async function forget(table: Table, rows: readonly StoredRow[]): Promise<void> {
  for (const { PK, SK } of rows) await write(table, { kind: "remove", key: { PK, SK } });
}

/** Rows of one kind that are credited in a transaction. */
type Part = { removed: readonly StoredRow[]; creditTo: (profile: Profile, now: Date) => Credit };

type CreditOf<Row> = (profile: Profile, rows: readonly Row[], rules: EarningRules, now: Date) => Credit;

async function partsOf(
  rows: readonly StoredRow[],
  rules: EarningRules,
  priced: () => Promise<CoinPrices>,
): Promise<Part[]> {
  const shares = rows.filter((row) => row.kind === "share");
  const fills = rows.filter((row) => row.kind === "fill");
  const prices: CoinPrices = fills.length > 0 ? await priced() : new Map();
  const valued = fills.flatMap((fill) => {
    const price = prices.get(fill.chain);
    return price === undefined ? [] : [{ ...fill, microDollars: microDollarsOf(fill, price) }];
  });
  const inParts = <Row extends StoredRow>(all: readonly Row[], credit: CreditOf<Row>): Part[] =>
    inPartsOf(creditedRows, all).map((removed) => ({
      removed,
      creditTo: (profile, now) => credit(profile, removed, rules, now),
    }));
  return [...inParts(valued, creditOfFills), ...inParts(shares, creditOfShares)];
}
