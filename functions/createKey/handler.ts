import * as schemas from "../../lib/api/program-key-operations.ts";
import { registerProgramKey } from "../../lib/programs/register-program-key.ts";
import { environment } from "../../lib/runtime/environment.ts";
import { enveloped, rest } from "../../lib/runtime/rest.ts";
import { openTable } from "../../lib/table/table.ts";

const table = openTable(environment("TABLE_NAME"));

export const handler = rest("createKey", schemas.createKey, async (request) =>
  enveloped({ key: await registerProgramKey(table, request) }),
);
