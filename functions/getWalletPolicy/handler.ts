import * as schemas from "../../lib/api/wallet-operations.ts";
import { environment } from "../../lib/runtime/environment.ts";
import { enveloped, rest } from "../../lib/runtime/rest.ts";
import { openTable } from "../../lib/table/table.ts";
import { policyOfWallet } from "../../lib/wallets/change-policy.ts";

const table = openTable(environment("TABLE_NAME"));

export const handler = rest(
  "getWalletPolicy",
  schemas.getWalletPolicy,
  async ({ userID, path: { walletId } }) => enveloped(await policyOfWallet(table, { userID, walletId })),
);
