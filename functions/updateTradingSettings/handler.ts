import { saveSettings } from "../../lib/aws/settings-records.ts";
import { openTable } from "../../lib/aws/table.ts";
import { checkPatch } from "../../lib/domain/settings.ts";
import { environment } from "../../lib/runtime/environment.ts";
import { rest } from "../../lib/runtime/rest.ts";

const table = openTable(environment("TABLE_NAME"));

export const handler = rest("updateTradingSettings", async ({ userID, now, path: { chain }, body }) =>
  saveSettings(table, userID, chain, checkPatch(chain, body), now),
);
