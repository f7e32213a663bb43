import * as schemas from "../../lib/api/export-operations.ts";
import { environment } from "../../lib/runtime/environment.ts";
import { enveloped, rest } from "../../lib/runtime/rest.ts";
import { openTable } from "../../lib/table/table.ts";
import { lockOf } from "../../lib/wallets/export/lock-exports.ts";

const deps = {
  table: { ...openTable(environment("TABLE_NAME")), id: environment("TABLE_ID") },
  delaySeconds: environment("EXPORT_DELAY_SECONDS"),
};

export const handler = rest("getExportLock", schemas.getExportLock, async ({ userID, now }) =>
  enveloped({ lock: await lockOf(deps, { userID, now }) }),
);
