import * as schemas from "../../lib/api/reward-operations.ts";
import { listRedemptions } from "../../lib/rewards/list-redemptions.ts";
import { environment } from "../../lib/runtime/environment.ts";
import { enveloped, rest } from "../../lib/runtime/rest.ts";
import { openTable } from "../../lib/table/table.ts";

const table = openTable(environment("TABLE_NAME"));

export const handler = rest("listRedemptions", schemas.listRedemptions, async ({ userID, query }) =>
  enveloped(await listRedemptions(table, userID, query)),
);
