import * as schemas from "../../lib/api/program-key-operations.ts";
import { revokeProgramKey, shownKey } from "../../lib/programs/program-keys.ts";
import { environment } from "../../lib/runtime/environment.ts";
import { enveloped, rest } from "../../lib/runtime/rest.ts";
import { openTable } from "../../lib/table/table.ts";

const table = openTable(environment("TABLE_NAME"));

export const handler = rest("deleteKey", schemas.deleteKey, async ({ userID, path: { keyId }, now }) =>
  enveloped({ key: shownKey(await revokeProgramKey(table, { userID, keyId }, now)) }),
);
