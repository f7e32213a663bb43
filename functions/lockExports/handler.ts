import * as schemas from "../../lib/api/export-operations.ts";
import { environment } from "../../lib/runtime/environment.ts";
import { enveloped, rest } from "../../lib/runtime/rest.ts";
import { openTable } from "../../lib/table/table.ts";
import { lockExports } from "../../lib/wallets/export/lock-exports.ts";

const table = openTable(environment("TABLE_NAME"));

export const handler = rest("lockExports", schemas.lockExports, async ({ userID, now }) =>
  enveloped({ lock: await lockExports(table, { userID, now }) }),
);
