import * as schemas from "../../lib/api/program-key-operations.ts";
import { programKeysOfUser, shownKey } from "../../lib/programs/program-keys.ts";
import { environment } from "../../lib/runtime/environment.ts";
import { enveloped, rest } from "../../lib/runtime/rest.ts";
import { openTable } from "../../lib/table/table.ts";

const table = openTable(environment("TABLE_NAME"));

export const handler = rest("listKeys", schemas.listKeys, async ({ userID, now }) =>
  enveloped({ keys: (await programKeysOfUser(table, userID, now)).map(shownKey) }),
);
