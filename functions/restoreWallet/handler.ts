import * as schemas from "../../lib/api/wallet-operations.ts";
import { environment } from "../../lib/runtime/environment.ts";
import { enveloped, rest } from "../../lib/runtime/rest.ts";
import { openTable } from "../../lib/table/table.ts";
import { restoreWallet } from "../../lib/wallets/restore-wallet.ts";
import { shownWallet } from "../../lib/wallets/wallet.ts";

const table = openTable(environment("TABLE_NAME"));
const limits = environment("WALLET_LIMITS");

export const handler = rest(
  "restoreWallet",
  schemas.restoreWallet,
  async ({ userID, now, path: { walletId } }) =>
    enveloped({ wallet: shownWallet(await restoreWallet(table, { userID, walletId, limits, now })) }),
);
