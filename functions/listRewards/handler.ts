import { readOwnProfile } from "../../lib/aws/profile-records.ts";
import { remembered } from "../../lib/aws/remembered.ts";
import { readCatalogue } from "../../lib/aws/reward-records.ts";
import { readStocks } from "../../lib/aws/stock-records.ts";
import { openTable } from "../../lib/aws/table.ts";
import { limitedIds, rewardsFor } from "../../lib/domain/reward.ts";
import { environment } from "../../lib/runtime/environment.ts";
import { rest } from "../../lib/runtime/rest.ts";

const table = openTable(environment("TABLE_NAME"));

/** The catalogue is one item of up to 400 KB, which all users read. Operators rarely replace it. */
const catalogue = remembered(() => readCatalogue(table), 5000);

/** Stocks change with each sale. */
const stocks = remembered(async () => readStocks(table, limitedIds(await catalogue())), 1000);

export const handler = rest("listRewards", async ({ userID }) => {
  const [{ points }, rewards, left] = await Promise.all([
    readOwnProfile(table, userID),
    catalogue(),
    stocks(),
  ]);
  return { success: true, data: { rewards: rewardsFor(points, rewards, left) } };
});
