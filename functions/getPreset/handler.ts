import * as schemas from "../../lib/api/trading-operations.ts";
import { tagOfVersion } from "../../lib/core/entity-tag.ts";
import { environment } from "../../lib/runtime/environment.ts";
import { enveloped, rest, WithHeaders } from "../../lib/runtime/rest.ts";
import { openTable } from "../../lib/table/table.ts";
import { presetOf } from "../../lib/trading/presets.ts";

const table = openTable(environment("TABLE_NAME"));

export const handler = rest("getPreset", schemas.getPreset, async ({ userID, path: { chain } }) => {
  const found = await presetOf(table, { userID, chain });
  return new WithHeaders(enveloped(found), { ETag: tagOfVersion(found.version) });
});
