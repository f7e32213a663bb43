import * as schemas from "../../lib/api/wallet-operations.ts";
import { callOf } from "../../lib/aws/call-function.ts";
import { environment } from "../../lib/runtime/environment.ts";
import { enveloped, rest } from "../../lib/runtime/rest.ts";
import { openTable } from "../../lib/table/table.ts";
import { askForPolicy } from "../../lib/wallets/change-policy.ts";
import type { PolicyAnswer } from "../../lib/wallets/loosen-guards.ts";

const call = callOf(environment("LOOSEN_GUARDS_FUNCTION"));
const deps = {
  table: openTable(environment("TABLE_NAME")),
  ask: async (request: object) => (await call(request)) as PolicyAnswer,
};

export const handler = rest(
  "setWalletPolicy",
  schemas.setWalletPolicy,
  async ({ userID, signedInAt, path: { walletId }, body: asked }) =>
    enveloped(await askForPolicy(deps, { userID, walletId, asked, signedInAt })),
);
