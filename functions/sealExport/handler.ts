import { openVault } from "../../lib/aws/vault.ts";
import { walled } from "../../lib/runtime/background.ts";
import { openCheckingTable } from "../../lib/runtime/checking-table.ts";
import { environment } from "../../lib/runtime/environment.ts";
import { inTime } from "../../lib/runtime/in-time.ts";
import { logExport } from "../../lib/runtime/log.ts";
import { answerSealRequest, readSealRequest } from "../../lib/wallets/export/seal-export.ts";

const deps = {
  table: { ...openCheckingTable(), id: environment("TABLE_ID") },
  vault: openVault(environment("KEY_ID")),
  delaySeconds: environment("EXPORT_DELAY_SECONDS"),
};

export const handler = walled("sealExport", (event, context) =>
  inTime(context, () =>
    answerSealRequest({ ...deps, onExport: logExport }, readSealRequest(event), new Date()),
  ),
);
