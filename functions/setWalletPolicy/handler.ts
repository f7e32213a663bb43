import * as schemas from "../../lib/api/wallet-operations.ts";
import { openCheckingTable } from "../../lib/runtime/checking-table.ts";
import { enveloped, rest } from "../../lib/runtime/rest.ts";
import { changePolicy } from "../../lib/wallets/change-policy.ts";

const table = openCheckingTable();

export const handler = rest(
  "setWalletPolicy",
  schemas.setWalletPolicy,
  async ({ userID, signedInAt, now, path: { walletId }, body: asked }) =>
    enveloped(await changePolicy(table, { userID, walletId, signedInAt, now, asked })),
);
