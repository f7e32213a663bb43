import { readSettingsOf } from "../../lib/aws/settings-records.ts";
import { openTable } from "../../lib/aws/table.ts";
import { tagOfVersion } from "../../lib/domain/entity-tag.ts";
import { environment } from "../../lib/runtime/environment.ts";
import { enveloped, rest, WithHeaders } from "../../lib/runtime/rest.ts";

const table = openTable(environment("TABLE_NAME"));

export const handler = rest("getTradingSettings", async ({ userID, path: { chain } }) => {
  const found = await readSettingsOf(table, userID, chain);
  return new WithHeaders(enveloped(found), { ETag: tagOfVersion(found.version) });
});
