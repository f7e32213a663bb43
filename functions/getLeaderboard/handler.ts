import * as schemas from "../../lib/api/reward-operations.ts";
import { readLeaderboard } from "../../lib/rewards/standing-records.ts";
import { environment } from "../../lib/runtime/environment.ts";
import { enveloped, rest } from "../../lib/runtime/rest.ts";
import { openTable } from "../../lib/table/table.ts";

const table = openTable(environment("TABLE_NAME"));

export const handler = rest(
  "getLeaderboard",
  schemas.getLeaderboard,
  async ({ userID, now, query: { window } }) =>
    enveloped(await readLeaderboard(table, { userID, window, now })),
);
