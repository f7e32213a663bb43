import { openTable } from "../../lib/aws/table.ts";
import { environment } from "../../lib/runtime/environment.ts";
import { enveloped, rest } from "../../lib/runtime/rest.ts";
import { endExport } from "../../lib/wallets/export-wallet.ts";

const table = openTable(environment("TABLE_NAME"));

export const handler = rest("cancelExport", async ({ userID, now, path }) => {
  await endExport(table, { userID, now, ...path });
  return enveloped({ export: { status: "cancelled" as const } });
});
