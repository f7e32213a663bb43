import * as schemas from "../../lib/api/wallet-operations.ts";
import { environment } from "../../lib/runtime/environment.ts";
import { enveloped, rest } from "../../lib/runtime/rest.ts";
import { openTable } from "../../lib/table/table.ts";
import { changeWallet } from "../../lib/wallets/change-wallet.ts";
import { shownWallet } from "../../lib/wallets/wallet.ts";

const table = openTable(environment("TABLE_NAME"));

export const handler = rest(
  "updateWallet",
  schemas.updateWallet,
  async ({ userID, now, path: { walletId }, body: labels }) =>
    enveloped({ wallet: shownWallet(await changeWallet(table, { userID, walletId, labels, now })) }),
);
