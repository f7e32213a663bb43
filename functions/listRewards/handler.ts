import * as schemas from "../../lib/api/reward-operations.ts";
import { limitedIds, rewardsFor } from "../../lib/rewards/reward.ts";
import { readCatalogue } from "../../lib/rewards/reward-records.ts";
import { readStocks } from "../../lib/rewards/stock-records.ts";
import { environment } from "../../lib/runtime/environment.ts";
import { remembered } from "../../lib/runtime/remembered.ts";
import { rest } from "../../lib/runtime/rest.ts";
import { openTable } from "../../lib/table/table.ts";
import { readOwnProfile } from "../../lib/users/profile-records.ts";

const table = openTable(environment("TABLE_NAME"));

/** Caches the catalogue, an item of up to 400 KB that all users read and operators rarely replace. */
const catalogue = remembered(() => readCatalogue(table), 5000);

const readLeft = async () => readStocks(table, limitedIds(await catalogue()));

/** Caches the rewards' stocks only briefly, because each sale changes them. */
const stocksForMs = 1000;
const stocks = remembered(readLeft, stocksForMs);

/** Largest expected difference between the clocks of two instances, in milliseconds. */
const skewMs = 1000;

export const handler = rest("listRewards", schemas.listRewards, async ({ userID, now }) => {
  const [{ points, pointsChangedAt = "" }, rewards, left] = await Promise.all([
    readOwnProfile(table, userID),
    catalogue(),
    stocks(),
  ]);
  // Reads fresh stocks for a user who has just bought a reward and expects to see one piece less.
  const hasJustBought = now.getTime() - Date.parse(pointsChangedAt) < stocksForMs + skewMs;
  return {
    success: true,
    data: { rewards: rewardsFor(points, rewards, hasJustBought ? await readLeft() : left) },
  };
});
