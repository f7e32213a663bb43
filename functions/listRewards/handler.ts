import { readOwnProfile } from "../../lib/aws/profile-records.ts";
import { readCatalogue } from "../../lib/aws/reward-records.ts";
import { openTable } from "../../lib/aws/table.ts";
import { rewardsFor } from "../../lib/domain/reward.ts";
import { environment } from "../../lib/runtime/environment.ts";
import { rest } from "../../lib/runtime/rest.ts";

const table = openTable(environment("TABLE_NAME"));

export const handler = rest("listRewards", async ({ userID }) => {
  const [{ points }, catalogue] = await Promise.all([readOwnProfile(table, userID), readCatalogue(table)]);
  return { success: true, data: { rewards: rewardsFor(points, catalogue) } };
});
