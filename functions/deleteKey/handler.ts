import * as schemas from "../../lib/api/program-key-operations.ts";
import { handOverTo } from "../../lib/aws/hand-over.ts";
import { endProgramKey } from "../../lib/programs/end-program-key.ts";
import { environment } from "../../lib/runtime/environment.ts";
import { logFault } from "../../lib/runtime/log.ts";
import { enveloped, rest } from "../../lib/runtime/rest.ts";
import { openTable } from "../../lib/table/table.ts";
import { wakeEffect } from "../../lib/trading/execution/wake-effect.ts";
import { lanesOfUser } from "../../lib/wallets/wallet-records.ts";

const table = openTable(environment("TABLE_NAME"));
const executor = environment("EXECUTE_ORDERS_FUNCTION");
const deps = {
  table,
  lanesOf: (userID: string) => lanesOfUser(table, userID),
  ...wakeEffect(executor === "" ? async () => undefined : handOverTo(executor), (error) =>
    logFault("deleteKey", error),
  ),
};

export const handler = rest("deleteKey", schemas.deleteKey, async ({ userID, path: { keyId }, now }) =>
  enveloped({ key: await endProgramKey(deps, { userID, keyId }, now) }),
);
