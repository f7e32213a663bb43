import * as schemas from "../../lib/api/export-operations.ts";
import { callOf } from "../../lib/aws/call-function.ts";
import { environment } from "../../lib/runtime/environment.ts";
import { reporter } from "../../lib/runtime/log.ts";
import { enveloped, rest } from "../../lib/runtime/rest.ts";
import { openTable } from "../../lib/table/table.ts";
import { endExport } from "../../lib/wallets/export/export-wallet.ts";

const call = callOf(environment("SEAL_EXPORT_FUNCTION"));
const deps = {
  table: openTable(environment("TABLE_NAME")),
  withdraw: async (name: object) => (await call({ ...name, withdraw: true })) as { isWithdrawn: boolean },
  ...reporter("cancelExport"),
};

export const handler = rest("cancelExport", schemas.cancelExport, async ({ userID, now, path }) => {
  await endExport(deps, { userID, now, ...path });
  return enveloped({ export: { status: "cancelled" as const } });
});
