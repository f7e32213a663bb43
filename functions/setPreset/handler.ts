import * as schemas from "../../lib/api/trading-operations.ts";
import { matchedVersions, tagOfVersion } from "../../lib/core/entity-tag.ts";
import { environment } from "../../lib/runtime/environment.ts";
import { enveloped, rest, WithHeaders } from "../../lib/runtime/rest.ts";
import { openTable } from "../../lib/table/table.ts";
import { savePreset } from "../../lib/trading/presets.ts";

const table = openTable(environment("TABLE_NAME"));

export const handler = rest(
  "setPreset",
  schemas.setPreset,
  async ({ userID, path: { chain }, headers, body }) => {
    const expected = matchedVersions(headers["If-Match"] ?? "*");
    const saved = await savePreset(table, { userID, chain }, body, expected);
    return new WithHeaders(enveloped(saved), { ETag: tagOfVersion(saved.version) });
  },
);
