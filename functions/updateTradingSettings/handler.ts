import * as schemas from "../../lib/api/user-operations.ts";
import { matchedVersions, tagOfVersion } from "../../lib/core/entity-tag.ts";
import { environment } from "../../lib/runtime/environment.ts";
import { rest, WithHeaders } from "../../lib/runtime/rest.ts";
import { openTable } from "../../lib/table/table.ts";
import { checkPatch } from "../../lib/users/settings.ts";
import { saveSettings } from "../../lib/users/settings-records.ts";

const table = openTable(environment("TABLE_NAME"));

export const handler = rest(
  "updateTradingSettings",
  schemas.updateTradingSettings,
  async ({ userID, now, path, headers, body }) => {
    const changes = checkPatch(path.chain, body);
    const expected = matchedVersions(headers["If-Match"] ?? "*");
    const record = await saveSettings(table, userID, path.chain, changes, now, expected);
    return new WithHeaders(record, { ETag: tagOfVersion(record.version) });
  },
);
