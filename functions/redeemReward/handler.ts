import * as schemas from "../../lib/api/reward-operations.ts";
import { redeem } from "../../lib/rewards/redeem.ts";
import { readCatalogue } from "../../lib/rewards/reward-records.ts";
import { environment } from "../../lib/runtime/environment.ts";
import { maybeReplayed, rest } from "../../lib/runtime/rest.ts";
import { openTable } from "../../lib/table/table.ts";

const table = openTable(environment("TABLE_NAME"));

/** Reads the catalogue for each request, because the price may just have changed, or the reward may be gone. */
const catalogue = () => readCatalogue(table, { isConsistent: true });

export const handler = rest(
  "redeemReward",
  schemas.redeemReward,
  async ({ userID, now, path: { rewardId }, headers }) => {
    const request = { userID, rewardId, key: headers["Idempotency-Key"], now };
    const { isReplayed, ...redeemed } = await redeem({ table, catalogue }, request);
    return maybeReplayed(redeemed, isReplayed);
  },
);
