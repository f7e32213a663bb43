import { saveSettings } from "../../lib/aws/settings-records.ts";
import { openTable } from "../../lib/aws/table.ts";
import { matchedVersions, tagOfVersion } from "../../lib/domain/entity-tag.ts";
import { checkPatch } from "../../lib/domain/settings.ts";
import { environment } from "../../lib/runtime/environment.ts";
import { rest, WithHeaders } from "../../lib/runtime/rest.ts";

const table = openTable(environment("TABLE_NAME"));

export const handler = rest("updateTradingSettings", async ({ userID, now, path, headers, body }) => {
  const changes = checkPatch(path.chain, body);
  const expected = matchedVersions(headers["If-Match"] ?? "*");
  const record = await saveSettings(table, userID, path.chain, changes, now, expected);
  return new WithHeaders(record, { ETag: tagOfVersion(record.version) });
});
