import * as schemas from "../../lib/api/export-operations.ts";
import { callOf } from "../../lib/aws/call-function.ts";
import { requireFreshSignIn } from "../../lib/core/sign-in.ts";
import { openCheckingTable } from "../../lib/runtime/checking-table.ts";
import { environment } from "../../lib/runtime/environment.ts";
import { enveloped, rest } from "../../lib/runtime/rest.ts";
import { exportWallet } from "../../lib/wallets/export/export-wallet.ts";
import type { SealedExport } from "../../lib/wallets/export/seal-export.ts";

// Makes a single attempt, because a second attempt could seal the wallet again and count as another export.
const call = callOf(environment("SEAL_EXPORT_FUNCTION"), { maxAttempts: 1 });
const deps = {
  table: openCheckingTable(),
  delaySeconds: environment("EXPORT_DELAY_SECONDS"),
  seal: async (request: object) => (await call(request)) as SealedExport,
};

export const handler = rest(
  "exportWallet",
  schemas.exportWallet,
  async ({ userID, signedInAt, now, path, body }) => {
    requireFreshSignIn(signedInAt, now);
    return enveloped({ export: await exportWallet(deps, { userID, now, ...path, ...body }) });
  },
);
