import * as schemas from "../../lib/api/user-operations.ts";
import { tagOfVersion } from "../../lib/core/entity-tag.ts";
import { environment } from "../../lib/runtime/environment.ts";
import { enveloped, rest, WithHeaders } from "../../lib/runtime/rest.ts";
import { openTable } from "../../lib/table/table.ts";
import { readSettingsOf } from "../../lib/users/settings-records.ts";

const table = openTable(environment("TABLE_NAME"));

export const handler = rest(
  "getTradingSettings",
  schemas.getTradingSettings,
  async ({ userID, path: { chain } }) => {
    const found = await readSettingsOf(table, userID, chain);
    return new WithHeaders(enveloped(found), { ETag: tagOfVersion(found.version) });
  },
);
