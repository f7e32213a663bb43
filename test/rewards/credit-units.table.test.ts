import { expect, it } from "vitest";
import { creditTrades } from "../../lib/rewards/credit-trades.ts";
import type { Item } from "../../lib/table/table.ts";
import { writesOfCredit } from "../../lib/tools/documents/assumptions.ts";
import { profileKey } from "../../lib/users/item-keys.ts";
import { tableForTests } from "../support/dynamodb.ts";
import { earnedFill, earningRules, pricesAt, storedRow, traderProfile } from "../support/earning.ts";
import { putItems } from "../support/items.ts";
import { countingUnits } from "../trading/execution/support/write-units.ts";

const db = tableForTests();
const start = new Date("2026-11-30T12:00:00.000Z");

it("credits a trade of a ranked user with a referrer by as many units as docs/costs.md says", async () => {
  const counter = countingUnits(db.table);
  const listed = { ranked: true, publicName: "Ann", referrerId: "ben" };
  await putItems(db.table, [
    { ...profileKey("ann"), ...traderProfile("ann", start, listed) },
    { ...profileKey("ben"), ...traderProfile("ben", start) },
  ]);
  const settle = (id: string) =>
    putItems(db.table, [storedRow(earnedFill("ann", id, start.toISOString()))] as unknown as Item[]);
  const run = (minutes: number) => {
    const now = new Date(start.getTime() + minutes * 60_000);
    return creditTrades({
      table: counter.table,
      rules: earningRules,
      prices: async () => pricesAt(now),
      now: () => now,
      hasTime: () => true,
      onFault: (error) => expect.fail(String(error)),
    });
  };
  // The second run replaces standings and credits the share of the first one, as all later ones do.
  await settle("first");
  await run(0);
  counter.take();
  await settle("second");
  await run(2);
  expect(counter.take()).toBe(writesOfCredit.creditTrades);
});
