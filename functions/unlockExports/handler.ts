import * as schemas from "../../lib/api/export-operations.ts";
import { callOf } from "../../lib/aws/call-function.ts";
import { requireFreshSignIn } from "../../lib/core/sign-in.ts";
import { environment } from "../../lib/runtime/environment.ts";
import { enveloped, rest } from "../../lib/runtime/rest.ts";
import { openTable } from "../../lib/table/table.ts";
import type { ShownLock } from "../../lib/wallets/export/export-lock.ts";
import { unlockExports } from "../../lib/wallets/export/lock-exports.ts";

const call = callOf(environment("SEAL_EXPORT_FUNCTION"));
const deps = {
  table: { ...openTable(environment("TABLE_NAME")), id: environment("TABLE_ID") },
  delaySeconds: environment("EXPORT_DELAY_SECONDS"),
  announce: async (request: object) => (await call(request)) as ShownLock,
};

export const handler = rest("unlockExports", schemas.unlockExports, async ({ userID, signedInAt, now }) => {
  requireFreshSignIn(signedInAt, now);
  return enveloped({ lock: await unlockExports(deps, { userID, now }) });
});
